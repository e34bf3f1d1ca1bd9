package main

import (
	"cmp"
	"slices"
	"time"

	"github.com/pairmux/pairmux/detect"
	"github.com/pairmux/pairmux/envelope"
	"github.com/pairmux/pairmux/journal"
)

// history lists what a terminal ran: the runs by the index, a human's commands
// by the marks between them.

func runHistory(c *call) *outcome {
	t, problem := c.env.open(c.args[0])
	if problem != nil {
		return problem
	}
	rows, err := t.history()
	if err != nil {
		return internal(err)
	}
	if c.bool("failed") {
		var failed []envelope.HistoryRow
		for _, row := range rows {
			if row.ExitCode != nil && *row.ExitCode != 0 {
				failed = append(failed, row)
			}
		}
		rows = failed
	}
	if n := int(c.int("tail")); len(rows) > n {
		rows = rows[len(rows)-n:]
	}
	r := envelope.New(envelope.StatusOK)
	r.Terminal, r.Mode = t.name, t.mode()
	r.Warnings = t.j.Warnings()
	r.History = rows
	if len(rows) == 0 && !t.program() {
		r.Next = []string{t.runHint()}
	}
	return &outcome{reply: r}
}

// historyRow is a row and where its command stood, for sorting.
type historyRow struct {
	at  int64
	row envelope.HistoryRow
}

func (t *terminal) history() ([]envelope.HistoryRow, error) {
	starts := map[int64]journal.Event{} // by id
	ends := map[int64]journal.Event{}
	byPrompt := map[int64]int64{} // prompt counter → id
	var order []int64
	for e, err := range t.j.Events() {
		if err != nil {
			continue // a damaged line is no command
		}
		switch e.Type {
		case journal.CmdStart:
			if _, twice := starts[e.CmdID]; !twice {
				order = append(order, e.CmdID)
			}
			starts[e.CmdID] = e
			byPrompt[e.N] = e.CmdID
		case journal.CmdEnd:
			ends[e.CmdID] = e
		}
	}
	marked, err := t.marked()
	if err != nil {
		return nil, err
	}
	var list []historyRow
	for _, id := range order {
		start := starts[id]
		end, ended := ends[id]
		if ended && end.Text == notRun {
			continue
		}
		row := envelope.HistoryRow{CmdID: id, Command: start.Text, By: envelope.ByRun, Started: stamp(start.TS)}
		if !ended {
			for _, c := range marked {
				if sameCommand(c, start) && c.Start >= start.Offset {
					end, ended = eventOf(c), true
				}
			}
		}
		if ended {
			row.ExitCode, row.DurationMS, row.Bytes = end.ExitCode, end.DurationMS, end.Offset-end.Start
		}
		list = append(list, historyRow{start.Offset, row})
	}
	for _, c := range marked {
		if id, run := byPrompt[c.N]; run && c.Start >= starts[id].Offset || c.Run != "" {
			continue
		}
		e := eventOf(c)
		row := envelope.HistoryRow{
			Command: c.Cmdline, By: envelope.ByHuman, ExitCode: e.ExitCode, DurationMS: e.DurationMS, Bytes: e.Offset - e.Start,
		}
		if c.Began > 0 {
			row.Started = stamp(time.UnixMicro(c.Began))
		}
		if row.Command == "" {
			row.Command = "(unknown)"
		}
		list = append(list, historyRow{c.Start, row})
	}
	slices.SortStableFunc(list, func(a, b historyRow) int { return cmp.Compare(a.at, b.at) })
	rows := make([]envelope.HistoryRow, len(list))
	for i := range list {
		rows[i] = list[i].row
	}
	return rows, nil
}

// marked reads every command that marks delimit, oldest first.
func (t *terminal) marked() ([]detect.Command, error) {
	if t.program() || t.mode() != envelope.ModeHooks {
		return nil, nil
	}
	size, err := t.j.Size()
	if err != nil {
		return nil, err
	}
	s := &state{machine: t.newMachine(), scanned: t.j.Base()}
	var all []detect.Command
	echo := ""
	err = t.scan(s, size, func(m detect.Mark, c detect.Change) {
		switch c {
		case detect.Started:
			// Shells that tell the line only with the next prompt echo it too.
			echo = ""
			if s.machine.Cur.Cmdline == "" {
				echo = t.echo(s.machine.ReadyAt, m.Start)
			}
		case detect.Finished:
			last := s.machine.Last
			if last.Cmdline == "" {
				last.Cmdline = echo
			}
			all = append(all, last)
			if s.machine.Last.Start < 0 {
				all = all[:len(all)-1] // began before what is kept
			}
		case detect.Prompted:
			// The command line comes with the prompt behind the end.
			if n := len(all); n > 0 && all[n-1].N == s.machine.Last.N && s.machine.Last.Cmdline != "" {
				all[n-1].Cmdline = s.machine.Last.Cmdline
			}
		}
	})
	return all, err
}

func eventOf(c detect.Command) journal.Event {
	e := journal.Event{Start: c.Start, Offset: c.End}
	if c.HasStatus {
		e.ExitCode = envelope.Int(c.Status)
	}
	if c.HasTook {
		e.DurationMS = envelope.Int(c.Took)
	}
	return e
}

func stamp(ts time.Time) string {
	if ts.IsZero() {
		return ""
	}
	return ts.UTC().Format(time.RFC3339)
}
