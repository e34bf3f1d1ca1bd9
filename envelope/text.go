package envelope

import (
	"io"
	"strconv"
	"strings"
)

// TextOptions says how the text form is to look.
type TextOptions struct {
	Color bool // colour the status word and the labels by SGR sequences
}

const (
	outputIndent = "  "   // lines of output and of tables
	moreIndent   = "    " // further lines of a labelled value
)

// WriteText writes the reply for people, in one call of w.Write, whose error
// it returns (SPEC 5). At column 0 stand only line 1 and labelled lines, and no
// control character but LF and TAB is written, whatever the reply holds; with
// colour, the SGR sequences around the status word and the labels come on top.
func (r *Reply) WriteText(w io.Writer, o TextOptions) error {
	b := make([]byte, 0, 512+len(r.Output)+len(r.Output)/8)
	b = r.appendTextHead(b, o, r.Output != "")
	if r.Output != "" {
		b = append(b, outputIndent...)
		b = appendText(b, r.Output, outputIndent)
		b = append(b, '\n')
	}
	b = r.appendTextTail(b, o)
	_, err := w.Write(b)
	return err
}

// appendTextHead appends what stands before the output: line 1 and the tables.
func (r *Reply) appendTextHead(b []byte, o TextOptions, output bool) []byte {
	if e := r.Error; e != nil {
		b = o.paint(b, sgrError, "error "+word(e.Code)+":")
		b = append(b, ' ')
		b = appendText(b, e.Message, moreIndent)
		b = append(b, '\n')
		if facts := r.facts(output); len(facts) > 0 {
			b = append(b, outputIndent...)
			b = append(b, strings.Join(facts, "  ")...)
			b = append(b, '\n')
		}
	} else {
		b = o.paint(b, statusColor(r.shownStatus(), r.ExitCode), word(r.shownStatus()))
		for _, fact := range r.facts(output) {
			b = append(b, "  "...)
			b = append(b, fact...)
		}
		b = append(b, '\n')
	}
	b = appendTerminals(b, o, r.Terminals)
	b = appendCommands(b, r.Commands)
	b = appendHistory(b, r.History)
	return appendChecks(b, o, r.Checks)
}

// shownStatus never is empty, so that line 1 always begins with a word.
func (r *Reply) shownStatus() Status {
	switch {
	case r.Status != "":
		return r.Status
	case r.OK:
		return StatusOK
	}
	return StatusError
}

// facts lists what applies, in the order of line 1. Where rows and output stand
// in one reply the rows are counted, so that output cannot pass for a row.
func (r *Reply) facts(output bool) []string {
	var facts []string
	add := func(parts ...string) { facts = append(facts, strings.Join(parts, "")) }
	if r.Error != nil && r.Status != StatusError && r.Status != "" {
		add("status ", word(r.Status))
	}
	if r.Terminal != "" {
		add(word(r.Terminal))
	}
	if p := r.Prompt; p != nil {
		add(word(p.Kind), " (", word(p.Evidence), ")")
	}
	if r.ExitCode != nil {
		add("exit ", strconv.FormatInt(*r.ExitCode, 10))
	}
	if r.DurationMS != nil {
		add(duration(*r.DurationMS))
	}
	if r.CmdID != 0 {
		add("cmd ", strconv.FormatInt(r.CmdID, 10))
	}
	if r.Mode != "" {
		add(word(r.Mode))
	}
	if output {
		for _, rows := range []struct {
			n    int
			noun string
		}{{len(r.Terminals), "terminal"}, {len(r.Commands), "command"}, {len(r.History), "history row"}, {len(r.Checks), "check"}} {
			if rows.n > 0 {
				add(count(int64(rows.n), rows.noun))
			}
		}
	}
	return facts
}

// appendTextTail appends the labelled lines after the output.
func (r *Reply) appendTextTail(b []byte, o TextOptions) []byte {
	for _, warning := range r.Warnings {
		b = o.label(b, "warning", warning)
	}
	for _, note := range r.Notes {
		b = o.label(b, "note", note)
	}
	if t := r.Truncated; t != nil {
		left := count(t.OmittedLines, "line")
		if t.OmittedBytes != 0 {
			left += " and " + count(t.OmittedBytes, "byte")
		}
		left += " left out"
		if t.GetFull != "" {
			left += "; all of it: " + t.GetFull
		}
		b = o.label(b, "truncated", left)
	}
	if r.Cursor != nil {
		b = o.label(b, "cursor", strconv.FormatInt(*r.Cursor, 10))
	}
	if !r.hintIsMirrored() {
		b = o.label(b, "next", r.Error.Hint)
	}
	for _, next := range r.Next {
		b = o.label(b, "next", next)
	}
	return b
}

// label appends `name: value`; further lines of the value are indented, so
// that none of them can stand at column 0.
func (o TextOptions) label(b []byte, name, value string) []byte {
	b = o.paint(b, sgrLabel, name+":")
	if value != "" {
		b = append(b, ' ')
		b = appendText(b, value, moreIndent)
	}
	return append(b, '\n')
}

func count(n int64, noun string) string {
	s := strconv.FormatInt(n, 10) + " " + noun
	if n != 1 {
		s += "s"
	}
	return s
}

// duration shows milliseconds for a person, without rounding anything away:
// `101 ms`, `2.5 s`, `3 min 20.004 s`, `1 h 0 min 7 s`.
func duration(ms int64) string {
	if ms < 1000 {
		return strconv.FormatInt(ms, 10) + " ms"
	}
	seconds := strconv.FormatInt(ms/1000%60, 10)
	if part := ms % 1000; part != 0 {
		seconds += "." + strings.TrimRight(strconv.FormatInt(1000+part, 10)[1:], "0")
	}
	s := seconds + " s"
	if ms >= 60_000 {
		s = strconv.FormatInt(ms/60_000%60, 10) + " min " + s
	}
	if ms >= 3_600_000 {
		s = strconv.FormatInt(ms/3_600_000, 10) + " h " + s
	}
	return s
}

// The parameters of SGR sequences (ECMA-48, 8.3.117).
const (
	sgrGood  = "32"
	sgrBusy  = "36"
	sgrAsks  = "33"
	sgrBad   = "31"
	sgrError = "1;31"
	sgrLabel = "2"
)

func (o TextOptions) paint(b []byte, sgr, s string) []byte {
	if !o.Color || sgr == "" || s == "" {
		return append(b, s...)
	}
	b = append(b, "\x1b["...)
	b = append(b, sgr...)
	b = append(b, 'm')
	b = append(b, s...)
	return append(b, "\x1b[0m"...)
}

func statusColor(s Status, exit *int64) string {
	switch s {
	case StatusAwaitingInput, StatusUnknown, StatusTimeout, StatusDryRun:
		return sgrAsks
	case StatusRunning:
		return sgrBusy
	case StatusDead, StatusIssues, StatusError:
		return sgrBad
	}
	if exit != nil && *exit != 0 {
		return sgrBad
	}
	return sgrGood
}
