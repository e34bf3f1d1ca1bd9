package main

import (
	"context"
	"strings"
	"time"

	"github.com/pairmux/pairmux/envelope"
	"github.com/pairmux/pairmux/shape"
)

// peek shows recent output and the state, at once, and changes nothing.

// peekBytes is how much of the journal's end peek reads.
const peekBytes = 64 << 10

func runPeek(c *call) *outcome {
	t, problem := c.env.open(c.args[0])
	if problem != nil {
		return problem
	}
	ctx := c.ctx
	s, err := t.glance(ctx)
	if err != nil {
		return internal(err)
	}
	if c.bool("screen") {
		return t.screen(ctx, s)
	}
	r := t.snapshot(s)
	size := s.scanned
	from := max(t.j.Base(), size-peekBytes)
	full := t.line("log", t.name, "--range", "1:end")
	if err := t.fill(r, from, size, shape.Limits{Tail: int(c.int("tail"))}, full); err != nil {
		return internal(err)
	}
	skipped(r, from-t.j.Base(), full)
	r.Warnings = append(r.Warnings, t.gapWarnings(from, size)...)
	return &outcome{reply: r}
}

// snapshot is a reply with the terminal's state and what goes with it.
func (t *terminal) snapshot(s *state) *envelope.Reply {
	r := t.reply(s.status)
	r.Prompt = s.prompt
	r.Cursor = envelope.Int(s.scanned)
	r.Notes = s.recent.notes
	r.Warnings = append(r.Warnings, s.warnings...)
	r.Warnings = append(r.Warnings, t.j.Warnings()...)
	r.Warnings = append(r.Warnings, t.sizeWarning(s.scanned)...)
	r.Next = t.next(s, s.status)
	switch s.status {
	case envelope.StatusDead:
		t.reportDead(r, s)
	case envelope.StatusIdle:
		if s.pending != nil {
			t.unreported(r, s)
		}
	}
	return r
}

// unreported adds the end of a run that answered "running" and that no reply
// has told about yet.
func (t *terminal) unreported(r *envelope.Reply, s *state) {
	c, err := t.finished(s, *s.pending)
	if err != nil {
		return
	}
	r.CmdID = s.pending.CmdID
	if c.HasStatus {
		r.ExitCode = envelope.Int(c.Status)
	} else {
		r.Warnings = append(r.Warnings, "the exit code is unknown")
	}
	if c.HasTook {
		r.DurationMS = envelope.Int(c.Took)
	}
}

// screen shows the viewport as tmux has it.
func (t *terminal) screen(ctx context.Context, s *state) *outcome {
	if s.status == envelope.StatusDead {
		out := t.dead(s)
		out.reply = envelope.Fail(envelope.CodeDead, out.reply.Error.Message+", it has no screen", t.line("peek", t.name))
		return out
	}
	srv, err := t.env.server()
	if err != nil {
		return t.env.tmuxFailed(err)
	}
	t.reach(ctx, srv)
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	screen, err := srv.Capture(ctx, t.meta.PaneID)
	if err != nil {
		return t.env.tmuxFailed(err)
	}
	r := t.snapshot(s)
	r.Output = strings.TrimRight(strings.Join(screen.Lines, "\n"), "\n")
	return &outcome{reply: r}
}
