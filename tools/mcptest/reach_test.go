package mcptest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pairmux/pairmux/envelope"
)

// The tests of this file do by MCP what the command line can do, one capability
// a test, on a real tmux.

func TestNewTakesItsArguments(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.serve()
	dir := filepath.Join(w.dir, "a place")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	r := s.call("new", args{"name": "w", "cwd": dir, "size": "91x33", "env": []string{"STAGE=a b;c", "OTHER=2"}, "shell": "/bin/bash", "timeout": "30s"})
	r.is(envelope.StatusCreated)
	s.call("run", args{"terminal": "w", "command": `printf '%s|%s|%s' "$PWD" "$STAGE" "$OTHER"`}).says(dir + "|a b;c|2")
	s.call("run", args{"terminal": "w", "command": "stty size"}).says("33 91")
	s.call("new", args{"name": "w"}).refused(envelope.CodeExists)
	if r := s.call("new", args{}); r.Terminal != "t1" {
		t.Errorf("the name of an unnamed terminal is %q", r.Terminal)
	}
	s.call("new", args{"name": "p", "cmd": "echo up; read x; exit 6"})
	s.call("wait", args{"terminal": "p", "pattern": "up", "since": "start", "timeout": "20s"}).is(envelope.StatusPatternFound)
	s.call("send", args{"terminal": "p", "enter": true, "wait": "done", "timeout": "20s"}).exits(6)
}

func TestRunTakesItsArguments(t *testing.T) {
	t.Parallel()
	s := newWorld(t).serve()
	s.call("new", args{"name": "w"}).is(envelope.StatusCreated)
	s.call("run", args{"terminal": "w", "command": `echo "a;b" 'c d'; (exit 3)`}).says("a;b c d").exits(3)
	s.call("run", args{"terminal": "w", "script": "x=1\nif true\nthen\n  echo line $x\nfi\ncd /\nfalse"}).says("line 1").exits(1)
	s.call("run", args{"terminal": "w", "command": "pwd"}).says("/")
	r := s.call("run", args{"terminal": "w", "command": "seq 1000", "head": 2, "tail": 1}).says("1\n2\n…\n1000")
	if r.Truncated == nil || r.Truncated.OmittedLines != 997 {
		t.Errorf("truncated: %s", r.raw)
	}
	if r := s.call("run", args{"terminal": "w", "command": "seq 100000", "head": 100000, "max_bytes": "8KiB"}); len(r.Output) > 8<<10 {
		t.Errorf("%d bytes of output", len(r.Output))
	}
	// A command that no argv can hold.
	long := strings.Repeat("x", 200_000)
	s.call("run", args{"terminal": "w", "command": "v=" + long + "; echo ${#v}"}).says("200000").exits(0)
	s.call("run", args{"terminal": "w", "command": "echo 'open"}).refused(envelope.CodeBadArgs)
}

// TestDefaultReplyFitsTheClients: without max_bytes a reply stays within the
// smallest budget that a client is known to have.
func TestDefaultReplyFitsTheClients(t *testing.T) {
	t.Parallel()
	const budget = 24 << 10
	s := newWorld(t).serve()
	s.call("new", args{"name": "w"}).is(envelope.StatusCreated)
	wide := `for i in $(seq 2000); do printf '%0200d\n' $i; done`
	for name, r := range map[string]reply{
		"run":   s.call("run", args{"terminal": "w", "command": wide, "head": 2000}),
		"peek":  s.call("peek", args{"terminal": "w", "tail": 2000}),
		"log":   s.call("log", args{"terminal": "w"}),
		"last":  s.call("log", args{"terminal": "w", "last": true}),
		"grep":  s.call("log", args{"terminal": "w", "grep": "0"}),
		"range": s.call("log", args{"terminal": "w", "range": "1:end"}),
		"since": s.call("log", args{"terminal": "w", "since": "start"}),
	} {
		if n := len(r.Output); n > budget || n < budget/4 {
			t.Errorf("%s: %d bytes of output", name, n)
		}
		if r.Truncated == nil || r.Truncated.GetFull == "" {
			t.Errorf("%s does not say how to get the rest: %.400s", name, r.raw)
		}
	}
	// Asked for, it may be much more; a child's reply over 1 MiB is refused.
	if r := s.call("log", args{"terminal": "w", "last": true, "max_bytes": "512KiB"}); len(r.Output) < 400_000 {
		t.Errorf("%d bytes of 400 KB", len(r.Output))
	}
	s.call("run", args{"terminal": "w", "command": wide + "; " + wide + "; " + wide, "tail": 1})
	s.call("log", args{"terminal": "w", "last": true, "max_bytes": "8MiB"}).refused(envelope.CodeTooLarge)
}

