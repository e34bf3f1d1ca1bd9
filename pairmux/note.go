package main

import (
	"strings"
	"unicode"

	"github.com/pairmux/pairmux/envelope"
	"github.com/pairmux/pairmux/journal"
)

// note leaves a message for whoever drives the terminal.

// maxNote keeps a note within one write and one reply.
const maxNote = 8 << 10

func runNote(c *call) *outcome {
	text := strings.Join(c.args[1:], " ")
	t, problem := c.env.open(c.args[0])
	if problem != nil {
		return problem
	}
	switch {
	case strings.TrimSpace(text) == "":
		return badArgs("the note is empty", "pairmux help note")
	case len(text) > maxNote:
		return badArgs("the note is longer than 8 KiB", "pairmux help note")
	}
	size, err := t.j.Size()
	if err != nil {
		return internal(err)
	}
	if err := t.j.Append(journal.Event{Type: journal.Note, Offset: size, Text: oneLine(text)}); err != nil {
		return internal(err)
	}
	r := envelope.New(envelope.StatusNoted)
	r.Terminal = t.name
	r.Next = []string{"the agent sees this note with its next run, send or peek, or as the output of " + t.line("wait", t.name, "--human")}
	return &outcome{reply: r}
}

// oneLine makes a note one line of printable text: replies show a note a line,
// and nothing in one may reach the reader's terminal as a control.
func oneLine(text string) string {
	text = strings.ToValidUTF8(text, "\ufffd")
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text))
}

// notesBefore lists the unseen notes in front of the newest event that is the
// caller's act, oldest first: those behind the act before it.
func (t *terminal) notesBefore(own func(journal.Event) bool) []string {
	var notes []string
	found := false
	for e := range t.j.Backward() {
		switch {
		case !found:
			found = own(e)
		case e.Type == journal.Note:
			notes = append(notes, e.Text)
		case isAct(e):
			reverse(notes)
			return notes
		}
	}
	reverse(notes)
	return notes
}

// isAct reports whether an event marks older notes as seen: a run or send whose
// reply carried them. Bookkeeping and a command that never ran do not.
func isAct(e journal.Event) bool {
	switch e.Type {
	case journal.CmdEnd:
		return e.Text != settledText && e.Text != notRun
	case journal.Sent, journal.Created:
		return true
	}
	return false
}
