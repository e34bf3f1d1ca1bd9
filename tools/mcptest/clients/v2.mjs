// The TypeScript SDK of both eras. Second argument: how it negotiates; third: the
// revision that must come of it.
import assert from "node:assert/strict";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { scenario, server } from "./scenario.mjs";

const [, , , mode, version] = process.argv;
const client = new Client(
  { name: "v2", version: "1" },
  { versionNegotiation: { mode: mode === "pin" ? { pin: version } : mode } },
);
await client.connect(new StdioClientTransport(server));
assert.equal(client.getNegotiatedProtocolVersion(), version);
await scenario({
  client,
  call: (name, args, options) => client.callTool({ name, arguments: args }, options),
  // The stateless revision has no ping; any request shows that it is alive.
  ping: () => (mode === "legacy" ? client.ping() : client.listTools()),
});
