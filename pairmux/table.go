package main

import (
	"sync"

	"github.com/pairmux/pairmux/envelope"
)

// kind is what a flag's value must look like; the parser checks it before a
// command runs.
type kind int

const (
	boolean kind = iota
	text
	duration
	count  // a whole number, 0 or more
	number // a whole number, 1 or more
	size   // bytes
	millis // a duration where a bare number is milliseconds, over 0
	span   // lines A:B or A:end
	grid   // columns x rows
	cursor // a journal position, "run" or "start"
)

// flagSpec describes one flag; help, parsing, the machine-readable list and the
// documentation all come from it.
type flagSpec struct {
	name    string
	kind    kind
	value   string // what help calls the value
	def     string
	help    string
	repeats bool
}

// commandSpec describes one command.
type commandSpec struct {
	name     string
	group    string // envelope.GroupAgent or envelope.GroupHuman
	summary  string
	synopsis string
	example  string
	min, max int // positionals; max < 0: any number
	flags    []flagSpec
	// excludes are sets of flags of which at most one may be given.
	excludes [][]string
	run      func(*call) *outcome
}

var (
	headFlag  = flagSpec{name: "head", kind: count, value: "N", def: "50", help: "leading lines to keep"}
	tailFlag  = flagSpec{name: "tail", kind: count, value: "N", def: "200", help: "trailing lines to keep"}
	bytesFlag = flagSpec{name: "max-bytes", kind: size, value: "SIZE", def: "64KiB", help: "bytes of output to keep"}
)

func timeoutFlag(def, help string) flagSpec {
	return flagSpec{name: "timeout", kind: duration, value: "D", def: def, help: help}
}

func unset(f flagSpec) flagSpec { f.def = ""; return f }

var globalFlags = []flagSpec{
	{name: "json", kind: boolean, help: "reply as one line of JSON"},
	{name: "socket", kind: text, value: "S", def: "pairmux", help: "tmux socket: an isolated set of terminals ($PAIRMUX_SOCKET)"},
	{name: "state-dir", kind: text, value: "D", help: "where journals are kept ($PAIRMUX_STATE_DIR)"},
	{name: "help", kind: boolean, help: "show help"},
	{name: "version", kind: boolean, help: "show the version"},
}

// commands lists every public command in the order help shows them.
func commands() []*commandSpec {
	tableOnce.Do(func() { table = makeTable() })
	return table
}

// The table is made once and on demand; an initialiser could not refer to code
// that reads it.
var (
	table     []*commandSpec
	tableOnce sync.Once
)

