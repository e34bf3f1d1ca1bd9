package main

import (
	"strings"
	"unicode"

	"github.com/pairmux/pairmux/detect"
	"github.com/pairmux/pairmux/journal"
)

// A line typed ahead, by a human or by a send, may still wait in the terminal's
// queue when the shell shows its prompt. It then gets the prompt's number, and
// ours the next: the first end is not ours. The line that the shell reports, or
// its echo, tells; what only looks different (an abbreviation, an odd echo) is
// told from it by what follows: a queue goes on, a prompt stays.

// doubtSilence is how long the prompt must stand before a command that looked
// like somebody else's is taken for ours.
const doubtSilence = echoLag

// begins notes how a command that starts now was entered.
func (r *runner) begins(m detect.Mark) {
	if r.doubt != nil {
		r.reassign(*r.doubt)
	}
	r.echoFrom, r.echoTo, r.ranLine = r.s.machine.ReadyAt, m.Start, r.s.machine.Cur.Cmdline
}

// reassign moves this run to the prompt at which its line is really entered.
func (r *runner) reassign(other detect.Command) {
	r.doubt = nil
	r.started = journal.Event{Type: journal.CmdStart, CmdID: r.id, Offset: other.MarkEnd, N: r.s.machine.N, Text: r.started.Text}
	_ = r.t.j.Append(r.started)
	if !r.queued {
		r.queued = true
		r.warnings = append(r.warnings, "lines that were typed ahead ran before this command")
	}
}

// foreign reports whether the command that has just ended looks like another
// one than ours.
func (r *runner) foreign() bool {
	if strings.Contains(r.s.machine.Flags, "n") || r.t.mode() != "hooks" {
		return false
	}
	if r.named(r.ranLine) {
		return false
	}
	echo := ""
	if r.echoTo-r.echoFrom <= 64<<10 {
		_ = r.t.render(r.echoFrom, r.echoTo, func(line []byte) { echo += squeeze(string(line)) })
	}
	line := squeeze(r.line)
	switch {
	case echo == "":
		return r.ranLine != "" // echo is off: believe the shell, if it says
	case len(r.line)+r.column < 70:
		return !strings.Contains(echo, line)
	}
	// A line that wraps may be echoed with repetitions.
	return !subsequence(line, echo)
}

// named reports whether the shell's own account of a command line is ours.
func (r *runner) named(line string) bool {
	if line == "" {
		return false
	}
	first, _, _ := strings.Cut(r.o.source, "\n")
	return line == r.line || line == first || len(line) >= 2000 && strings.HasPrefix(r.line, line)
}

// squeeze drops blanks, which line editors move about.
func squeeze(s string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsSpace(c) {
			return -1
		}
		return c
	}, s)
}

// subsequence reports whether the characters of a stand in b in their order.
func subsequence(a, b string) bool {
	for i := 0; i < len(b) && a != ""; i++ {
		if b[i] == a[0] {
			a = a[1:]
		}
	}
	return a == ""
}
