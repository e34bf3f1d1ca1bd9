package main

import (
	"context"
	"strings"
	"time"

	"github.com/pairmux/pairmux/envelope"
	"github.com/pairmux/pairmux/tmuxio"
)

// Keys that were sent to the prompt can leave the line editor in a state that
// no screen shows: a pending Escape, vi's normal mode. What is typed then is
// editor commands. So after keys the line is typed, looked at, and entered only
// if it stands there as it is.

// echoPatience is how long a line editor may take to show a line.
const echoPatience = time.Second

// wary reports whether keys were sent since the prompt began.
func (r *runner) wary() bool {
	sent := r.s.recent.sent
	return sent != nil && r.t.mode() == envelope.ModeHooks && !r.s.lost && sent.Offset >= r.s.machine.PromptAt
}

// enterWarily types the line, looks, and enters it; a line that came out as
// something else is cancelled, and typed once more at the fresh prompt.
func (r *runner) enterWarily(ctx context.Context, guard *tmuxio.Guard) *outcome {
	t := r.t
	limit, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	report, err := r.press(limit, tmuxio.TypeSpec{Text: []byte(r.line), Guard: guard})
	if err != nil {
		r.abandon()
		return t.env.tmuxFailed(err)
	}
	if report.Refused {
		r.abandon()
		if problem := r.compare(ctx, nil); problem != nil {
			return problem
		}
		return fail(envelope.CodeBusy, "the prompt of "+t.name+" is changing", t.line("peek", t.name))
	}
	for end := time.Now().Add(echoPatience); ; time.Sleep(10 * time.Millisecond) {
		screen, err := r.srv.Capture(limit, t.meta.PaneID)
		if err != nil {
			r.abandon()
			return t.env.tmuxFailed(err)
		}
		if echoed(screen, r.prompt, r.column, r.line) {
			if _, err := r.press(limit, tmuxio.TypeSpec{Enter: true}); err != nil {
				r.abandon()
				return t.env.tmuxFailed(err)
			}
			return nil
		}
		if !time.Now().Before(end) {
			break
		}
	}
	if r.retyped {
		out := r.cancel(ctx, t.j.Follow())
		out.reply = envelope.Fail(envelope.CodeBusy, "the line editor of "+t.name+" shows something else than what is typed; the line was taken back", t.line("peek", t.name, "--screen"))
		return out
	}
	r.retyped = true
	r.cancel(ctx, t.j.Follow())
	return r.deliver(ctx)
}

// press types into this run's pane and waits for tmux's report.
func (r *runner) press(ctx context.Context, spec tmuxio.TypeSpec) (tmuxio.Report, error) {
	t := r.t
	spec.Pane, spec.Name, spec.ServerPID = t.meta.PaneID, t.name, t.meta.ServerPID
	call, err := r.srv.Type(spec)
	if err != nil {
		return tmuxio.Report{}, err
	}
	return call.Report(ctx)
}

// echoed reports whether the screen shows the line behind the prompt, also when
// it wraps, with the cursor at its end.
func echoed(screen tmuxio.Screen, prompt string, column int, line string) bool {
	width := max(screen.Width, 1)
	cells := column + len(line) // what is typed is ASCII
	first := screen.CursorY - cells/width
	if screen.CursorX != cells%width || first < 0 || screen.CursorY >= len(screen.Lines) {
		return false
	}
	var shown strings.Builder
	for i := first; i <= screen.CursorY; i++ {
		row := screen.Lines[i]
		shown.WriteString(row)
		if i < screen.CursorY && len(row) < width {
			shown.WriteString(strings.Repeat(" ", width-len(row)))
		}
	}
	return strings.HasPrefix(shown.String(), strings.TrimRight(prompt+line, " ")) || strings.HasSuffix(strings.TrimRight(shown.String(), " "), strings.TrimRight(line, " "))
}
