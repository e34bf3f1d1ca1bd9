package main

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/pairmux/pairmux/detect"
	"github.com/pairmux/pairmux/envelope"
	"github.com/pairmux/pairmux/journal"
	"github.com/pairmux/pairmux/shape"
)

// wait blocks until a terminal is idle, prints a line, ends a command, or was
// touched by a human. It reads only: any number of waiters may wait.

type waitOptions struct {
	names       []string
	idle        time.Duration // 0: not armed
	pattern     *regexp.Regexp
	patternText string
	done        bool
	cmd         int64 // 0: any
	human, note bool
	since       string // as given: a cursor, run, start, or ""
	notify      bool
	deadline    time.Time
	timeout     time.Duration
	limits      shape.Limits
	words       []string // the flags to repeat in next

	// from and sent are set by send --wait: look from just before the keys.
	from int64
	sent bool
	text string // what was sent, to tell its echo from output
}

// handoffPatience is the least deadline that a repeated wait for a human gets.
const handoffPatience = 300 * time.Second

func runWait(c *call) *outcome {
	o := &waitOptions{
		names: c.args, done: c.bool("done"), cmd: c.int("cmd"), human: c.bool("human"), note: c.bool("note"),
		since: c.text("since"), notify: c.bool("notify"), timeout: c.duration("timeout"),
		patternText: c.text("pattern"), limits: shape.Limits{Head: 50, Tail: 200, MaxBytes: 64 << 10},
	}
	o.deadline = c.began.Add(o.timeout)
	for _, name := range o.names {
		if !journal.ValidName(name) {
			return badName(name)
		}
	}
	if c.given("pattern") {
		re, problem := pattern(o.patternText)
		if problem != nil {
			return problem
		}
		o.pattern = re
		o.words = append(o.words, "--pattern", o.patternText)
	}
	if c.given("since") {
		if _, word, _ := parseCursor(o.since); word == "" && len(o.names) > 1 {
			return badArgs("a numeric --since belongs to one terminal; give run or start with several", "pairmux help wait")
		}
	}
	for _, f := range []struct {
		on   bool
		word string
	}{{o.done, "--done"}, {o.human, "--human"}, {o.note, "--note"}, {o.notify, "--notify"}} {
		if f.on {
			o.words = append(o.words, f.word)
		}
	}
	if c.given("cmd") {
		if len(o.names) > 1 {
			return badArgs("--cmd belongs to one terminal", "pairmux help wait")
		}
		o.words = append(o.words, "--cmd", itoa(o.cmd))
	}
	if c.given("idle") || o.pattern == nil && !o.done && o.cmd == 0 && !o.human && !o.note {
		o.idle, _ = parseMillis(c.text("idle"))
		if c.given("idle") {
			o.words = append(o.words, "--idle", itoa(o.idle.Milliseconds()))
		}
	}
	ctx, stop := interruptible(c.ctx)
	defer stop()
	return afterSignal(ctx, waitOne(ctx, c.env, o))
}

func pattern(expr string) (*regexp.Regexp, *outcome) {
	re, err := regexp.Compile(expr)
	if err != nil {
		return nil, badArgs(fmt.Sprintf("bad pattern %s: %v", detect.Quote(expr), err), "")
	}
	return re, nil
}

// waiter watches one terminal for the conditions of a wait.
type waiter struct {
	t *terminal
	o *waitOptions
	s *state
	f *journal.Follower

	// ended is the end that counts, cmdID the run it belongs to (0: a human's).
	ended *detect.Command
	cmdID int64

	// matcher looks for the pattern.
	matcher *matcher
	// handoff is the prompt that was there at the start, which ends nothing;
	// for --human also a later one.
	handoff handoff
	busy    bool // something ran at the start
	dead    bool // was dead at the start
}

