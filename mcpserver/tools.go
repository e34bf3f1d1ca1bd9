package mcpserver

import "time"

const (
	// defaultWait is how long a call waits unless it says otherwise: under the 60 s
	// at which the TypeScript SDK, and with it many hosts, gives a call up.
	defaultWait = "45s"
	// defaultBytes keeps a reply under Codex's 10,000 tokens, the smallest budget
	// that is known.
	defaultBytes = "24KiB"
)

// Tools returns the tools that the server offers, in the order in which it lists
// them. The result is the caller's own.
func Tools() []Tool {
	terminal := Argument{Name: "terminal", Kind: KindString, Required: true, positional: true,
		Description: "Name of the terminal."}
	optional := terminal
	optional.Required = false
	timeout := Argument{Name: "timeout", Kind: KindDuration, Flag: "--timeout", Default: defaultWait,
		Description: `How long to wait, such as "45s" or "5m". Many hosts give a call up after 60s; running out of time is no error and loses nothing.`}
	head := Argument{Name: "head", Kind: KindInteger, Flag: "--head",
		Description: "Number of output lines to keep from the start."}
	tail := Argument{Name: "tail", Kind: KindInteger, Flag: "--tail",
		Description: "Number of output lines to keep from the end."}
	maxBytes := Argument{Name: "max_bytes", Kind: KindSize, Flag: "--max-bytes", Default: defaultBytes,
		Description: `Most bytes of output in the reply, such as "24KiB" or "256KiB".`}
	since := Argument{Name: "since", Kind: KindCursor, Flag: "--since",
		Description: "Where to begin: the cursor of an earlier reply, run (first byte of the newest command) or start."}

	return []Tool{
		{
			Name: "pairmux_new", Title: "New terminal", Command: "new",
			Description: "Open a named terminal that stays until it is killed: a shell ready for pairmux_run, or with cmd one program (server, REPL, editor) driven by pairmux_send, pairmux_wait and pairmux_peek. The human can see it and type into it.",
			OpenWorld:   true,
			waits:       30 * time.Second,
			Arguments: []Argument{
				{Name: "name", Kind: KindString, Flag: "--name", Description: "Lower-case letters, digits, - and _, at most 32. Default: t1, t2, …"},
				{Name: "cwd", Kind: KindString, Flag: "--cwd", Description: "Directory to start in, an absolute path. Give it: the server's own directory may be anywhere."},
				{Name: "cmd", Kind: KindString, Flag: "--cmd", Description: "Program to run in place of a shell, as shell source."},
				{Name: "size", Kind: KindString, Flag: "--size", Description: "Columns and rows, such as 120x40. Default 200x50."},
				{Name: "env", Kind: KindStrings, Flag: "--env", Description: "Environment variables, each NAME=value."},
				{Name: "shell", Kind: KindString, Flag: "--shell", Description: "Shell to start, in place of the user's."},
				{Name: "timeout", Kind: KindDuration, Flag: "--timeout", Description: "How long to wait for the prompt. Default 30s."},
			},
		},
		{
			Name: "pairmux_run", Title: "Run command", Command: "run",
			Description: "Run a command in the terminal's shell and wait for its end: exit code, duration and exactly its own output. Directory and variables stay for the next call. Status running: it goes on, use pairmux_wait with done. Status awaiting-input: it asks something, see prompt and next. Give command or script, never both.",
			Destructive: true, OpenWorld: true,
			waits: 45 * time.Second, bounded: true, longReply: true,
			check: checkRun,
			Arguments: []Argument{
				terminal,
				{Name: "command", Kind: KindText, positional: true, Description: "One line of shell source."},
				{Name: "script", Kind: KindText, Flag: "--script", stdin: "--script=-", Description: "Many lines of shell source, run as one unit in the same shell."},
				timeout, head, tail, maxBytes,
				{Name: "nested", Kind: KindBoolean, Flag: "--nested", Description: "Run inside the ssh, docker exec, sudo -i, su or inner shell that has the terminal now."},
			},
		},
		{
			Name: "pairmux_peek", Title: "Look at terminal", Command: "peek",
			Description: "See what a terminal shows now and in which state it is, without waiting and without disturbing it: the last 60 lines, or with screen exactly what is on its screen (for full-screen programs).",
			ReadOnly:    true, Idempotent: true, longReply: true,
			Arguments: []Argument{
				terminal,
				{Name: "tail", Kind: KindInteger, Flag: "--tail", Min: 1, Description: "Number of lines. Default 60."},
				{Name: "screen", Kind: KindBoolean, Flag: "--screen", Description: "The screen instead of the last lines."},
			},
		},
		{
			Name: "pairmux_wait", Title: "Wait for terminal", Command: "wait",
			Description: "Wait until something happens in one or several terminals; the first condition to come true wins. Without a condition: until it is quiet and idle or asks. Status timeout is no error: wait again with since set to the reply's cursor. For a password use human with notify: the human types it, you never see it.",
			ReadOnly:    true, Idempotent: true,
			waits: 45 * time.Second, longReply: true,
			check: checkWait,
			Arguments: []Argument{
				optional,
				{Name: "terminals", Kind: KindStrings, positional: true, Max: 100, Description: "Several names, in place of terminal."},
				{Name: "idle_ms", Kind: KindInteger, Flag: "--idle", Min: 1, Description: "Wait for this many milliseconds of silence. Default 800 when there is no other condition."},
				{Name: "pattern", Kind: KindString, Flag: "--pattern", Description: "Wait for a line of new output that matches this RE2 regular expression."},
				{Name: "done", Kind: KindBoolean, Flag: "--done", Description: "Wait for the end of the command, or of the program."},
				{Name: "command_id", Kind: KindInteger, Flag: "--cmd", Min: 1, Description: "Wait for the end of this command, by the cmd_id of its reply."},
				{Name: "human", Kind: KindBoolean, Flag: "--human", Description: "Wait until the human answered the prompt or wrote a note."},
				{Name: "note", Kind: KindBoolean, Flag: "--note", Description: "Wait for a note only."},
				since,
				{Name: "notify", Kind: KindBoolean, Flag: "--notify", Description: "Tell the human's desktop and screen that somebody is needed."},
				timeout,
			},
		},
		{
			Name: "pairmux_send", Title: "Type into terminal", Command: "send",
			Description: "Type into whatever has the terminal: text, then keys, then Enter. For answers to prompts, programs and REPLs; for shell commands use pairmux_run. With wait the reply tells what happened after. Never type or guess a secret: use pairmux_wait with human.",
			Destructive: true, OpenWorld: true,
			bounded: true,
			check:   checkSend,
			Arguments: []Argument{
				terminal,
				{Name: "text", Kind: KindText, Flag: "--stdin", stdin: "--stdin", Description: "Text to type, literally."},
				{Name: "keys", Kind: KindStrings, Flag: "--key", Max: 1000, Description: "Keys such as Enter, Escape, Tab, Up, PPage, F1, C-c, M-x."},
				{Name: "enter", Kind: KindBoolean, Flag: "--enter", Description: "Press Enter at the end."},
				{Name: "wait", Kind: KindString, Flag: "--wait", Description: "Then wait: idle, done, human, or pattern=RE."},
				timeout, head, tail, maxBytes,
			},
		},
		{
			Name: "pairmux_log", Title: "Read journal", Command: "log",
			Description: "Read what a terminal has printed since it was made, also what scrolled away, also of a dead one. Choose at most one of command_id, last, grep, range, since; without any, the last 500 lines. Or list its commands with history.",
			ReadOnly:    true, Idempotent: true,
			bounded: true, longReply: true,
			check: checkLog,
			Arguments: []Argument{
				terminal,
				{Name: "command_id", Kind: KindInteger, Flag: "--cmd", Min: 1, Description: "The output of this command, by the cmd_id of its reply."},
				{Name: "last", Kind: KindBoolean, Flag: "--last", Description: "The output of the newest command."},
				{Name: "grep", Kind: KindString, Flag: "--grep", Description: "The lines that match this RE2 regular expression, numbered."},
				{Name: "range", Kind: KindString, Flag: "--range", Description: "The lines from:to, such as 100:200 or 100:end."},
				since,
				{Name: "context", Kind: KindInteger, Flag: "--context", Description: "Number of lines around each match of grep."},
				head, tail, maxBytes,
				{Name: "history", Kind: KindBoolean, Description: "List the commands (number, exit code, duration) in place of output; goes with failed and tail."},
				{Name: "failed", Kind: KindBoolean, Flag: "--failed", Command: "history", Description: "With history: only the commands that failed."},
			},
		},
		{
			Name: "pairmux_ls", Title: "List terminals", Command: "ls",
			Description: "List the terminals with their states, commands, lock holders and unseen notes.",
			ReadOnly:    true, Idempotent: true,
			Arguments: []Argument{
				{Name: "all", Kind: KindBoolean, Flag: "--all", Description: "Of all sockets."},
			},
		},
		{
			Name: "pairmux_kill", Title: "Kill terminal", Command: "kill",
			Description: "End a terminal and what runs in it. Its journal stays and pairmux_log still reads it. To stop only a command, send the key C-c instead.",
			Destructive: true, Idempotent: true,
			check: checkKill,
			Arguments: []Argument{
				optional,
				{Name: "all", Kind: KindBoolean, Flag: "--all", Description: "Every terminal, in place of terminal."},
			},
		},
		{
			Name: "pairmux_note", Title: "Leave note", Command: "note",
			Description: "Leave a note on a terminal for whoever works there next: it is shown in that terminal's replies until the next completed command or keys.",
			Arguments: []Argument{
				terminal,
				{Name: "text", Kind: KindString, Required: true, positional: true, Description: "The note."},
			},
		},
		{
			Name: "pairmux_doctor", Title: "Check set-up", Command: "doctor",
			Description: "Check tmux, the socket and state directory in use, the shells and the notifier; each failed check says how to mend it.",
			ReadOnly:    true, Idempotent: true,
		},
	}
}

