package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/pairmux/pairmux/detect"
	"github.com/pairmux/pairmux/envelope"
	"github.com/pairmux/pairmux/journal"
	"github.com/pairmux/pairmux/shape"
	"github.com/pairmux/pairmux/tmuxio"
)

// watch follows the journal from where the command was typed.
func (r *runner) watch(ctx context.Context) *outcome {
	t, s := r.t, r.s
	f := t.j.Follow()
	var began bool
	look := r.typedAt.Add(detect.SilenceSecret) // when to look at what makes no noise
	var end detect.Command
	var change detect.Change
	for {
		seen := f.Now()
		change = detect.Nothing
		err := t.scan(s, seen.Raw, func(m detect.Mark, c detect.Change) {
			switch {
			case change == detect.Finished || change == detect.Refused || change == detect.Quit:
				return // the first end is ours
			case c == detect.Started:
				r.begins(m)
				began = true
			case c == detect.Finished && r.foreign():
				other := s.machine.Last
				r.doubt, began = &other, false
			case c == detect.Finished:
				end, change = s.machine.Last, c
			case c == detect.Prompted && r.doubt != nil:
				if r.named(s.machine.Last.Cmdline) {
					end, change = *r.doubt, detect.Finished
				}
			case c == detect.Refused && m.Status == 130 && !strings.Contains(s.machine.Flags, "n"):
				// A Ctrl-C that was on its way to the prompt before us: our line
				// is entered at the next one, or lost.
			case c == detect.Refused:
				end, change = t.refused(r.started.Offset, s.machine, m), c
				if r.blind {
					end.Start = r.started.Offset
				}
			case c == detect.Prompted && began && s.machine.Last.N == r.started.N && !s.machine.Last.HasStatus:
				// A later prompt without an end: the mark was lost.
				end, change = s.machine.Last, detect.Finished
			case c == detect.Continued:
				change = c
			case c == detect.Quit:
				change = c
			}
		})
		if err != nil {
			return internal(err)
		}
		switch change {
		case detect.Finished, detect.Refused:
			if r.mayExit() && r.exits(ctx, f) {
				return r.died(ctx)
			}
			r.learnSize(ctx, end)
			return r.done(t.trim(end))
		case detect.Quit:
			return r.died(ctx)
		case detect.Continued:
			return r.cancel(ctx, f)
		}
		if !began && strings.Contains(s.machine.Flags, "n") {
			began = t.impliedStart(r.started.Offset, seen.Raw) < seen.Raw
		}
		now := time.Now()
		if problem := r.typed(ctx); problem != nil {
			return problem
		}
		if r.doubt != nil {
			if s.machine.Phase == detect.Ready && t.quiet(s) >= doubtSilence && t.drained(ctx, s.scanned, drainLong) {
				c := *r.doubt
				if ran := s.machine.Last.Cmdline; ran != "" {
					r.warnings = append(r.warnings, fmt.Sprintf("the shell says that it ran %q", ran))
				}
				return r.done(t.trim(c))
			}
			r.typedAt = now
		}
		if !began && now.Sub(r.typedAt) > arrival {
			return r.astray(ctx)
		}
		over := ctx.Err() != nil && (began || r.o.timeout > 0) || !now.Before(r.deadline) && began
		if over || began && !now.Before(look) {
			if out := r.inspect(ctx); out != nil {
				return out
			}
			look = time.Now().Add(t.nextLook(s, lostSilence))
		}
		if over {
			return r.unfinished()
		}
		until := look
		if r.deadline.Before(until) {
			until = r.deadline
		}
		if r.doubt != nil {
			until = now.Add(doubtSilence / 4)
		} else if !began {
			until = now.Add(5 * time.Millisecond)
		}
		c, cancel := context.WithDeadline(ctx, until)
		err = f.Wait(c, seen)
		cancel()
		if isRetired(err) {
			return r.died(ctx)
		}
	}
}