func makeTable() []*commandSpec {
	agent, human := envelope.GroupAgent, envelope.GroupHuman
	return []*commandSpec{
		{
			name: "new", group: agent, max: 1, run: runNew,
			summary:  "open a terminal: a shell, or a program with --cmd",
			synopsis: `pairmux new [NAME] [flags]`,
			example:  `pairmux new build --cwd /tmp`,
			flags: []flagSpec{
				{name: "name", kind: text, value: "N", help: "the terminal's name (default: t1, t2, …)"},
				{name: "cwd", kind: text, value: "D", help: "working directory (default: the current one)"},
				{name: "cmd", kind: text, value: "C", help: "run this program instead of a shell"},
				{name: "size", kind: grid, value: "CxR", def: "200x50", help: "columns and rows, 20x5 to 1000x500"},
				{name: "env", kind: text, value: "K=V", help: "set a variable", repeats: true},
				{name: "shell", kind: text, value: "S", help: "the shell to use (default: $SHELL)"},
				timeoutFlag("30s", "how long to wait for the first prompt"),
				{name: "max-journal", kind: size, value: "SIZE", help: "rotate the journal beyond this size (default: never)"},
			},
			excludes: [][]string{{"cmd", "shell"}},
		},
		{
			name: "run", group: agent, min: 1, max: -1, run: runRun,
			summary:  "run a command and block until it ends, asks, or times out",
			synopsis: `pairmux run NAME "cmd" | NAME [--] WORD… | NAME --script FILE [flags]`,
			example:  `pairmux run build "make test" --timeout 10m`,
			flags: []flagSpec{
				timeoutFlag("60s", "how long to wait; the command goes on"),
				headFlag, tailFlag, bytesFlag,
				{name: "script", kind: text, value: "FILE", help: "run the lines of FILE (- for stdin) as one unit"},
				{name: "nested", kind: boolean, help: "run it in the shell that ssh, docker exec, sudo -i, … has opened"},
				{name: "exit-status", kind: boolean, help: "exit with the command's own code"},
			},
		},
		{
			name: "peek", group: agent, min: 1, max: 1, run: runPeek,
			summary:  "recent output and state, without blocking",
			synopsis: `pairmux peek NAME [--tail N | --screen]`,
			example:  `pairmux peek build`,
			flags: []flagSpec{
				{name: "tail", kind: count, value: "N", def: "60", help: "lines to show"},
				{name: "screen", kind: boolean, help: "the visible screen instead of the journal"},
			},
			excludes: [][]string{{"tail", "screen"}},
		},
		{
			name: "wait", group: agent, min: 1, max: -1, run: runWait,
			summary:  "block until idle, a pattern, an end, or a human",
			synopsis: `pairmux wait NAME… [flags]`,
			example:  `pairmux wait build --done --timeout 10m`,
			flags: []flagSpec{
				{name: "idle", kind: millis, value: "MS", def: "800", help: "silence before the state is looked at"},
				{name: "pattern", kind: text, value: "RE", help: "a line that matches this RE2 expression"},
				{name: "done", kind: boolean, help: "the end of a command"},
				{name: "cmd", kind: number, value: "N", help: "the end of command N"},
				{name: "human", kind: boolean, help: "a note, or a prompt that was answered"},
				{name: "note", kind: boolean, help: "a note"},
				{name: "since", kind: cursor, value: "CURSOR", help: "where --pattern begins: a cursor, run, or start"},
				{name: "notify", kind: boolean, help: "notify a human when this blocks"},
				timeoutFlag("300s", "how long to wait"),
			},
		},
		{
			name: "send", group: agent, min: 1, max: 1, run: runSend,
			summary:  "type text, keys, Enter into a terminal",
			synopsis: `pairmux send NAME [--text S | --stdin] [--key K]… [--enter] [flags]`,
			example:  `pairmux send build --text y --enter`,
			flags: []flagSpec{
				{name: "text", kind: text, value: "S", help: "literal text"},
				{name: "stdin", kind: boolean, help: "literal text from standard input"},
				{name: "key", kind: text, value: "K", help: "a named key: C-c, Escape, Up, F5, …", repeats: true},
				{name: "enter", kind: boolean, help: "Enter, last"},
				{name: "wait", kind: text, value: "COND", help: "then wait: idle, done, human, or pattern=RE"},
				timeoutFlag("60s", "how long --wait waits"),
				headFlag, tailFlag, bytesFlag,
			},
			excludes: [][]string{{"text", "stdin"}},
		},
		{
			name: "log", group: agent, min: 1, max: 1, run: runLog,
			summary:  "read the journal",
			synopsis: `pairmux log NAME [--cmd N | --last | --grep RE | --range A:B | --since C] [flags]`,
			example:  `pairmux log build --grep 'error|FAIL' --context 2`,
			flags: []flagSpec{
				{name: "cmd", kind: number, value: "N", help: "the output of command N"},
				{name: "last", kind: boolean, help: "the output of the newest command"},
				{name: "grep", kind: text, value: "RE", help: "lines that match this RE2 expression"},
				{name: "range", kind: span, value: "A:B", help: "lines A to B (or A:end)"},
				{name: "since", kind: cursor, value: "CURSOR", help: "what came after a cursor, run, or start"},
				{name: "context", kind: count, value: "N", def: "0", help: "lines around each match"},
				{name: "raw", kind: boolean, help: "the selected bytes alone"},
				{name: "prev", kind: boolean, help: "the terminal that had this name before"},
				unset(headFlag), unset(tailFlag), unset(bytesFlag),
			},
			excludes: [][]string{{"cmd", "last", "grep", "range", "since"}, {"json", "raw"}},
		},
		{
			name: "history", group: agent, min: 1, max: 1, run: runHistory,
			summary:  "the commands a terminal ran",
			synopsis: `pairmux history NAME [--failed] [--tail 50]`,
			example:  `pairmux history build --failed`,
			flags: []flagSpec{
				{name: "failed", kind: boolean, help: "only those that failed"},
				{name: "tail", kind: count, value: "N", def: "50", help: "the newest N"},
			},
		},
		{
			name: "ls", group: agent, max: 0, run: runLs,
			summary:  "list terminals and their states",
			synopsis: `pairmux ls [--all]`,
			example:  `pairmux ls`,
			flags: []flagSpec{
				{name: "all", kind: boolean, help: "on every socket of this state directory"},
			},
		},
		{
			name: "kill", group: agent, max: 1, run: runKill,
			summary:  "end a terminal; its journal stays",
			synopsis: `pairmux kill NAME | --all`,
			example:  `pairmux kill build`,
			flags: []flagSpec{
				{name: "all", kind: boolean, help: "every terminal on this socket"},
			},
		},
		{
			name: "mcp", group: agent, min: 1, max: 1, run: runMCP,
			summary:  "serve these commands as MCP tools on stdio",
			synopsis: `pairmux mcp serve`,
			example:  `pairmux mcp serve`,
		},
		{
			name: "skill", group: agent, min: 1, max: 1, run: runSkill,
			summary:  "install the Agent Skill for coding agents",
			synopsis: `pairmux skill install [--target T|all] [--dry-run]`,
			example:  `pairmux skill install --dry-run`,
			flags: []flagSpec{
				{name: "target", kind: text, value: "T", def: "all", help: "claude-code codex gemini cursor opencode copilot windsurf kiro amp agents; all: those that are installed"},
				{name: "dry-run", kind: boolean, help: "only say what would be written"},
			},
		},
		{
			name: "version", group: agent, max: 0, run: runVersion,
			summary:  "show the version",
			synopsis: `pairmux version`,
			example:  `pairmux version`,
		},
		{
			name: "help", group: agent, max: 1, run: runHelp,
			summary:  "show help, for one command if named",
			synopsis: `pairmux help [COMMAND]`,
			example:  `pairmux help run`,
		},
		{
			name: "attach", group: human, max: 1, run: runAttach,
			summary:  "look at a terminal and type into it, in tmux",
			synopsis: `pairmux attach [NAME] [--read-only]`,
			example:  `pairmux attach build`,
			flags: []flagSpec{
				{name: "read-only", kind: boolean, help: "look only: nothing can be typed"},
			},
		},
		{
			name: "watch", group: human, max: 0, run: runWatch,
			summary:  "a live dashboard of all terminals",
			synopsis: `pairmux watch [--interval 2s]`,
			example:  `pairmux watch`,
			flags: []flagSpec{
				{name: "interval", kind: duration, value: "D", def: "2s", help: "how often to look at what makes no output"},
			},
		},
		{
			name: "note", group: human, min: 2, max: -1, run: runNote,
			summary:  "leave a message for the agent",
			synopsis: `pairmux note NAME TEXT…`,
			example:  `pairmux note build "use the staging token"`,
		},
		{
			name: "doctor", group: human, max: 0, run: runDoctor,
			summary:  "check tmux, shells, state; say how to mend them",
			synopsis: `pairmux doctor`,
			example:  `pairmux doctor`,
		},
		{
			name: "prune", group: human, max: 1, run: runPrune,
			summary:  "delete the journals of dead terminals",
			synopsis: `pairmux prune [NAME] [--older-than 7d] [--dry-run]`,
			example:  `pairmux prune --dry-run`,
			flags: []flagSpec{
				{name: "older-than", kind: duration, value: "D", def: "7d", help: "dead for longer than this"},
				{name: "dry-run", kind: boolean, help: "only say what would be deleted"},
			},
		},
	}
}

func lookup(name string) *commandSpec {
	for _, c := range commands() {
		if c.name == name {
			return c
		}
	}
	return nil
}

func (c *commandSpec) flag(name string) *flagSpec {
	for i := range c.flags {
		if c.flags[i].name == name {
			return &c.flags[i]
		}
	}
	return globalFlag(name)
}

func globalFlag(name string) *flagSpec {
	for i := range globalFlags {
		if globalFlags[i].name == name {
			return &globalFlags[i]
		}
	}
	return nil
}
