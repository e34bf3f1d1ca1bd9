package main

import (
	"fmt"
	"strconv"

	"github.com/pairmux/pairmux/detect"
	"github.com/pairmux/pairmux/journal"
)

// command finds a run's start and end in the index, newest first.
func (t *terminal) command(id int64) (start, end *journal.Event, err error) {
	for e := range t.j.Backward() {
		if e.CmdID != id {
			continue
		}
		switch e.Type {
		case journal.CmdEnd:
			end = &e
		case journal.CmdStart:
			return &e, end, nil
		}
	}
	return nil, end, nil
}

// startOf finds the newest run that typed at prompt n.
func (t *terminal) startOf(n int64) *journal.Event {
	for e := range t.j.Backward() {
		if e.Type == journal.CmdStart && !isNested(e) {
			if e.N == n {
				return &e
			}
			if e.N < n {
				return nil
			}
		}
	}
	return nil
}

// idOf is the run that a finished command belongs to, 0 for a human's.
func (t *terminal) idOf(c detect.Command) int64 {
	if c.Run != "" {
		id, _ := strconv.ParseInt(c.Run, 10, 64)
		return id
	}
	if e := t.startOf(c.N); e != nil {
		return e.CmdID
	}
	return 0
}

// noCommand names the ids there are.
func (t *terminal) noCommand(id int64) *outcome {
	highest, err := t.j.MaxCmdID()
	if err != nil {
		return internal(err)
	}
	message := fmt.Sprintf("terminal %q has no command %d", t.name, id)
	if highest > 0 {
		message += fmt.Sprintf("; the newest is %d", highest)
	}
	return badArgs(message, t.line("history", t.name))
}

// newestCommand is the newest run that did run.
func (t *terminal) newestCommand() (start, end *journal.Event) {
	skip := map[int64]bool{}
	for e := range t.j.Backward() {
		switch e.Type {
		case journal.CmdEnd:
			if e.Text == notRun {
				skip[e.CmdID] = true
			} else if end == nil {
				end = &e
			}
		case journal.CmdStart:
			if skip[e.CmdID] {
				continue
			}
			if end != nil && end.CmdID != e.CmdID {
				end = nil
			}
			return &e, end
		}
	}
	return nil, end
}
