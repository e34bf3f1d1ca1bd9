// Command benchagent counts what an agent pays for ten tasks: calls, and bytes of
// replies that it has to read. Each task is really done, on a private tmux server:
// by pairmux on the command line (--json), by pairmux over MCP, and by bare tmux
// with send-keys and capture-pane; and each checks that it got what it was to get.
//
// Run it from the repository's root, or by `make bench-agent`:
//
//	go run ./tools/benchagent [-bin bin/pairmux] [-only REGEXP] [-json bin/bench-agent.json] [-doc docs/agent-economy.md]
//
// It prints a table, writes the same as JSON, and with -doc into the page. It
// exits with status 1 when a task could not be done.
package main
