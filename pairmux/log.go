package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/pairmux/pairmux/detect"
	"github.com/pairmux/pairmux/envelope"
	"github.com/pairmux/pairmux/journal"
	"github.com/pairmux/pairmux/shape"
)

// log reads the journal: a recent view by default, all that a selector names
// otherwise.

// logBytes and logLines bound the default view.
const (
	logBytes = 4 << 20
	logLines = 500
)

// selection is a stretch of the journal.
type selection struct {
	from, to int64
	note     *envelope.Reply // fields that the selector knows: ids, codes, warnings
}

func runLog(c *call) *outcome {
	if c.given("context") && !c.given("grep") {
		return usage("--context goes with --grep", "pairmux help log")
	}
	if c.given("grep") {
		if _, problem := pattern(c.text("grep")); problem != nil {
			return problem
		}
	}
	t, problem := c.logTerminal()
	if problem != nil {
		return problem
	}
	size, err := t.j.Size()
	if err != nil {
		return internal(err)
	}
	reply := envelope.New(envelope.StatusOK)
	reply.Terminal, reply.Mode = t.name, t.mode()
	reply.Warnings = t.j.Warnings()
	sel := selection{from: t.j.Base(), to: size, note: reply}
	if problem := c.choose(t, &sel); problem != nil {
		return problem
	}
	reply.Cursor = envelope.Int(sel.to)
	reply.Warnings = append(reply.Warnings, t.gapWarnings(sel.from, sel.to)...)
	reply.Warnings = append(reply.Warnings, t.sizeWarning(size)...)
	if c.given("grep") || c.given("range") || c.text("since") == "start" {
		if begun := t.beginning(); sel.from > begun {
			reply.Warnings = append(reply.Warnings, fmt.Sprintf("the first %d bytes were rotated away: lines are counted from what is kept", sel.from-begun))
		}
	}
	if c.bool("raw") {
		return c.rawLog(t, sel)
	}
	switch {
	case c.given("grep"):
		return c.grepLog(t, sel)
	case c.given("range"):
		return c.rangeLog(t, sel)
	case c.given("cmd"), c.bool("last"), c.given("since"):
		return c.stream(t, sel, func(sel selection, emit lineFunc) error {
			return t.lines(sel.from, sel.to, emit)
		})
	}
	return c.recentLog(t, sel)
}

// logTerminal opens the terminal, or the one that had its name before.
func (c *call) logTerminal() (*terminal, *outcome) {
	name := c.args[0]
	if !c.bool("prev") {
		return c.env.open(name)
	}
	if !journal.ValidName(name) {
		return nil, badName(name)
	}
	dir := journal.Namespace(c.env.root, c.env.endpoint) + "/" + name + ".prev"
	j, err := journal.Open(dir)
	if errors.Is(err, journal.ErrNotFound) {
		return nil, fail(envelope.CodeNoTerminal, fmt.Sprintf("no earlier terminal had the name %q", name), c.env.line("log", name))
	}
	if err != nil {
		return nil, internal(err)
	}
	return c.env.wrap(name, j), nil
}

// choose narrows the selection to what the selector names.
func (c *call) choose(t *terminal, sel *selection) *outcome {
	switch {
	case c.given("cmd"), c.bool("last"):
		return c.chooseCommand(t, sel)
	case c.given("since"):
		return c.chooseSince(t, sel)
	}
	return nil
}

func (c *call) chooseCommand(t *terminal, sel *selection) *outcome {
	var start, end *journal.Event
	if c.bool("last") {
		if start, end = t.newestCommand(); start == nil {
			return badArgs(fmt.Sprintf("no run has been made in %q", t.name), t.runHint())
		}
	} else {
		var err error
		if start, end, err = t.command(c.int("cmd")); err != nil {
			return internal(err)
		}
		if start == nil && end == nil {
			return t.noCommand(c.int("cmd"))
		}
	}
	r := sel.note
	if end == nil {
		// The journal alone answers: the marks behind the start.
		s := &state{recent: recent{start: start}, pending: start}
		if err := t.replay(s); err != nil {
			return internal(err)
		}
		if isNested(*start) {
			return c.chooseNested(t, sel, *start)
		}
		found, err := t.finished(s, *start)
		if err != nil {
			return internal(err)
		}
		r.CmdID = start.CmdID
		sel.from, sel.to = max(found.Start, start.Offset), found.End
		if !found.HasStatus && s.machine.Phase != detect.Exited {
			if s.machine.Phase == detect.Open && s.machine.Cur.Start > sel.from {
				sel.from = s.machine.Cur.Start
			}
			r.Next = []string{t.line("wait", t.name, "--done", "--cmd", itoa(start.CmdID))}
			return c.kept(t, sel)
		}
		if found.HasStatus {
			r.ExitCode = envelope.Int(found.Status)
		}
		if found.HasTook {
			r.DurationMS = envelope.Int(found.Took)
		}
		return c.kept(t, sel)
	}
	r.CmdID = end.CmdID
	r.ExitCode, r.DurationMS = end.ExitCode, end.DurationMS
	if end.ExitCode == nil && end.Text != notRun {
		r.Warnings = append(r.Warnings, "the exit code is unknown")
	}
	if end.Text == notRun {
		r.Warnings = append(r.Warnings, "this command did not run")
	}
	sel.from, sel.to = end.Start, end.Offset
	return c.kept(t, sel)
}