// waitOne waits on all named terminals and replies for the first that fires.
func waitOne(ctx context.Context, e *environment, o *waitOptions) *outcome {
	var all []*waiter
	var warnings []string
	var lastDead *outcome
	for _, name := range slices.Compact(slices.Clone(o.names)) {
		t, problem := e.open(name)
		if problem != nil {
			return problem
		}
		w := &waiter{t: t, o: o}
		if problem := w.begin(ctx); problem != nil {
			return problem
		}
		if w.dead {
			lastDead = t.dead(w.s)
			warnings = append(warnings, fmt.Sprintf("%q is dead and was left out", name))
			continue
		}
		all = append(all, w)
	}
	if len(all) == 0 {
		return lastDead
	}
	var told chan string // what the notifier has to say, once it is started
	answer := func(r *envelope.Reply) *outcome {
		r.Warnings = append(r.Warnings, warnings...)
		if told != nil {
			if w := <-told; w != "" {
				r.Warnings = append(r.Warnings, w)
			}
		}
		return &outcome{reply: r}
	}
	for {
		seen := make([]journal.Mark, len(all))
		for i, w := range all {
			seen[i] = w.f.Now()
			r, err := w.look(ctx, seen[i])
			if err != nil {
				return internal(err)
			}
			if r != nil {
				if r.Status != envelope.StatusHumanDone { // its output is the notes
					r.Notes = w.t.recent().notes
				}
				return answer(r)
			}
		}
		if ctx.Err() != nil || !time.Now().Before(o.deadline) {
			return answer(timedOut(ctx, e, o, all))
		}
		if o.notify && told == nil {
			told = notify(e, o, all)
		}
		sleep(ctx, o, all, seen)
	}
}

// sleep blocks until one of the journals grows, or until it is time to look at
// what makes no noise.
func sleep(ctx context.Context, o *waitOptions, all []*waiter, seen []journal.Mark) {
	pause := lookEvery
	for _, w := range all {
		pause = min(pause, w.pause())
	}
	if left := time.Until(o.deadline); left < pause {
		pause = max(left, time.Millisecond)
	}
	c, cancel := context.WithTimeout(ctx, pause)
	defer cancel()
	if len(all) == 1 {
		if err := all[0].f.Wait(c, seen[0]); isRetired(err) {
			all[0].s.status = envelope.StatusDead
		}
		return
	}
	woken := make(chan struct{}, len(all))
	for i, w := range all {
		go func() {
			if err := w.f.Wait(c, seen[i]); err == nil || errors.Is(err, journal.ErrRetired) {
				cancel()
			}
			woken <- struct{}{}
		}()
	}
	for range all {
		<-woken
	}
}

// pause is how long this waiter may sleep when nothing wakes it.
func (w *waiter) pause() time.Duration {
	p := w.t.nextLook(w.s, w.o.idle)
	if w.matcher != nil && len(w.matcher.held) > 0 {
		p = min(p, echoLag)
	}
	if w.o.human {
		p = w.handoff.pause(w.s, p)
	}
	return p
}

// begin derives the state and arms the conditions.
func (w *waiter) begin(ctx context.Context) *outcome {
	t, o := w.t, w.o
	w.f = t.j.Follow()
	if time.Until(o.deadline) > time.Second && !o.sent {
		w.f.Long()
	}
	s, err := t.derive(ctx)
	if err != nil {
		return internal(err)
	}
	w.s = s
	if o.sent {
		// The keys may already have had their effect: begin before them.
		s.machine, s.scanner = t.newMachine(), detect.Scanner{}
		if err := w.rewind(ctx, o.from); err != nil {
			return internal(err)
		}
	}
	if s.status == envelope.StatusDead && !o.done && o.cmd == 0 && !(o.human && s.pending != nil) && !o.sent {
		w.dead = true
		return nil
	}
	w.busy = s.status == envelope.StatusRunning || s.status == envelope.StatusAwaitingInput
	if s.status == envelope.StatusAwaitingInput && !o.sent {
		w.handoff.asks(s)
	}
	if problem := w.aim(ctx); problem != nil {
		return problem
	}
	if problem := w.catchUp(ctx); problem != nil {
		return problem
	}
	if o.pattern != nil {
		return w.armPattern()
	}
	return nil
}

