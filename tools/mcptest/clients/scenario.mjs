// What every TypeScript client does with pairmux: one step a line of output, and
// an exception at the first thing that is not as it should be. The caller gives
// a connected client and says what its SDK calls things.
import assert from "node:assert/strict";

const done = (step) => console.log("ok " + step);

// scenario runs the steps. call(name, arguments, options) is a tool call.
export async function scenario({ client, call, ping }) {
  done("initialize");
  assert.equal(client.getServerVersion().name, "pairmux");
  assert.match(client.getInstructions(), /^Use pairmux/);

  const { tools, nextCursor } = await client.listTools();
  assert.equal(nextCursor, undefined);
  assert.deepEqual(
    tools.map((t) => t.name.replace("pairmux_", "")),
    ["new", "run", "peek", "wait", "send", "log", "ls", "kill", "note", "doctor"],
  );
  for (const t of tools) assert.ok(t.title && t.outputSchema && t.annotations.readOnlyHint !== undefined, t.name);
  done("tools/list");

  // reply checks what holds for every result and returns the envelope.
  const reply = async (tool, args, options) => {
    const r = await call("pairmux_" + tool, args, options);
    assert.equal(r.content.length, 1);
    assert.deepEqual(JSON.parse(r.content[0].text), r.structuredContent);
    assert.equal(Boolean(r.isError), !r.structuredContent.ok);
    return r.structuredContent;
  };
  const terminal = "w";

  let r = await reply("new", { name: terminal });
  assert.equal(r.status, "created");
  done("new");

  r = await reply("run", { terminal, command: "echo 'a  <&> \u{1F600}'; (exit 3)" });
  assert.deepEqual([r.status, r.exit_code, r.output], ["done", 3, "a  <&> \u{1F600}"]);
  done("run");

  r = await reply("run", { terminal, command: "read x; echo got $x", timeout: "0" });
  assert.match(r.status, /running|awaiting-input/);
  const progress = [];
  const waiting = reply("wait", { terminal, pattern: "^got", timeout: "30s" }, { onprogress: (p) => progress.push(p) });
  // The first progress comes at once: then the wait is really waiting.
  for (let i = 0; progress.length === 0 && i < 3000; i++) await new Promise((next) => setTimeout(next, 10));
  assert.ok(progress.length > 0, "no progress");
  r = await reply("send", { terminal, text: "it", enter: true });
  assert.equal(r.status, "sent");
  done("send");
  r = await waiting;
  assert.equal(r.status, "pattern-found");
  assert.match(r.output, /got it$/);
  r = await reply("wait", { terminal, done: true, timeout: "30s" });
  assert.deepEqual([r.status, r.exit_code], ["done", 0]);
  done("wait");

  r = await reply("log", { terminal, command_id: 1 });
  assert.equal(r.output, "a  <&> \u{1F600}");
  done("log");
  r = await reply("log", { terminal, history: true });
  assert.deepEqual(r.history.map((h) => h.exit_code), [3, 0]);
  done("history");

  r = await reply("run", { terminal: "nosuch", command: "true" });
  assert.equal(r.error.code, "E_NO_TERMINAL");
  r = await reply("peek", { terminal, lines: 5 });
  assert.equal(r.error.code, "E_BAD_ARGS");
  assert.match(r.error.message, /lines/);
  await assert.rejects(call("pairmux_nosuch", {}), (e) => e.code === -32602);
  done("errors");

  // A cancelled call takes only itself away.
  r = await reply("run", { terminal, command: "read y; echo end", timeout: "0" });
  const abort = new AbortController();
  let heard;
  const started = new Promise((resolve) => (heard = resolve));
  const cancelled = call(
    "pairmux_wait", { terminal, pattern: "never", timeout: "60s" },
    { signal: abort.signal, onprogress: heard },
  );
  await started;
  abort.abort("enough");
  await assert.rejects(cancelled);
  r = await reply("send", { terminal, enter: true, wait: "done", timeout: "30s" });
  assert.deepEqual([r.status, r.exit_code], ["done", 0]);
  done("cancellation");

  // 1 MiB of JSON escapes is near what the SDK can read in one message.
  r = await reply("run", { terminal, command: "head -c 400000 /dev/zero | tr '\\0' '\"'", max_bytes: "400KiB" });
  assert.equal(r.output.length, 400000);
  await ping();
  done("large reply");

  r = await reply("kill", { terminal });
  assert.equal(r.status, "killed");
  done("kill");
  await client.close();
  done("close");
}

// server is how every client starts pairmux. What is not named here does not
// reach it: these SDKs hand on six variables only.
export const server = {
  command: process.argv[2],
  args: ["mcp", "serve"],
  env: { TMUX_TMPDIR: process.env.TMUX_TMPDIR, PAIRMUX_STATE_DIR: process.env.PAIRMUX_STATE_DIR, LC_ALL: "C.UTF-8" },
};
