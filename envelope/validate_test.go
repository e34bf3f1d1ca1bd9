package envelope

import (
	"errors"
	"fmt"
	"testing"
)

// One row a rule: a reply that breaks it alone, and the field that is named.
func TestValidateNamesTheBrokenRule(t *testing.T) {
	ok := func(fill func(*Reply)) *Reply {
		r := New(StatusOK)
		fill(r)
		return r
	}
	for _, c := range []struct {
		clause, field string
		reply         *Reply
	}{
		{"1.2", "schema", ok(func(r *Reply) { r.Schema = "pairmux.v2" })},
		{"4.1", "status", New("")},
		{"3.1", "status", New("on-fire")},
		{"4.1", "status", New(StatusError)},
		{"4.1", "status", &Reply{Status: StatusOK, Error: &Error{Code: CodeTmux, Message: "m"}}},
		{"4.1", "error", &Reply{Status: StatusError}},
		{"4.1", "error", ok(func(r *Reply) { r.Error = &Error{Code: CodeTmux, Message: "m"} })},
		{"3.3", "error.code", Fail("E_LATER", "m", "")},
		{"4.2", "error.message", Fail(CodeTmux, "", "")},
		{"4.2", "error.hint", &Reply{Status: StatusError, Next: []string{"other"}, Error: &Error{CodeTmux, "m", "hint"}}},
		{"4.3", "terminal", ok(func(r *Reply) { r.Terminal = "../x" })},
		{"3.2", "mode", ok(func(r *Reply) { r.Mode = "hooks-no-C" })},
		{"4.4", "prompt", New(StatusAwaitingInput)},
		{"4.4", "prompt", ok(func(r *Reply) { r.Prompt = &Prompt{KindText, EvidenceTTY} })},
		{"3.4", "prompt.kind", awaiting("t", "riddle", EvidenceTTY, "")},
		{"3.4", "prompt.evidence", awaiting("t", KindText, "dreams", "")},
		{"4.5", "exit_code", func() *Reply { r := New(StatusRunning); r.ExitCode = Int(0); return r }()},
		{"4.5", "exit_code", func() *Reply { r := awaiting("t", KindText, EvidenceTTY, ""); r.ExitCode = Int(0); return r }()},
		{"4.6", "cmd_id", ok(func(r *Reply) { r.CmdID = -1 })},
		{"4.6", "cursor", ok(func(r *Reply) { r.Cursor = Int(-1) })},
		{"4.6", "duration_ms", ok(func(r *Reply) { r.DurationMS = Int(-1) })},
		{"4.6", "truncated.omitted_lines", ok(func(r *Reply) { r.Truncated = &Truncated{-1, 0, "g"} })},
		{"4.6", "truncated.omitted_bytes", ok(func(r *Reply) { r.Truncated = &Truncated{1, -1, "g"} })},
		{"4.7", "truncated", ok(func(r *Reply) { r.Truncated = &Truncated{0, 0, "g"} })},
		{"4.7", "truncated.get_full", ok(func(r *Reply) { r.Truncated = &Truncated{1, 0, ""} })},
		{"4.8", "output", New(StatusHumanDone)},
		{"4.3", "terminals[1].name", rowsOf(Terminal{Name: "a", Status: StatusIdle}, Terminal{Name: "A", Status: StatusIdle})},
		{"4.9", "terminals[0].status", rowsOf(Terminal{Name: "a", Status: StatusDone})},
		{"3.2", "terminals[0].mode", rowsOf(Terminal{Name: "a", Status: StatusIdle, Mode: "x"})},
		{"4.6", "terminals[0].lock_pid", rowsOf(Terminal{Name: "a", Status: StatusIdle, LockPID: -1})},
		{"4.6", "terminals[0].notes", rowsOf(Terminal{Name: "a", Status: StatusIdle, Notes: -1})},
		{"4.5", "terminals[0].exit_code", rowsOf(Terminal{Name: "a", Status: StatusIdle, ExitCode: Int(0)})},
		{"4.3", "terminals[0].socket", rowsOf(Terminal{Name: "a", Status: StatusIdle, Socket: "a/b"})},
		{"4.10", "terminals[0].last_activity", rowsOf(Terminal{Name: "a", Status: StatusIdle, LastActivity: "2026-07-20T09:14:03+02:00"})},
		{"4.9", "commands[0].name", ok(func(r *Reply) { r.Commands = []Command{{Group: GroupAgent}} })},
		{"3.5", "commands[0].group", ok(func(r *Reply) { r.Commands = []Command{{Name: "run", Group: "cat"}} })},
		{"4.9", "commands[0].flags[0].name", ok(func(r *Reply) {
			r.Commands = []Command{{Name: "run", Group: GroupHuman, Flags: []Flag{{Name: "timeout"}}}}
		})},
		{"3.5", "history[0].by", ok(func(r *Reply) { r.History = []HistoryRow{{CmdID: 1, By: "cat"}} })},
		{"4.6", "history[0].cmd_id", ok(func(r *Reply) { r.History = []HistoryRow{{CmdID: -1, By: ByHuman}} })},
		{"4.9", "history[0].cmd_id", ok(func(r *Reply) { r.History = []HistoryRow{{By: ByRun}} })},
		{"4.6", "history[0].duration_ms", ok(func(r *Reply) { r.History = []HistoryRow{{By: ByHuman, DurationMS: Int(-1)}} })},
		{"4.6", "history[0].bytes", ok(func(r *Reply) { r.History = []HistoryRow{{By: ByHuman, Bytes: -1}} })},
		{"4.10", "history[0].started", ok(func(r *Reply) { r.History = []HistoryRow{{By: ByHuman, Started: "yesterday"}} })},
		{"4.9", "checks[0].name", ok(func(r *Reply) { r.Checks = []Check{{OK: true}} })},
		{"4.9", "checks[0].fix", ok(func(r *Reply) { r.Checks = []Check{{Name: "tmux"}} })},
		{"4.11", "notes[0]", ok(func(r *Reply) { r.Notes = []string{""} })},
		{"4.11", "next[1]", ok(func(r *Reply) { r.Next = []string{"x", ""} })},
		{"4.11", "warnings[0]", ok(func(r *Reply) { r.Warnings = []string{""} })},
	} {
		t.Run(fmt.Sprintf("SPEC %s %s", c.clause, c.field), func(t *testing.T) {
			err := c.reply.Validate()
			joined, _ := err.(interface{ Unwrap() []error })
			var broken *FieldError
			if joined == nil || len(joined.Unwrap()) != 1 || !errors.As(err, &broken) || broken.Field != c.field {
				t.Errorf("got %v, want one complaint about %s", err, c.field)
			}
		})
	}
}