// catchUp goes back to a cursor that --since gives, so that an end which came
// between two waits is seen by the second.
func (w *waiter) catchUp(ctx context.Context) *outcome {
	pos, word, err := parseCursor(w.o.since)
	if err != nil || word != "" || w.o.sent || w.ended != nil || !w.o.done && w.o.cmd == 0 {
		return nil
	}
	size, err := w.t.j.Size()
	if err != nil {
		return internal(err)
	}
	if pos > size {
		return badArgs("--since "+w.o.since+" is beyond the journal's end at "+itoa(size), w.t.line("peek", w.t.name))
	}
	w.s.machine, w.s.scanner = w.t.newMachine(), detect.Scanner{}
	if err := w.rewind(ctx, max(pos, w.t.j.Base())); err != nil {
		return internal(err)
	}
	return nil
}

// rewind derives the state as it was at offset from.
func (w *waiter) rewind(ctx context.Context, from int64) error {
	t, s := w.t, w.s
	low := max(t.j.Base(), from-tailBytes)
	if p := s.pending; p != nil && p.Offset >= low && p.Offset <= from {
		s.machine.Expect(p.N, p.Offset)
		low = p.Offset
	}
	s.scanned = low
	return t.scan(s, from, nil)
}

// aim decides whose end --done, --cmd and --human wait for.
func (w *waiter) aim(ctx context.Context) *outcome {
	t, o, s := w.t, w.o, w.s
	if o.cmd > 0 {
		start, end, err := t.command(o.cmd)
		if err != nil {
			return internal(err)
		}
		if start == nil && end == nil {
			return t.noCommand(o.cmd)
		}
		if end != nil {
			c := fromEvent(*end)
			w.ended, w.cmdID = &c, o.cmd
			return nil
		}
		w.cmdID = o.cmd
	}
	if !o.done && o.cmd == 0 && !o.human || o.sent {
		return nil
	}
	if t.program() {
		return nil
	}
	if p := s.pending; p != nil && (s.status == envelope.StatusIdle || s.status == envelope.StatusDead) {
		c, err := t.finished(s, *p)
		if err != nil {
			return internal(err)
		}
		w.ended, w.cmdID = &c, p.CmdID
		return nil
	}
	if p := s.pending; p != nil {
		w.cmdID = p.CmdID
	}
	return nil
}

// fromEvent is a command as the index has it.
func fromEvent(e journal.Event) detect.Command {
	c := detect.Command{N: e.N, Start: e.Start, End: e.Offset, MarkEnd: e.Offset}
	if e.ExitCode != nil {
		c.Status, c.HasStatus = *e.ExitCode, true
	}
	if e.DurationMS != nil {
		c.Took, c.HasTook = *e.DurationMS, true
	}
	return c
}

// look reads what is new and says whether a condition has come true.
func (w *waiter) look(ctx context.Context, seen journal.Mark) (*envelope.Reply, error) {
	t, s, o := w.t, w.s, w.o
	grew := seen.Raw > s.scanned
	err := t.scan(s, seen.Raw, func(m detect.Mark, c detect.Change) { w.mark(m, c) })
	if err != nil {
		return nil, err
	}
	if w.matcher != nil {
		if hit, err := w.matcher.advance(t, seen.Raw); err != nil {
			return nil, err
		} else if hit != "" {
			r := t.reply(envelope.StatusPatternFound)
			r.Output = hit
			r.Cursor = envelope.Int(seen.Raw)
			r.Next = []string{t.line("peek", t.name)}
			return r, nil
		}
	}
	s.recent = t.recent()
	if p := s.recent.pending(); p != nil {
		s.pending = p
	} else {
		s.pending = nil
	}
	if (o.human || o.note) && len(s.recent.notes) > 0 {
		r := t.reply(envelope.StatusHumanDone)
		r.Output = strings.Join(s.recent.notes, "\n")
		r.Cursor = envelope.Int(seen.Raw)
		r.Next = []string{t.line("peek", t.name)}
		return r, nil
	}
	if w.ended != nil && (o.done || o.cmd > 0 || o.human) {
		return w.finished()
	}
	if grew && t.quiet(s) < detect.SilenceSecret && s.machine.Phase != detect.Exited && !(o.human && w.handoff.asked != nil) {
		return nil, nil // it speaks: nothing silent to look at
	}
	t.classify(ctx, s)
	switch s.status {
	case envelope.StatusDead:
		return w.died(ctx)
	case envelope.StatusUnknown:
		return nil, nil
	}
	return w.silent(seen)
}

