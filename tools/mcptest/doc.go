// Package mcptest has no code; its tests hold the two doors that agents come
// through to the real binary on a real tmux: MCP, by the protocol's own
// clients, and the Agent Skill, by running every command line in it.
//
// The clients are the official Go SDK, the TypeScript SDK of the handshake and
// of the stateless revision, the inspector's command line, and the conformance
// tool. What comes from npm is fixed by clients/package-lock.json and is
// installed once, into pairmux-test in the user's cache directory; that needs
// npm and, the first time, a registry. PAIRMUX_SKIP_CLIENTS=1 leaves those
// clients out; with CI set it is an error.
package mcptest
