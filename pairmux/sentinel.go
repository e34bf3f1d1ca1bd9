package main

import (
	"bytes"
	"context"
	"strings"
	"time"

	"github.com/pairmux/pairmux/detect"
	"github.com/pairmux/pairmux/envelope"
	"github.com/pairmux/pairmux/tmuxio"
)

// probeSilence is how long a shell must have sat at what looks like its prompt
// before its lost end is asked for.
const probeSilence = 300 * time.Millisecond

// classifySentinel judges a shell without hooks: only the kernel, and the marks
// around a run's own command, tell what it does.
func (t *terminal) classifySentinel(ctx context.Context, s *state) {
	open := s.pending != nil && s.machine.Phase == detect.Open
	reads := s.look.ShellForeground && (s.look.Reads || s.look.Polls)
	switch {
	case !s.look.Known:
		s.status = envelope.StatusUnknown
		if !open {
			s.status = envelope.StatusIdle
		}
	case reads && !open && s.pending != nil && s.machine.Last.Run != itoa(s.pending.CmdID) && t.quiet(s) < lostSilence:
		// Typed a moment ago: the start mark is on its way.
	case reads && !open:
		s.status = envelope.StatusIdle
	case reads && t.promptIsBack(s):
		// Ctrl-C and some syntax errors take the end mark with them.
		s.status = envelope.StatusUnknown
		if t.quiet(s) >= probeSilence {
			s.status, s.lost = envelope.StatusIdle, true
		}
	default:
		t.ask(ctx, s, max(s.machine.Cur.Start, t.j.Base()))
	}
}

// promptIsBack reports whether the unfinished last line is the one that stood
// there before the command was typed: a builtin that reads the terminal looks
// the same to the kernel.
func (t *terminal) promptIsBack(s *state) bool {
	before := strings.TrimRight(t.promptBefore(s.pending.Offset), " ")
	now, _ := t.lastLine(s.machine.Cur.Start, s.scanned)
	return before != "" && strings.HasSuffix(strings.TrimRight(now, " "), before)
}

// promptBefore is the prompt that stood at an offset: what came behind the mark
// of the command before, whose output may have left the line unfinished.
func (t *terminal) promptBefore(at int64) string {
	const end = "\x1b]133;D;"
	from := t.j.Base()
	tail := t.bytes(at-tailBytesMin, at, tailBytesMin)
	if i := bytes.LastIndex(tail, []byte(end)); i >= 0 {
		if j := bytes.IndexByte(tail[i:], 7); j >= 0 {
			from = at - int64(len(tail)) + int64(i+j+1)
		}
	}
	line, _ := t.lastLine(from, at)
	return line
}

// probe asks a shell at its own prompt for the status of the command whose end
// mark is missing: line is the second half of its sentinel line.
func (r *runner) probe(ctx context.Context, s *state, line string) (detect.Command, *outcome) {
	t := r.t
	c := t.lostEnd(s)
	if _, err := r.press(ctx, tmuxio.TypeSpec{Text: []byte(line), Enter: true}); err != nil {
		return c, t.env.tmuxFailed(err)
	}
	wait, cancel := context.WithTimeout(ctx, arrival)
	defer cancel()
	f := t.j.Follow()
	for s.machine.Phase == detect.Open {
		seen := f.Now()
		if err := t.scan(s, seen.Raw, nil); err != nil {
			return c, internal(err)
		}
		if s.machine.Phase != detect.Open || f.Wait(wait, seen) != nil {
			break
		}
	}
	if last := s.machine.Last; s.machine.Phase != detect.Open && last.HasStatus {
		c.Status, c.HasStatus, c.MarkEnd = last.Status, true, last.MarkEnd
	}
	return c, nil
}

// probeLine asks the terminal's own shell for the status of a run.
func (t *terminal) probeLine(id int64) string {
	return detect.ProbeLine(detect.Identify(t.meta.Shell), t.meta.Nonce, id)
}

// lostEnd is the end of a command after which the shell showed its prompt
// without a mark: the prompt itself is cut off.
func (t *terminal) lostEnd(s *state) detect.Command {
	c := s.machine.Cur
	c.End, c.MarkEnd = s.scanned, s.scanned
	if again := s.machine.Again; again.End > 0 {
		c.End, c.MarkEnd = again.Start, again.End
		c.Status, c.HasStatus = again.Status, again.HasStatus
	}
	from := max(c.Start, c.End-(16<<10))
	tail := t.bytes(from, c.End, 16<<10)
	// bash announces its prompt; others begin theirs on a line of its own.
	if i := bytes.LastIndex(tail, []byte("\x1b[?2004h")); i >= 0 {
		c.End = from + int64(i)
	} else if i := bytes.LastIndexByte(tail, '\n'); i >= 0 {
		c.End = from + int64(i) + 1
	}
	return c
}