// mark takes note of an end that counts.
func (w *waiter) mark(m detect.Mark, c detect.Change) {
	s := w.s
	if w.ended != nil || c != detect.Finished && c != detect.Prompted && c != detect.Refused {
		return
	}
	if w.o.human && !w.o.done && w.o.cmd == 0 && !w.busy && w.handoff.asked == nil {
		return // what a human types at the idle shell is no event
	}
	last := s.machine.Last
	if c == detect.Refused {
		// Nothing ran. For a run's command that is its end; an empty line or a
		// Ctrl-C at the prompt is none.
		start := w.t.startOf(m.N)
		if start == nil {
			return
		}
		last = w.t.refused(start.Offset, s.machine, m)
	}
	if c == detect.Prompted && (last.HasStatus || last.MarkEnd == 0) {
		return
	}
	if w.o.cmd > 0 {
		start, _, err := w.t.command(w.o.cmd)
		if err != nil || start == nil || !sameCommand(last, *start) {
			return
		}
	}
	w.ended = &last
	w.cmdID = w.t.idOf(last)
}

// finished replies with the end that was waited for.
func (w *waiter) finished() (*envelope.Reply, error) {
	t, o := w.t, w.o
	r := t.reply(envelope.StatusDone)
	if o.human {
		// A human typed into that span: the fact and the code are all.
		r.CmdID = w.cmdID
		if w.ended.HasStatus {
			r.ExitCode = envelope.Int(w.ended.Status)
		} else {
			r.Warnings = append(r.Warnings, "the exit code is unknown")
		}
		if w.ended.HasTook {
			r.DurationMS = envelope.Int(w.ended.Took)
		}
		r.Cursor = envelope.Int(w.s.scanned)
		r.Next = []string{t.line("peek", t.name)}
		return r, nil
	}
	c := t.trim(*w.ended)
	if o.sent {
		// From just before the keys, without their echo.
		c.Start = max(c.Start, o.from)
	}
	if err := t.describe(r, w.cmdID, c, o.limits); err != nil {
		return nil, err
	}
	if o.sent && c.Start == o.from {
		r.Output = dropEcho(r.Output, o.text)
	}
	r.Cursor = envelope.Int(w.s.scanned)
	return r, nil
}

// died replies for a pane that went away while the wait was on.
func (w *waiter) died(ctx context.Context) (*envelope.Reply, error) {
	t, o, s := w.t, w.o, w.s
	t.lastWords(s)
	t.buried(ctx, s)
	r := t.reply(envelope.StatusDead)
	if t.program() && (o.done || o.human) && s.exit != nil {
		r.Status = envelope.StatusDone
		r.Output = ""
		if !o.human {
			if err := t.fill(r, t.j.Base(), s.scanned, o.limits, t.line("log", t.name, "--range", "1:end")); err != nil {
				return nil, err
			}
		}
	}
	t.reportDead(r, s)
	if e := s.recent.exit; e != nil && t.program() && !t.meta.CreatedAt.IsZero() {
		r.DurationMS = envelope.Int(e.TS.Sub(t.meta.CreatedAt).Milliseconds())
	}
	r.Cursor = envelope.Int(s.scanned)
	r.Next = t.next(s, envelope.StatusDead)
	return r, nil
}