// chooseNested selects the output of a nested run that has not been reported.
func (c *call) chooseNested(t *terminal, sel *selection, start journal.Event) *outcome {
	inner := &state{scanned: start.Offset, machine: nestedMachine(start)}
	found := detect.Command{Start: start.Offset, End: sel.to}
	err := t.scan(inner, sel.to, func(_ detect.Mark, ch detect.Change) {
		if last := inner.machine.Last; ch == detect.Finished && last.Run == itoa(start.CmdID) {
			found = last
		}
	})
	if err != nil {
		return internal(err)
	}
	sel.note.CmdID = start.CmdID
	if !found.HasStatus && inner.machine.Phase == detect.Open {
		found.Start = inner.machine.Cur.Start
	}
	if found.HasStatus {
		sel.note.ExitCode = envelope.Int(found.Status)
	} else {
		sel.note.Next = []string{t.line("wait", t.name)}
	}
	sel.from, sel.to = found.Start, found.End
	return c.kept(t, sel)
}

// kept moves the selection's begin to the oldest byte there is, and says so.
func (c *call) kept(t *terminal, sel *selection) *outcome {
	base := t.j.Base()
	if sel.from >= base {
		return nil
	}
	missing := min(base, sel.to) - sel.from
	sel.note.Warnings = append(sel.note.Warnings, fmt.Sprintf("the first %d bytes are no longer kept", missing))
	full := c.wholeLog(t)
	if _, err := os.Stat(t.j.Dir() + ".prev"); err == nil && !c.bool("prev") && sel.from < t.beginning() {
		full = t.line("log", t.name, "--prev", "--range", "1:end")
	}
	sel.note.Truncated = &envelope.Truncated{OmittedBytes: missing, GetFull: full}
	sel.from = min(base, sel.to)
	return nil
}

// beginning is the offset at which this journal began, before any rotation.
func (t *terminal) beginning() int64 {
	for e, err := range t.j.Events() {
		if err == nil && e.Type == journal.Created {
			return e.Offset
		}
		break
	}
	return 0
}

func (c *call) chooseSince(t *terminal, sel *selection) *outcome {
	pos, word, _ := parseCursor(c.text("since"))
	switch word {
	case "start":
		return nil
	case "run":
		start, end := t.newestCommand()
		if start == nil {
			return badArgs(fmt.Sprintf("no run has been made in %q", t.name), t.runHint())
		}
		pos = start.Offset
		if end != nil {
			pos = end.Start
		} else if s := (&state{recent: recent{start: start}, pending: start}); t.replay(s) == nil {
			if found, err := t.finished(s, *start); err == nil && found.Start > pos {
				pos = found.Start
			} else if s.machine.Phase == detect.Open {
				pos = max(pos, s.machine.Cur.Start)
			}
		}
	}
	if pos > sel.to {
		return badArgs(fmt.Sprintf("--since %d is beyond the journal's end at %d", pos, sel.to), t.line("peek", t.name))
	}
	sel.from = pos
	return c.kept(t, sel)
}

// recentLog is the default: the last lines of the last bytes.
func (c *call) recentLog(t *terminal, sel selection) *outcome {
	r := sel.note
	full := c.wholeLog(t)
	from := max(sel.from, sel.to-logBytes)
	l := c.limits()
	switch {
	case !c.given("head") && !c.given("tail"):
		l.Head, l.Tail = 0, logLines
	case !c.given("head"):
		l.Head = 0
	case !c.given("tail"):
		l.Tail = 0
	}
	if err := t.fill(r, from, sel.to, l, full); err != nil {
		return internal(err)
	}
	skipped(r, from-sel.from, full)
	return &outcome{reply: r}
}

// wholeLog is the command that returns all that is kept.
func (c *call) wholeLog(t *terminal) string {
	if c.bool("prev") {
		return t.line("log", t.name, "--prev", "--range", "1:end")
	}
	return t.line("log", t.name, "--range", "1:end")
}

// lineFunc takes a line, or what continues the one before.
type lineFunc func(line []byte, continued bool) error