func rowsOf(rows ...Terminal) *Reply {
	r := New(StatusOK)
	r.Terminals = rows
	return r
}

func TestValidateReportsAllBrokenRules(t *testing.T) {
	r := &Reply{Schema: "x", Status: StatusOK, OK: true, CmdID: -1, Terminal: "-"}
	joined, _ := r.Validate().(interface{ Unwrap() []error })
	if joined == nil || len(joined.Unwrap()) != 3 {
		t.Errorf("got %v", r.Validate())
	}
}

// SPEC 4.3
func TestNames(t *testing.T) {
	long := "a2345678901234567890123456789012"
	for s, want := range map[string][2]bool{
		"a": {true, true}, "0_-": {true, true}, long: {true, true}, long + "3": {false, true}, long + long: {false, true}, long + long + "x": {false, false},
		"": {false, false}, "-a": {false, false}, "_a": {false, false}, ".a": {false, false}, "A": {false, true}, "a.B_c-9": {false, true},
		"a b": {false, false}, "a/b": {false, false}, "a\n": {false, false}, "é": {false, false},
	} {
		if got := [2]bool{isName(s), isSocket(s)}; got != want {
			t.Errorf("%q: name, socket %v, want %v", s, got, want)
		}
	}
}

// SPEC 4.2
func TestFailMirrorsItsHint(t *testing.T) {
	r := Fail(CodeNoTerminal, "no terminal \"x\"", "pairmux ls")
	if len(r.Next) != 1 || r.Next[0] != "pairmux ls" || r.Validate() != nil {
		t.Errorf("next %q, %v", r.Next, r.Validate())
	}
	if r = Fail(CodeTmux, "no tmux", ""); r.Next != nil || r.Validate() != nil {
		t.Errorf("next %q, %v", r.Next, r.Validate())
	}
	if got := r.Error.Error(); got != "E_TMUX: no tmux" {
		t.Errorf("as an error: %q", got)
	}
}