// silent judges the state of a terminal that has nothing new.
func (w *waiter) silent(seen journal.Mark) (*envelope.Reply, error) {
	t, s, o := w.t, w.s, w.o
	if s.lost && (o.done || o.cmd > 0 || o.human) {
		c := t.lostEnd(s)
		w.ended, w.cmdID = &c, 0
		if s.pending != nil {
			w.cmdID = s.pending.CmdID
		}
		return w.finished()
	}
	asks := s.status == envelope.StatusAwaitingInput
	fresh := asks && !w.handoff.same(t, s)
	switch {
	case asks && fresh && (o.done || o.cmd > 0) && !o.human && !o.note && s.prompt.Evidence != envelope.EvidenceQuiet:
		return w.prompted(), nil
	case asks && fresh && o.pattern != nil && !o.human && !o.note &&
		(s.prompt.Kind == envelope.KindSecret || s.prompt.Kind == envelope.KindConfirm) &&
		(s.prompt.Evidence == envelope.EvidenceTTY || s.prompt.Evidence == envelope.EvidenceText):
		return w.prompted(), nil
	case o.human && asks:
		w.handoff.asks(s)
	case o.human && s.status == envelope.StatusRunning && w.handoff.moves(t, s):
		r := t.reply(envelope.StatusRunning)
		r.Cursor = envelope.Int(seen.Raw)
		if t.program() {
			r.Next = []string{t.line("wait", t.name, "--idle", "800")}
		} else {
			r.Next = []string{t.line("wait", t.name, "--done")}
		}
		return r, nil
	}
	if o.idle > 0 && t.quiet(s) >= o.idle {
		switch {
		case s.status == envelope.StatusIdle:
			r := t.reply(envelope.StatusIdle)
			r.Cursor = envelope.Int(seen.Raw)
			r.Next = t.next(s, s.status)
			if s.pending != nil {
				t.unreported(r, s)
			}
			return r, nil
		case asks:
			return w.prompted(), nil
		}
	}
	return nil, nil
}

// prompted replies that the terminal asks.
func (w *waiter) prompted() *envelope.Reply {
	t, s := w.t, w.s
	r := t.reply(envelope.StatusAwaitingInput)
	r.Prompt = s.prompt
	r.Cursor = envelope.Int(s.scanned)
	from := t.j.Base()
	if s.machine.Phase == detect.Open && s.machine.Cur.Start > 0 {
		from = s.machine.Cur.Start
	}
	if w.o.sent {
		from = max(from, w.o.from)
	}
	// The middle of a full screen is no lines: peek --screen shows it.
	if s.prompt.Kind != envelope.KindFullscreen && s.prompt.Kind != envelope.KindPager {
		t.quote(r, from, s.scanned, 5)
		if w.o.sent {
			r.Output = dropEcho(r.Output, w.o.text)
		}
	}
	r.Next = t.next(s, s.status)
	return r
}

// timedOut replies that nothing came true, and how to go on waiting.
func timedOut(ctx context.Context, e *environment, o *waitOptions, all []*waiter) *envelope.Reply {
	w := all[0]
	t, s := w.t, w.s
	var r *envelope.Reply
	if len(all) == 1 {
		r = t.reply(envelope.StatusTimeout)
		r.Cursor = envelope.Int(s.scanned)
		from := t.j.Base()
		if s.machine.Phase == detect.Open && s.machine.Cur.Start > 0 {
			from = s.machine.Cur.Start
		}
		// Where a human may have typed a secret, nothing of the pane is quoted.
		if !o.human || !w.handoff.private {
			t.quote(r, from, s.scanned, 5)
		}
		r.Warnings = s.warnings
	} else {
		r = envelope.New(envelope.StatusTimeout)
		for _, w := range all {
			r.Terminals = append(r.Terminals, w.t.row(w.s))
		}
	}
	if o.human {
		sentence := "do not type the secret or answer for the human: nobody has come yet"
		if slices.ContainsFunc(all, func(w *waiter) bool { return w.handoff.secret() }) {
			sentence = "do not type the secret: a human has to, in the pane"
		}
		r.Next = append(r.Next, sentence)
	}
	r.Next = append(r.Next, again(e, o, r))
	return r
}

// again is the same wait once more, with twice the deadline, from where this
// one stopped.
func again(e *environment, o *waitOptions, r *envelope.Reply) string {
	words := append([]string{"wait"}, o.names...)
	words = append(words, o.words...)
	if o.sent {
		switch {
		case o.pattern != nil:
			words = append(words, "--pattern", o.patternText)
		case o.done:
			words = append(words, "--done")
		case o.human:
			words = append(words, "--human")
		case o.idle > 0:
			words = append(words, "--idle", itoa(o.idle.Milliseconds()))
		}
	}
	switch {
	case r.Cursor != nil:
		words = append(words, "--since", itoa(*r.Cursor))
	case o.since != "":
		words = append(words, "--since", o.since)
	}
	d := 2 * o.timeout
	if o.human || o.note {
		d = max(d, handoffPatience)
	}
	if d <= 0 {
		d = 60 * time.Second
	}
	return e.line(append(words, "--timeout", formatDuration(d))...)
}