func checkRun(inv *Invocation, v values) error {
	if v.has("command") == v.has("script") {
		return &ArgumentError{Reason: "give exactly one of command and script"}
	}
	if v.has("command") {
		// A command of any size: one that no argv can hold is a script of one line.
		if command := v.text("command"); len(command) > maxWord {
			delete(v, "command")
			v["script"] = command
		}
	}
	return nil
}

func checkWait(inv *Invocation, v values) error {
	if v.has("terminal") == v.has("terminals") {
		return &ArgumentError{Reason: "give exactly one of terminal and terminals"}
	}
	return nil
}

func checkSend(inv *Invocation, v values) error {
	if v.text("text") == "" {
		delete(v, "text")
	}
	if !v.has("text") && !v.has("keys") && !v.isSet("enter") {
		return &ArgumentError{Reason: "give at least one of text, keys and enter"}
	}
	if v.has("wait") {
		inv.Wait, _ = parseDuration(defaultWait)
		return nil
	}
	for _, name := range []string{"timeout", "head", "tail", "max_bytes"} {
		if v.has(name) {
			return &ArgumentError{Argument: name, Reason: "goes with wait only"}
		}
	}
	inv.noDefaults = true
	return nil
}

func checkLog(inv *Invocation, v values) error {
	if !v.isSet("history") {
		if v.has("failed") {
			return &ArgumentError{Argument: "failed", Reason: "goes with history only"}
		}
		return nil
	}
	for _, a := range []string{"command_id", "last", "grep", "range", "since", "context", "head", "max_bytes"} {
		if v.has(a) {
			return &ArgumentError{Argument: a, Reason: "does not go with history"}
		}
	}
	inv.command = "history"
	return nil
}

func checkKill(inv *Invocation, v values) error {
	if v.has("terminal") == v.isSet("all") {
		return &ArgumentError{Reason: "give exactly one of terminal and all"}
	}
	return nil
}