// learnSize waits for tmux's report, which tells the pane's size, where the
// output's shape depends on it: a human's smaller client may be attached.
func (r *runner) learnSize(ctx context.Context, c detect.Command) {
	if r.typing == nil || c.End-c.Start > 64<<10 || bytes.IndexByte(r.t.bytes(c.Start, c.End, 64<<10), 0x1b) < 0 {
		return
	}
	limit, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
	defer cancel()
	if report, err := r.typing.Report(limit); err == nil && report.Width > 0 {
		r.t.told = shape.Options{Cols: report.Width, Rows: report.Height}
	}
	r.typing = nil
}

// mayExit reports whether the command may have ended a shell that reports the
// end of the very command it exits with (fish).
func (r *runner) mayExit() bool {
	return detect.Identify(r.t.meta.Shell) == detect.Fish && (strings.Contains(r.o.source, "exit") || strings.Contains(r.o.source, "exec"))
}

// exits waits for what follows an end: the next prompt, or the shell's exit.
func (r *runner) exits(ctx context.Context, f *journal.Follower) bool {
	t, s := r.t, r.s
	wait, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
	defer cancel()
	for s.machine.Phase == detect.Ended {
		seen := f.Now()
		if t.scan(s, seen.Raw, nil) != nil || s.machine.Phase == detect.Ended && f.Wait(wait, seen) != nil {
			break
		}
	}
	return s.machine.Phase == detect.Exited
}

// typed looks whether tmux has refused to type.
func (r *runner) typed(ctx context.Context) *outcome {
	if r.typing == nil {
		return nil
	}
	over, err := r.typing.Poll()
	if !over {
		return nil
	}
	call := r.typing
	r.typing = nil
	report, e := call.Report(ctx)
	if err == nil {
		err = e
	}
	t := r.t
	switch {
	case errors.Is(err, tmuxio.ErrNoTarget), errors.Is(err, tmuxio.ErrNoServer), errors.Is(err, tmuxio.ErrServerExited), err == nil && report.Dead:
		return r.died(ctx)
	case err != nil:
		r.abandon()
		return t.env.tmuxFailed(err)
	case report.Refused:
		// The cursor is not where the prompt left it. Look closer; if nothing is
		// typed there after all, the guard was wrong.
		if !r.untouched(ctx) {
			if problem := r.compare(ctx, nil); problem != nil {
				r.abandon()
				return problem
			}
		}
		r.typedAt = time.Now()
		if err := r.enter(nil); err != nil {
			r.abandon()
			return t.env.tmuxFailed(err)
		}
		return nil
	case report.InputOff:
		r.abandon()
		return fail(envelope.CodeBusy, fmt.Sprintf("a human has switched off input to the pane of %q", t.name), t.line("peek", t.name))
	case !report.Typed:
		r.abandon()
		return fail(envelope.CodeTmux, "tmux did not type the command", "pairmux doctor")
	}
	if report.Repiped {
		r.warnings = append(r.warnings, "the journal's writer had died and was started again: output before this command is missing")
	}
	if report.Width > 0 {
		t.told = shape.Options{Cols: report.Width, Rows: report.Height}
	}
	if report.Sync {
		r.warnings = append(r.warnings, "a human has synchronised the panes of this window: what is typed goes to all of them")
	}
	return nil
}

// inspect looks at a silent command: did the pane die, does it ask, did its
// shell lose the hooks?
func (r *runner) inspect(ctx context.Context) *outcome {
	t, s := r.t, r.s
	t.classify(ctx, s)
	switch {
	case s.status == envelope.StatusDead:
		return r.died(ctx)
	case s.replaced:
		return r.replaced()
	case s.lost && t.mode() == envelope.ModeSentinel:
		c, problem := r.probe(ctx, s, t.probeLine(r.id))
		if problem != nil {
			return problem
		}
		return r.done(c)
	case s.lost:
		out := r.done(t.lostEnd(s))
		out.reply.Warnings = append(out.reply.Warnings, "the shell's hooks were lost during this command; the next run installs them again")
		return out
	case s.status == envelope.StatusAwaitingInput:
		return r.unfinished()
	}
	return nil
}

