package main

import (
	"context"

	"github.com/pairmux/pairmux/detect"
	"github.com/pairmux/pairmux/envelope"
)

// classifySentinel judges a shell without hooks: only the kernel, and the marks
// around a run's own command, tell what it does.
func (t *terminal) classifySentinel(ctx context.Context, s *state) {
	open := s.pending != nil && s.machine.Phase == detect.Open
	switch {
	case !s.look.Known:
		s.status = envelope.StatusUnknown
		if s.machine.Phase == detect.Ended || s.pending == nil {
			s.status = envelope.StatusIdle
		}
	case s.look.ShellForeground && (s.look.Reads || s.look.Polls) && !open:
		s.status = envelope.StatusIdle
	default:
		t.ask(ctx, s, max(s.machine.Cur.Start, t.j.Base()))
	}
}
