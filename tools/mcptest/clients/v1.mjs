// The TypeScript SDK of the handshake revisions: what most hosts are built on.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { scenario, server } from "./scenario.mjs";

const client = new Client({ name: "v1", version: "1" });
await client.connect(new StdioClientTransport(server));
await scenario({
  client,
  call: (name, args, options) => client.callTool({ name, arguments: args }, undefined, options),
  ping: () => client.ping(),
});
