package main

import (
	"context"
	"path/filepath"
	"slices"
	"sync"

	"github.com/pairmux/pairmux/envelope"
	"github.com/pairmux/pairmux/journal"
)

// ls lists the terminals of this socket, or of every socket of the state
// directory, with their derived states.

func runLs(c *call) *outcome {
	ctx := c.ctx
	r := envelope.New(envelope.StatusOK)
	names, err := journal.Terminals(c.env.root, c.env.endpoint)
	if err != nil {
		return internal(err)
	}
	list(ctx, c.env, r, names, func(name string) (*journal.Journal, error) {
		return journal.Find(c.env.root, c.env.endpoint, name)
	})
	if !c.bool("all") {
		for i := range r.Terminals {
			r.Terminals[i].Socket = ""
		}
	} else {
		if err := others(ctx, c.env, r); err != nil {
			return internal(err)
		}
	}
	if len(r.Terminals) == 0 {
		r.Next = []string{c.env.line("new")}
	}
	return &outcome{reply: r}
}

// lookAtOnce is how many terminals are looked at side by side: a look is mostly
// system calls.
const lookAtOnce = 8

// list derives the rows of the named terminals and adds them in order. A journal
// that cannot be read makes its row unknown and does not hide the others.
func list(ctx context.Context, e *environment, r *envelope.Reply, names []string, open func(string) (*journal.Journal, error)) {
	rows := make([]envelope.Terminal, len(names))
	warnings := make([][]string, len(names))
	var wg sync.WaitGroup
	work := make(chan int)
	for range min(lookAtOnce, len(names)) {
		wg.Go(func() {
			for i := range work {
				name := names[i]
				warn := func(text string) { warnings[i] = append(warnings[i], name+": "+text) }
				j, err := open(name)
				if err != nil {
					rows[i] = envelope.Terminal{Name: name, Status: envelope.StatusUnknown}
					warn(err.Error())
					continue
				}
				t := e.wrap(name, j)
				s, err := t.glance(ctx)
				if err != nil {
					rows[i] = envelope.Terminal{Name: name, Status: envelope.StatusUnknown, Mode: t.mode()}
					warn(err.Error())
					continue
				}
				for _, w := range slices.Concat(s.warnings, j.Warnings(), t.gapWarnings(j.Base(), s.scanned)) {
					warn(w)
				}
				rows[i] = t.row(s)
				rows[i].Socket = j.Meta().Socket
				_ = j.Close()
			}
		})
	}
	for i := range names {
		work <- i
	}
	close(work)
	wg.Wait()
	for i := range rows {
		r.Terminals = append(r.Terminals, rows[i])
		r.Warnings = append(r.Warnings, warnings[i]...)
	}
}

// others adds the terminals of the other servers in this state directory.
func others(ctx context.Context, e *environment, r *envelope.Reply) error {
	spaces, err := journal.Namespaces(e.root)
	if err != nil {
		return err
	}
	own := journal.Namespace(e.root, e.endpoint)
	for _, space := range spaces {
		if space == own {
			continue
		}
		names, err := journal.TerminalsIn(space)
		if err != nil {
			r.Warnings = append(r.Warnings, err.Error())
			continue
		}
		list(ctx, e, r, names, func(name string) (*journal.Journal, error) {
			return journal.Open(filepath.Join(space, name))
		})
	}
	return nil
}

// row is a terminal as ls and a wait on several show it.
func (t *terminal) row(s *state) envelope.Terminal {
	row := envelope.Terminal{
		Name: t.name, Status: s.status, Mode: t.mode(), Notes: len(s.recent.notes),
		LastActivity: stamp(t.lastActivity()),
	}
	if h, held := t.holder(); held {
		row.LockPID = h.PID
	}
	switch s.status {
	case envelope.StatusRunning, envelope.StatusAwaitingInput:
		row.Cmd, _ = t.running(s)
	case envelope.StatusDead:
		row.ExitCode = s.exit
	}
	if t.program() {
		row.Cmd = firstLine(t.meta.Cmd)
	}
	return row
}