// stream writes all that produce emits, uncapped, in bounded memory; limits
// that the caller gave are kept.
func (c *call) stream(t *terminal, sel selection, produce func(selection, lineFunc) error) *outcome {
	r := sel.note
	if c.given("head") || c.given("tail") || c.given("max-bytes") {
		l := shape.Limits{Head: -1, Tail: -1, MaxBytes: c.size("max-bytes")}
		if c.given("head") || c.given("tail") {
			l.Head, l.Tail = int(c.int("head")), int(c.int("tail"))
		}
		w := shape.NewWindow(l)
		err := retried(t, sel, produce, func(b []byte, continued bool) error {
			if continued {
				w.Extend(b)
			} else {
				w.Add(b)
			}
			return nil
		})
		if err != nil {
			return internal(err)
		}
		res := w.Result()
		r.Output = res.Text
		if res.OmittedLines > 0 || res.OmittedBytes > 0 {
			if r.Truncated == nil {
				r.Truncated = &envelope.Truncated{}
			}
			r.Truncated.OmittedLines += res.OmittedLines
			r.Truncated.OmittedBytes += res.OmittedBytes
			r.Truncated.GetFull = c.withoutLimits()
		}
		return &outcome{reply: r}
	}
	return &outcome{reply: r, stream: func(w io.Writer) error {
		first := true
		return retried(t, sel, produce, func(b []byte, continued bool) error {
			if !first && !continued {
				if _, err := w.Write(newline); err != nil {
					return err
				}
			}
			first = false
			_, err := w.Write(b)
			return err
		})
	}}
}

var newline = []byte{'\n'}

// retried has lines produced, and once more from what is still kept where a
// rotation took the first of them just before they were read.
func retried(t *terminal, sel selection, produce func(selection, lineFunc) error, emit lineFunc) error {
	for {
		began := false
		err := produce(sel, func(line []byte, continued bool) error {
			began = true
			return emit(line, continued)
		})
		if began || !errors.Is(err, journal.ErrRotatedAway) {
			return err
		}
		if _, e := t.j.Size(); e != nil || t.j.Base() <= sel.from {
			return err
		}
		sel.from = min(t.j.Base(), sel.to)
	}
}

// withoutLimits is this call again, returning everything.
func (c *call) withoutLimits() string {
	words := []string{"log", c.args[0]}
	for _, name := range []string{"cmd", "grep", "range", "since", "context"} {
		if c.given(name) {
			words = append(words, "--"+name, c.text(name))
		}
	}
	for _, name := range []string{"last", "prev"} {
		if c.bool(name) {
			words = append(words, "--"+name)
		}
	}
	return c.env.line(words...)
}

func (c *call) rangeLog(t *terminal, sel selection) *outcome {
	a, b, _ := parseSpan(c.text("range"))
	return c.stream(t, sel, func(sel selection, emit lineFunc) error {
		p, err := t.placeBefore(c.ctx, sel.from, sel.to, a)
		if err != nil {
			return err
		}
		from, end, last := sel.from+p.Offset, b, int64(0)
		if b >= 0 {
			end -= p.Line
		}
		return shape.Range(t.j.Section(from, sel.to), a-p.Line, end, t.shown(from), func(n int64, line []byte) error {
			continued := n == last
			last = n
			return emit(line, continued)
		})
	})
}

func (c *call) grepLog(t *terminal, sel selection) *outcome {
	re := regexp.MustCompile(c.text("grep")) // checked before
	return c.stream(t, sel, func(sel selection, emit lineFunc) error {
		o := shape.GrepOptions{Pattern: re, Context: int(c.int("context")), Options: t.shown(sel.from)}
		o.Gap = func() error { return emit([]byte("--"), false) }
		var buf []byte
		return shape.Grep(c.ctx, t.j.Section(sel.from, sel.to), o, func(n int64, line []byte, match bool) error {
			sep := byte('-')
			if match {
				sep = ':'
			}
			buf = append(append(strconv.AppendInt(buf[:0], n, 10), sep), line...)
			return emit(buf, false)
		})
	})
}

// rawLog writes the selected bytes themselves.
func (c *call) rawLog(t *terminal, sel selection) *outcome {
	if c.given("grep") || c.given("range") {
		return badArgs("--raw selects bytes; it does not go with lines (--grep, --range)", t.line("log", t.name, "--raw"))
	}
	if st, err := os.Stdout.Stat(); err == nil && st.Mode()&os.ModeCharDevice != 0 && isTerminal(os.Stdout) {
		return badArgs("--raw would send a pane's control sequences to this terminal; redirect it", t.line("log", t.name)+" --raw | less")
	}
	for _, w := range sel.note.Warnings {
		fmt.Fprintln(os.Stderr, "pairmux: "+strings.ToValidUTF8(w, "?"))
	}
	return &outcome{raw: func(w io.Writer) error {
		_, err := io.CopyBuffer(struct{ io.Writer }{w}, t.j.Section(sel.from, sel.to), make([]byte, 256<<10))
		return err
	}}
}