// replaced replies for a command that put another shell into the place of the
// hooked one (exec): no end mark will come, and none was faked.
func (r *runner) replaced() *outcome {
	t, s := r.t, r.s
	if problem := t.degrade(s); problem != nil {
		return problem
	}
	c := t.lostEnd(s)
	// The new shell's prompt is no output; how it begins is not known.
	c.End = c.Start
	if i := bytes.LastIndexByte(t.bytes(c.Start, s.scanned, 64<<10), '\n'); i >= 0 {
		c.End = max(c.Start, s.scanned-(64<<10)) + int64(i) + 1
	}
	r.warnings = append(r.warnings, "the command replaced the shell by "+t.meta.Shell+": its hooks are gone, and ends are recognised by sentinels from now on")
	return r.done(c)
}

// done records the end and replies with the command's output.
func (r *runner) done(c detect.Command) *outcome {
	t := r.t
	if err := r.record(c, ""); err != nil {
		r.warnings = append(r.warnings, "the end could not be recorded: "+err.Error())
	}
	reply := t.reply(envelope.StatusDone)
	if err := t.describe(reply, r.id, c, r.o.limits); err != nil {
		return internal(err)
	}
	if reply.DurationMS == nil {
		reply.DurationMS = envelope.Int(time.Since(r.typedAt).Milliseconds())
	}
	r.finish(reply)
	return &outcome{reply: reply}
}

// finish adds what every reply of a run carries: the unseen notes in front of
// its end, and gaps in its part of the journal.
func (r *runner) finish(reply *envelope.Reply) {
	var notes, gaps []string
	passed := false // everything from here on is older than our start
	for e := range r.t.j.Backward() {
		switch e.Type {
		case journal.CmdEnd:
			if e.CmdID == r.id {
				notes = nil // these came after our end
			}
		case journal.CmdStart:
			passed = passed || e.CmdID == r.id
		case journal.Note:
			notes = append(notes, e.Text)
		case journal.Gap:
			if !passed && e.Offset >= r.started.Offset {
				gaps = append(gaps, gapWarning(e))
			}
		}
		if passed && isAct(e) {
			break
		}
	}
	reverse(notes)
	reverse(gaps)
	reply.Notes = notes
	r.warnings = append(r.warnings, r.t.sizeWarning(r.s.scanned)...)
	reply.Warnings = append(append(append(r.warnings, reply.Warnings...), gaps...), r.t.losing()...)
}

// describe fills a reply with a finished command.
func (t *terminal) describe(reply *envelope.Reply, id int64, c detect.Command, l shape.Limits) error {
	reply.CmdID = id
	if c.HasStatus {
		reply.ExitCode = envelope.Int(c.Status)
	} else {
		reply.Warnings = append(reply.Warnings, "the exit code is unknown")
	}
	if c.HasTook {
		reply.DurationMS = envelope.Int(c.Took)
	}
	reply.Cursor = envelope.Int(c.MarkEnd)
	full := ""
	if id > 0 {
		full = t.line("log", t.name, "--cmd", itoa(id))
	} else {
		full = t.line("log", t.name, "--since", itoa(c.Start))
	}
	return t.fill(reply, c.Start, c.End, l, full)
}

// unfinished replies for a command that goes on: it asks, or the time is up.
func (r *runner) unfinished() *outcome {
	t, s := r.t, r.s
	if s.status == envelope.StatusIdle {
		s.status = envelope.StatusRunning
	}
	reply := t.reply(s.status)
	reply.CmdID = r.id
	reply.Prompt = s.prompt
	from := max(s.machine.Cur.Start, r.started.Offset)
	if s.machine.Phase != detect.Open {
		from = t.impliedStart(r.started.Offset, s.scanned)
	}
	if s.status == envelope.StatusAwaitingInput {
		t.quote(reply, from, s.scanned, 5)
	} else {
		l := r.o.limits
		l.Head, l.Tail = 0, l.Tail+l.Head
		if err := t.tail(reply, from, s.scanned, l, t.line("log", t.name, "--cmd", itoa(r.id))); err != nil {
			return internal(err)
		}
	}
	reply.Cursor = envelope.Int(s.scanned)
	reply.Next = t.next(s, s.status)
	r.finish(reply)
	return &outcome{reply: reply}
}

