// Package mcpserver serves pairmux to Model Context Protocol clients over
// standard input and output.
//
// It knows two things: how to speak the protocol, and how to run the pairmux
// executable as a child whose reply is one pairmux.v1 envelope. Everything else,
// the terminals, the journal, the state, belongs to that child, so a server may
// be killed at any time without harm to a terminal.
//
// One table, [Tools], says what each tool is called, which arguments it takes and
// which command line they become. The server, the documentation and the tests of
// the command line all read that table.
//
// The handshake revisions 2024-11-05 to 2025-11-25 and the stateless revision
// 2026-07-28 are served side by side; a request says by its _meta which one it
// means. The wire is JSON-RPC 2.0, one object a line, over
// [github.com/sourcegraph/jsonrpc2] with a stream and an ordered handler that add
// what MCP asks beyond that library: exact ids, answers to malformed lines,
// cancellation that cannot overtake its call, answers at end of input.
package mcpserver