func TestWaitTakesItsArguments(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.serve()
	s.call("new", args{"name": "a"}).is(envelope.StatusCreated)
	s.call("new", args{"name": "b"}).is(envelope.StatusCreated)

	s.call("run", args{"terminal": "a", "command": "read x; echo got $x; (exit 4)", "timeout": "0"}).is(envelope.StatusRunning)
	s.call("wait", args{"terminal": "a", "done": true, "timeout": "50ms"})
	s.call("send", args{"terminal": "a", "text": "it", "enter": true}).is("sent")
	s.call("wait", args{"terminal": "a", "done": true, "timeout": "20s"}).is(envelope.StatusDone).exits(4)
	s.call("wait", args{"terminal": "a", "command_id": 1, "timeout": "20s"}).is(envelope.StatusDone).exits(4)
	s.call("wait", args{"terminal": "a", "idle_ms": 50, "timeout": "20s"}).is(envelope.StatusIdle)

	// The first of several.
	s.call("run", args{"terminal": "b", "command": "echo here", "timeout": "20s"}).exits(0)
	r := s.call("wait", args{"terminals": []string{"a", "b"}, "pattern": "^here$", "since": "start", "timeout": "20s"})
	if r.is(envelope.StatusPatternFound); r.Terminal != "b" {
		t.Errorf("the first was %q", r.Terminal)
	}
	r = s.call("wait", args{"terminals": []string{"a", "b"}, "pattern": "never", "timeout": "50ms"}).is(envelope.StatusTimeout)
	if len(r.Terminals) != 2 {
		t.Errorf("rows at the timeout: %s", r.raw)
	}

	// A cursor goes back as it came, as a number or as a string.
	run := s.call("run", args{"terminal": "b", "command": "echo later"}).exits(0)
	s.call("run", args{"terminal": "b", "command": "echo latest"}).exits(0)
	for _, since := range []any{*run.Cursor, json.Number(string(appendInt(*run.Cursor))).String(), "run"} {
		s.call("wait", args{"terminal": "b", "pattern": "late", "since": since, "timeout": "20s"}).is(envelope.StatusPatternFound).says("latest")
	}

	_, note := s.begin("wait", args{"terminal": "b", "note": true, "timeout": "30s"})
	_, human := s.begin("wait", args{"terminal": "b", "human": true, "notify": true, "timeout": "30s"})
	s.call("note", args{"terminal": "b", "text": "- not today; use $(staging)"}).is("noted")
	s.end(note).is(envelope.StatusHumanDone).says("- not today; use $(staging)")
	s.end(human).is(envelope.StatusHumanDone)
	s.call("wait", args{"terminal": "nosuch"}).refused(envelope.CodeNoTerminal)
}

func appendInt(n int64) []byte { b, _ := json.Marshal(n); return b }

// TestHandOfASecret is the whole handoff by MCP: the agent never sees what the
// human types.
func TestHandOfASecret(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.serve()
	s.call("new", args{"name": "w"}).is(envelope.StatusCreated)
	r := s.call("run", args{"terminal": "w", "command": `read -rsp 'Password: ' p; echo; echo "length ${#p}"`, "timeout": "20s"})
	if r.is(envelope.StatusAwaitingInput); r.Prompt == nil || r.Prompt.Kind != envelope.KindSecret {
		t.Fatalf("prompt: %s", r.raw)
	}
	for _, n := range r.Next {
		if strings.Contains(n, "pairmux send") {
			t.Errorf("next offers to type: %s", n)
		}
	}
	_, handoff := s.begin("wait", args{"terminal": "w", "human": true, "notify": true, "timeout": "30s"})
	// The human's hand: the pane itself, not pairmux.
	pane := w.command("tmux", "-L", "pairmux", "send-keys", "-t", "=pairmux:=w", "hunter2", "Enter")
	if out, err := pane.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if r := s.end(handoff); r.Output != "" {
		t.Errorf("the reply of a handoff has output: %s", r.raw)
	}
	s.call("wait", args{"terminal": "w", "done": true, "timeout": "20s"}).exits(0)
	if log := s.call("log", args{"terminal": "w"}); strings.Contains(string(log.raw), "hunter2") || !strings.Contains(log.Output, "length 7") {
		t.Errorf("the log: %s", log.raw)
	}
}