// died replies for a pane that is gone.
func (r *runner) died(ctx context.Context) *outcome {
	t, s := r.t, r.s
	t.lastWords(s)
	c := s.machine.Last
	if c.Start < r.started.Offset {
		c = detect.Command{N: r.started.N, Start: r.started.Offset, End: s.scanned, MarkEnd: s.scanned}
		if s.machine.Phase == detect.Open {
			c.Start, c.Began = s.machine.Cur.Start, s.machine.Cur.Began
		}
	}
	t.buried(ctx, s)
	if s.exit != nil {
		c.Status, c.HasStatus = *s.exit, true
	}
	if err := r.record(c, ""); err != nil {
		r.warnings = append(r.warnings, "the end could not be recorded: "+err.Error())
	}
	reply := t.reply(envelope.StatusDead)
	if err := t.describe(reply, r.id, c, r.o.limits); err != nil {
		return internal(err)
	}
	reply.Warnings = nil
	t.reportDead(reply, s)
	reply.Next = t.next(s, envelope.StatusDead)
	r.finish(reply)
	return &outcome{reply: reply}
}

// lastWords gives the journal's writer the moment it needs to write the exit
// mark of a pane whose process has just gone.
func (t *terminal) lastWords(s *state) {
	f := t.j.Follow()
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	for {
		seen := f.Now()
		if t.scan(s, seen.Raw, nil) != nil || s.machine.Phase == detect.Exited {
			return
		}
		s.recent = t.recent()
		if s.recent.exit != nil || s.recent.killed {
			return
		}
		if writing, err := journal.WriterAlive(t.j.Dir()); err != nil || !writing {
			_ = t.scan(s, f.Now().Raw, nil)
			s.recent = t.recent()
			return
		}
		if f.Wait(ctx, seen) != nil {
			return
		}
	}
}

// cancel takes back a command line that the shell found incomplete.
func (r *runner) cancel(ctx context.Context, f *journal.Follower) *outcome {
	t, s := r.t, r.s
	if r.typing != nil {
		_, _ = r.typing.Report(ctx)
		r.typing = nil
	}
	// A Ctrl-C that comes while the shell is between two reads can be lost: the
	// next prompt, which has the next number, shows that it was not.
	fresh := func() bool { return s.machine.Phase == detect.Ready && s.machine.N != r.started.N }
	for try := 0; try < 3 && !fresh(); try++ {
		if _, err := r.press(ctx, tmuxio.TypeSpec{Keys: []string{"C-c"}}); err != nil {
			return t.env.tmuxFailed(err)
		}
		wait, stop := context.WithTimeout(ctx, arrival/2)
		for !fresh() {
			seen := f.Now()
			if err := t.scan(s, seen.Raw, nil); err != nil {
				stop()
				return internal(err)
			}
			if fresh() || f.Wait(wait, seen) != nil {
				break
			}
		}
		stop()
	}
	r.abandon()
	return r.incomplete()
}

// astray is a command whose start nothing has shown. Whatever happened to the
// keys, it is not reported as a success.
func (r *runner) astray(ctx context.Context) *outcome {
	t, s := r.t, r.s
	t.classify(ctx, s)
	if s.status == envelope.StatusDead {
		return r.died(ctx)
	}
	s.look = detect.Observe(t.meta.PanePID, t.meta.TTY)
	if !r.o.nested && s.machine.Phase == detect.Ready && s.look.ShellForeground && (s.look.Reads || s.look.Polls) && !s.look.Canonical {
		// The line editor still holds the line, in a shell whose secondary
		// prompt has no mark.
		return r.cancel(ctx, t.j.Follow())
	}
	reply := t.reply(s.status)
	if s.status == envelope.StatusIdle {
		reply.Status = envelope.StatusUnknown
	}
	reply.CmdID = r.id
	reply.Prompt = s.prompt
	reply.Cursor = envelope.Int(s.scanned)
	reply.Warnings = append(reply.Warnings, "the shell has not shown that it took the command; look before typing again")
	t.quote(reply, r.started.Offset, s.scanned, 5)
	reply.Next = []string{t.line("peek", t.name), t.line("peek", t.name, "--screen")}
	r.finish(reply)
	return &outcome{reply: reply}
}
