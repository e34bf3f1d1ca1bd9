package main

import (
	"strings"

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
	if err := t.j.Append(journal.Event{Type: journal.Note, Offset: size, Text: strings.ToValidUTF8(text, "\ufffd")}); err != nil {
		return internal(err)
	}
	r := envelope.New(envelope.StatusNoted)
	r.Terminal = t.name
	r.Next = []string{"the agent sees this note with its next run, send or peek, or as the output of " + t.line("wait", t.name, "--human")}
	return &outcome{reply: r}
}