func TestSendTakesItsArguments(t *testing.T) {
	t.Parallel()
	s := newWorld(t).serve()
	s.call("new", args{"name": "w", "cmd": "cat -A"})
	for text, want := range map[string]string{"C-c": "C-c$", "-x --y": "-x --y$", "a;": "a;$", "日本": "M-fM-^WM-%M-fM-^\\M-,$", "$(x) `y` \\": "$(x) `y` \\$"} {
		s.call("send", args{"terminal": "w", "text": text, "enter": true, "wait": `pattern=\$$`, "timeout": "20s"}).is(envelope.StatusPatternFound).says(want)
	}
	s.call("send", args{"terminal": "w", "keys": []string{"C-v", "C-a", "Enter"}, "wait": "idle", "timeout": "20s"})
	if r := s.call("peek", args{"terminal": "w", "screen": true}); !strings.Contains(r.Output, "^A$") {
		t.Errorf("the screen: %s", r.raw)
	}
	s.call("send", args{"terminal": "w", "keys": []string{"C-d"}, "wait": "done", "timeout": "20s"}).exits(0)
	s.call("send", args{"terminal": "w", "text": "x"}).refused(envelope.CodeDead)
}

func TestLogTakesItsArguments(t *testing.T) {
	t.Parallel()
	s := newWorld(t).serve()
	s.call("new", args{"name": "w"}).is(envelope.StatusCreated)
	first := s.call("run", args{"terminal": "w", "command": "seq 1 9"}).exits(0)
	s.call("run", args{"terminal": "w", "command": "echo bad >&2; (exit 5)"}).exits(5)
	s.call("log", args{"terminal": "w", "command_id": first.CmdID, "head": 1, "tail": 1}).says("1\n…\n9")
	s.call("log", args{"terminal": "w", "last": true}).says("bad")
	if r := s.call("log", args{"terminal": "w", "grep": "^5$", "context": 1}); !strings.Contains(r.Output, "-4") || !strings.Contains(r.Output, "-6") || !strings.Contains(r.Output, ":5") {
		t.Errorf("grep: %q", r.Output)
	}
	if r := s.call("log", args{"terminal": "w", "range": "1:2"}); strings.Count(r.Output, "\n") != 1 {
		t.Errorf("range: %q", r.Output)
	}
	if r := s.call("log", args{"terminal": "w", "since": *first.Cursor}); !strings.Contains(r.Output, "bad") || strings.Contains(r.Output, "7\n8") {
		t.Errorf("since: %q", r.Output)
	}
	h := s.call("log", args{"terminal": "w", "history": true})
	if len(h.History) != 2 || h.History[0].Command != "seq 1 9" {
		t.Errorf("history: %s", h.raw)
	}
	if h = s.call("log", args{"terminal": "w", "history": true, "failed": true, "tail": 5}); len(h.History) != 1 || *h.History[0].ExitCode != 5 {
		t.Errorf("failed: %s", h.raw)
	}
	s.call("log", args{"terminal": "w", "last": true, "grep": "x"}).refused(envelope.CodeBadArgs)
}

func TestNestedShell(t *testing.T) {
	t.Parallel()
	s := newWorld(t).serve()
	s.call("new", args{"name": "w"}).is(envelope.StatusCreated)
	r := s.call("run", args{"terminal": "w", "command": "env INNER=yes sh", "timeout": "20s"}).is(envelope.StatusAwaitingInput)
	if r.Prompt == nil || r.Prompt.Kind != envelope.KindShell {
		t.Errorf("prompt: %s", r.raw)
	}
	s.call("run", args{"terminal": "w", "command": "echo no"}).refused(envelope.CodeBusy)
	s.call("run", args{"terminal": "w", "command": "echo $INNER; (exit 3)", "nested": true, "timeout": "20s"}).says("yes").exits(3)
	s.call("send", args{"terminal": "w", "text": "exit", "enter": true, "wait": "done", "timeout": "20s"}).is(envelope.StatusDone)
}

func TestLsKillDoctor(t *testing.T) {
	t.Parallel()
	s := newWorld(t).serve()
	s.call("ls", args{}).is("ok")
	for _, n := range []string{"a", "b", "c"} {
		s.call("new", args{"name": n}).is(envelope.StatusCreated)
	}
	if r := s.call("ls", args{"all": true}); len(r.Terminals) != 3 || r.Terminals[0].Socket == "" {
		t.Errorf("ls: %s", r.raw)
	}
	s.call("kill", args{"terminal": "a"}).is("killed")
	s.call("kill", args{"all": true}).is("killed")
	s.call("peek", args{"terminal": "b"}).is(envelope.StatusDead)
	if r := s.call("doctor", args{}); len(r.Checks) == 0 {
		t.Errorf("doctor: %s", r.raw)
	}
}
