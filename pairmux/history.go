package main

import (
	"cmp"
	"errors"
	"io"
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
	h := &history{t: t, failed: c.bool("failed"), most: int(c.int("tail"))}
	rows, err := h.read()
	if err != nil {
		return internal(err)
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

// history collects the newest rows that are wanted, in memory that does not
// grow with the journal: the index is read from its end, and the marks only
// from the oldest run that can still be a row.
type history struct {
	t      *terminal
	failed bool
	most   int

	rows []historyRow // runs
	open []openRun    // runs without an end in the index, newest first
	runs []runStart   // every run behind from
	from int64
	// outputs are where the large outputs of runs end, by their first byte:
	// nothing in them can be a mark of ours.
	outputs map[int64]int64

	humans []humanRow // oldest first
}

// historyRow is a row and where its command stood, for sorting.
type historyRow struct {
	at  int64
	row envelope.HistoryRow
}

type openRun struct {
	start journal.Event
	row   int // in rows
}

type runStart struct {
	offset, n int64
	output    int64 // where its output begins, as far as the index knows
}

type humanRow struct {
	detect.Command
	echoFrom, echoTo int64
}

// largeOutput is what is worth passing over.
const largeOutput = 1 << 20

func (h *history) read() ([]envelope.HistoryRow, error) {
	if h.most == 0 {
		return nil, nil
	}
	h.readIndex()
	if err := h.readMarks(); err != nil {
		return nil, err
	}
	list := h.rows
	if h.failed {
		list = slices.DeleteFunc(list, func(r historyRow) bool { return !failed(r.row.ExitCode) })
	}
	for _, c := range h.humans {
		list = append(list, historyRow{c.Start, h.human(c)})
	}
	slices.SortStableFunc(list, func(a, b historyRow) int { return cmp.Compare(a.at, b.at) })
	list = list[max(0, len(list)-h.most):]
	rows := make([]envelope.HistoryRow, len(list))
	for i := range list {
		rows[i] = list[i].row
	}
	return rows, nil
}

func failed(code *int64) bool { return code != nil && *code != 0 }

// readIndex takes the runs, newest first, until there are enough.
func (h *history) readIndex() {
	h.from = h.t.j.Base()
	h.outputs = map[int64]int64{}
	ends := map[int64]journal.Event{} // whose start has not been met
	last := int64(-1)
	wanted := 0
	for e := range h.t.j.Backward() {
		switch e.Type {
		case journal.CmdEnd:
			if _, twice := ends[e.CmdID]; !twice && e.CmdID != last {
				ends[e.CmdID] = e
			}
			if e.Offset-e.Start >= largeOutput {
				h.outputs[e.Start] = e.Offset
			}
		case journal.CmdStart:
			if e.CmdID == last {
				continue
			}
			last = e.CmdID
			end, ended := ends[e.CmdID]
			if delete(ends, e.CmdID); len(ends) > 1000 {
				clear(ends) // ends of nothing
			}
			h.runs = append(h.runs, runStart{e.Offset, e.N, end.Start})
			if ended && (end.Text == notRun || h.failed && !failed(end.ExitCode)) {
				continue
			}
			row := envelope.HistoryRow{CmdID: e.CmdID, Command: e.Text, By: envelope.ByRun, Started: stamp(e.TS)}
			if ended {
				finishRow(&row, end)
				wanted++
			} else {
				h.open = append(h.open, openRun{e, len(h.rows)})
			}
			h.rows = append(h.rows, historyRow{e.Offset, row})
			if wanted == h.most {
				h.from = max(h.from, e.Offset)
				slices.Reverse(h.runs)
				return
			}
		}
	}
	slices.Reverse(h.runs)
}

// readMarks reads what marks delimit behind h.from: the ends that no reply has
// recorded, and the commands that a human typed.
func (h *history) readMarks() error {
	t := h.t
	if t.program() || t.mode() != envelope.ModeHooks {
		return nil
	}
	size, err := t.j.Size()
	if err != nil {
		return err
	}
	m, scanner := t.newMachine(), detect.Scanner{}
	var echo [2]int64
	at, next := h.from, h.from
	take := func(k detect.Mark) {
		switch m.Feed(k) {
		case detect.Started:
			echo = [2]int64{m.ReadyAt, k.Start}
			next = max(next, h.outputs[m.Cur.Start])
		case detect.Finished:
			if m.Last.Start >= 0 { // else it began before what is kept
				h.ended(m.Last, echo)
			}
		case detect.Prompted:
			// Some shells tell the command line with the prompt behind the end.
			if n := len(h.humans); n > 0 && h.humans[n-1].N == m.Last.N && m.Last.Cmdline != "" {
				h.humans[n-1].Cmdline = m.Last.Cmdline
			}
		}
	}
	buf := make([]byte, 1<<20)
	for at < size {
		n, err := t.j.ReadAt(buf[:min(int64(len(buf)), size-at)], at)
		if n > 0 {
			scanner.Feed(buf[:n], at, take)
			if at += int64(n); next > at {
				at, scanner = next, detect.Scanner{}
			}
			continue
		}
		switch {
		case errors.Is(err, journal.ErrRotatedAway):
			at, scanner = max(t.j.Base(), at+1), detect.Scanner{}
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
	}
	return nil
}

// ended takes a command whose end was marked.
func (h *history) ended(c detect.Command, echo [2]int64) {
	for _, o := range h.open {
		if sameCommand(c, o.start) && c.Start >= o.start.Offset {
			finishRow(&h.rows[o.row].row, eventOf(c))
			return
		}
	}
	if c.Run != "" || h.isRun(c) || h.failed && !(c.HasStatus && c.Status != 0) {
		return
	}
	h.humans = append(h.humans, humanRow{c, echo[0], echo[1]})
	if len(h.humans) >= 2*h.most+64 {
		h.humans = append(h.humans[:0], h.humans[len(h.humans)-h.most:]...)
	}
}

// isRun reports whether a run typed the command: one at that prompt or, where
// the journal's end did not tell the run which prompt it was, with that output.
func (h *history) isRun(c detect.Command) bool {
	i, _ := slices.BinarySearchFunc(h.runs, c.Start, func(r runStart, at int64) int { return cmp.Compare(r.offset, at+1) })
	for i--; i >= 0; i-- {
		if h.runs[i].n == c.N || h.runs[i].output == c.Start {
			return true
		}
		if h.runs[i].n < c.N {
			break
		}
	}
	return false
}

// human makes the row of a command that a human typed.
func (h *history) human(c humanRow) envelope.HistoryRow {
	row := envelope.HistoryRow{By: envelope.ByHuman, Command: c.Cmdline}
	finishRow(&row, eventOf(c.Command))
	if row.Command == "" {
		row.Command = h.t.echo(c.echoFrom, c.echoTo)
	}
	if row.Command == "" {
		row.Command = "(unknown)"
	}
	if c.Began > 0 {
		row.Started = stamp(time.UnixMicro(c.Began))
	}
	return row
}

func finishRow(row *envelope.HistoryRow, end journal.Event) {
	row.ExitCode, row.DurationMS, row.Bytes = end.ExitCode, end.DurationMS, end.Offset-end.Start
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
