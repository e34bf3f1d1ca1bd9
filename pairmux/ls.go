package main

import (
	"context"
	"path/filepath"

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
	for _, name := range names {
		j, err := journal.Find(c.env.root, c.env.endpoint, name)
		if err != nil {
			r.Warnings = append(r.Warnings, err.Error())
			continue
		}
		r.Terminals = append(r.Terminals, listed(ctx, c.env.wrap(name, j), r))
	}
	if c.bool("all") {
		for i := range r.Terminals {
			r.Terminals[i].Socket = c.env.socket
		}
		if err := others(ctx, c.env, r); err != nil {
			return internal(err)
		}
	}
	if len(r.Terminals) == 0 {
		r.Next = []string{c.env.line("new")}
	}
	return &outcome{reply: r}
}

// listed derives one row; a journal that cannot be read makes its row unknown
// and does not hide the others.
func listed(ctx context.Context, t *terminal, r *envelope.Reply) envelope.Terminal {
	s, err := t.derive(ctx)
	if err != nil {
		r.Warnings = append(r.Warnings, t.name+": "+err.Error())
		return envelope.Terminal{Name: t.name, Status: envelope.StatusUnknown, Mode: t.mode()}
	}
	for _, w := range append(s.warnings, t.j.Warnings()...) {
		r.Warnings = append(r.Warnings, t.name+": "+w)
	}
	return t.row(s)
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
		for _, name := range names {
			j, err := journal.Open(filepath.Join(space, name))
			if err != nil {
				r.Warnings = append(r.Warnings, err.Error())
				continue
			}
			row := listed(ctx, e.wrap(name, j), r)
			row.Socket = j.Meta().Socket
			r.Terminals = append(r.Terminals, row)
		}
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
