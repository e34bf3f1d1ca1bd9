package envelope

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// FieldError is one broken rule, as [Reply.Validate] reports it.
type FieldError struct {
	Field  string // its place in the JSON form, such as "terminals[2].name"
	Reason string
}

func (e *FieldError) Error() string { return e.Field + ": " + e.Reason }

// Validate checks the rules of SPEC 4 that types alone cannot express. All
// broken rules are reported together, each as a [*FieldError], joined by
// [errors.Join]. Decode and the writers do not call it: a reader has to take
// what it gets, and a writer's reply is worth more than its refusal.
func (r *Reply) Validate() error {
	var v validator
	v.head(r)
	v.numbers(r)
	v.result(r)
	v.rows(r)
	v.lines("notes", r.Notes)
	v.lines("next", r.Next)
	v.lines("warnings", r.Warnings)
	return errors.Join(v.broken...)
}

type validator struct{ broken []error }

// must reports a broken rule unless holds.
func (v *validator) must(holds bool, field, reason string, args ...any) {
	if !holds {
		v.broken = append(v.broken, &FieldError{Field: field, Reason: fmt.Sprintf(reason, args...)})
	}
}

func (v *validator) head(r *Reply) {
	v.must(r.Schema == "" || r.Schema == Schema, "schema", "is %q, not %q", r.Schema, Schema)
	v.must(known(r.Status, statuses()), "status", "unknown status %q", r.Status)
	v.must(r.OK == (r.Error == nil), "error", "present exactly when ok is false")
	v.must(r.OK == (r.Status != StatusError), "status", "%q exactly when ok is false", StatusError)
	if e := r.Error; e != nil {
		v.must(known(e.Code, codes()), "error.code", "unknown code %q", e.Code)
		v.must(e.Message != "", "error.message", "empty")
		v.must(r.hintIsMirrored(), "error.hint", "not mirrored into next")
	}
	v.must(r.Terminal == "" || isName(r.Terminal), "terminal", "%q is no terminal name", r.Terminal)
	v.must(r.Mode == "" || known(r.Mode, modes()), "mode", "unknown mode %q", r.Mode)
}

func (v *validator) numbers(r *Reply) {
	v.must(r.CmdID >= 0, "cmd_id", "negative")
	v.must(r.Cursor == nil || *r.Cursor >= 0, "cursor", "negative")
	v.must(r.DurationMS == nil || *r.DurationMS >= 0, "duration_ms", "negative")
}

func (v *validator) result(r *Reply) {
	waits := r.Status == StatusAwaitingInput
	v.must(waits == (r.Prompt != nil), "prompt", "present exactly when status is %q", StatusAwaitingInput)
	if p := r.Prompt; p != nil {
		v.must(known(p.Kind, kinds()), "prompt.kind", "unknown kind %q", p.Kind)
		v.must(known(p.Evidence, evidences()), "prompt.evidence", "unknown evidence %q", p.Evidence)
	}
	v.must(r.ExitCode == nil || !waits && r.Status != StatusRunning, "exit_code", "status %q reports no end", r.Status)
	v.must(r.Status != StatusHumanDone || r.Output != "", "output", "holds the note when status is %q", StatusHumanDone)
	if t := r.Truncated; t != nil {
		v.must(t.OmittedLines >= 0, "truncated.omitted_lines", "negative")
		v.must(t.OmittedBytes >= 0, "truncated.omitted_bytes", "negative")
		v.must(t.OmittedLines != 0 || t.OmittedBytes != 0, "truncated", "present although nothing was left out")
		v.must(t.GetFull != "", "truncated.get_full", "empty")
	}
}

func (v *validator) rows(r *Reply) {
	for i, t := range r.Terminals {
		at := fmt.Sprintf("terminals[%d].", i)
		v.must(isName(t.Name), at+"name", "%q is no terminal name", t.Name)
		v.must(known(t.Status, terminalStatuses()), at+"status", "%q is no status of a terminal", t.Status)
		v.must(t.Mode == "" || known(t.Mode, modes()), at+"mode", "unknown mode %q", t.Mode)
		v.must(t.LockPID >= 0, at+"lock_pid", "negative")
		v.must(t.Notes >= 0, at+"notes", "negative")
		v.must(t.ExitCode == nil || t.Status == StatusDead, at+"exit_code", "the terminal is not dead")
		v.must(t.Socket == "" || isSocket(t.Socket), at+"socket", "%q is no socket name", t.Socket)
		v.time(at+"last_activity", t.LastActivity)
	}
	for i, c := range r.Commands {
		at := fmt.Sprintf("commands[%d].", i)
		v.must(c.Name != "", at+"name", "empty")
		v.must(c.Group == GroupAgent || c.Group == GroupHuman, at+"group", "unknown group %q", c.Group)
		for j, f := range c.Flags {
			v.must(strings.HasPrefix(f.Name, "-"), fmt.Sprintf("%sflags[%d].name", at, j), "%q does not begin with a dash", f.Name)
		}
	}
	for i, h := range r.History {
		at := fmt.Sprintf("history[%d].", i)
		v.must(h.CmdID >= 0, at+"cmd_id", "negative")
		v.must(h.By == ByRun || h.By == ByHuman, at+"by", "unknown origin %q", h.By)
		v.must(h.By != ByRun || h.CmdID != 0, at+"cmd_id", "every run has one")
		v.must(h.DurationMS == nil || *h.DurationMS >= 0, at+"duration_ms", "negative")
		v.must(h.Bytes >= 0, at+"bytes", "negative")
		v.time(at+"started", h.Started)
	}
	for i, c := range r.Checks {
		at := fmt.Sprintf("checks[%d].", i)
		v.must(c.Name != "", at+"name", "empty")
		v.must(c.OK || c.Fix != "", at+"fix", "every failed check has one")
	}
}

func (v *validator) lines(field string, lines []string) {
	for i, line := range lines {
		v.must(line != "", fmt.Sprintf("%s[%d]", field, i), "empty")
	}
}

func (v *validator) time(field, s string) {
	if s == "" {
		return
	}
	_, err := time.Parse(time.RFC3339, s)
	v.must(err == nil && strings.HasSuffix(s, "Z"), field, "%q is not RFC 3339 in UTC", s)
}

// isName reports whether s matches ^[a-z0-9][a-z0-9_-]{0,31}$.
func isName(s string) bool {
	for i := range len(s) {
		c := s[i]
		switch {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9', i > 0 && (c == '_' || c == '-'):
		default:
			return false
		}
	}
	return 0 < len(s) && len(s) <= 32
}

// isSocket reports whether s matches ^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$.
func isSocket(s string) bool {
	for i := range len(s) {
		c := s[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', i > 0 && strings.IndexByte("._-", c) >= 0:
		default:
			return false
		}
	}
	return 0 < len(s) && len(s) <= 64
}
