package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/pairmux/pairmux/envelope"
	"github.com/pairmux/pairmux/journal"
	"github.com/pairmux/pairmux/lockfile"
	"github.com/pairmux/pairmux/tmuxio"
)

// send types text, keys and Enter into whatever has the terminal.

type sendOptions struct {
	text    []byte
	keys    []string // tmux's names
	named   []string // as the caller wrote them
	enter   bool
	waitFor *waitOptions
	seen    []string // the notes that it marks as seen
}

// sendPatience bounds how long send waits for another send and for tmux.
const sendPatience = 5 * time.Second

func runSend(c *call) *outcome {
	o, problem := readSend(c)
	if problem != nil {
		return problem
	}
	srv, err := c.env.server()
	if err != nil {
		return c.env.tmuxFailed(err)
	}
	t, problem := c.env.open(c.args[0])
	if problem != nil {
		return problem
	}
	ctx, stop := interruptible(c.ctx)
	defer stop()
	t.reach(ctx, srv)
	s, err := t.derive(ctx)
	if err != nil {
		return internal(err)
	}
	if s.status == envelope.StatusDead {
		return t.dead(s)
	}
	limit, cancel := context.WithTimeout(ctx, sendPatience)
	defer cancel()
	cursor, report, problem := t.typeKeys(limit, srv, o)
	if problem != nil {
		return problem
	}
	r := t.reply(envelope.StatusSent)
	r.Cursor = envelope.Int(cursor)
	r.Notes = o.seen
	r.Next = append([]string{t.receiver(s)}, t.afterSend(s)...)
	if report.Attached > 0 && t.humanTypes(limit, srv, s) {
		r.Warnings = append(r.Warnings, "a human is attached to this terminal and typing: your keys and theirs may mix")
	}
	if report.Sync {
		r.Warnings = append(r.Warnings, "a human has synchronised the panes of this window: what is sent goes to all of them")
	}
	if n := len(o.text); n > 4096 && s.status != envelope.StatusIdle && s.look.Known && !s.look.Reads && !s.look.Polls {
		r.Warnings = append(r.Warnings, fmt.Sprintf("the program does not read its terminal now; the kernel keeps about 4096 of the %d bytes and may drop the rest", n))
	}
	if o.waitFor == nil {
		return &outcome{reply: r}
	}
	w := o.waitFor
	w.names = []string{t.name}
	w.timeout = c.duration("timeout")
	w.deadline = c.began.Add(c.duration("timeout"))
	w.from, w.sent, w.text = cursor, true, string(o.text)
	out := afterSignal(ctx, waitOne(ctx, c.env, w))
	out.reply.Notes = append(o.seen, out.reply.Notes...)
	return out
}

func readSend(c *call) (*sendOptions, *outcome) {
	o := &sendOptions{named: c.list("key"), enter: c.bool("enter")}
	if !c.given("text") && !c.bool("stdin") && len(o.named) == 0 && !o.enter {
		return nil, usage("send needs --text, --stdin, --key or --enter", "pairmux help send")
	}
	if !journal.ValidName(c.args[0]) {
		return nil, badName(c.args[0])
	}
	for _, k := range o.named {
		name, err := tmuxio.Key(k)
		if err != nil {
			return nil, badArgs(fmt.Sprintf("--key %s: %v", k, err), "pairmux help send")
		}
		o.keys = append(o.keys, name)
	}
	if c.given("wait") {
		w, problem := sendWait(c)
		if problem != nil {
			return nil, problem
		}
		o.waitFor = w
	}
	if c.bool("stdin") {
		b, err := io.ReadAll(os.Stdin)
		if err != nil {
			return nil, badArgs(fmt.Sprintf("standard input cannot be read: %v", reason(err)), "")
		}
		o.text = b
	} else {
		o.text = []byte(c.text("text"))
	}
	if strings.IndexByte(string(o.text), 0) >= 0 {
		return nil, badArgs("the text holds a NUL byte; send it as --key C-Space", "pairmux help send")
	}
	return o, nil
}

// sendWait reads --wait COND.
func sendWait(c *call) (*waitOptions, *outcome) {
	w := &waitOptions{limits: c.limits()}
	cond := c.text("wait")
	name, value, hasValue := strings.Cut(cond, "=")
	switch {
	case name == "pattern" && hasValue:
		re, problem := pattern(value)
		if problem != nil {
			return nil, problem
		}
		w.pattern, w.patternText = re, value
	case hasValue:
		return nil, usage("--wait "+cond+": want idle, done, human or pattern=RE", "pairmux help send")
	case name == "idle":
		w.idle = 800 * time.Millisecond
	case name == "done":
		w.done = true
	case name == "human":
		w.human = true
	default:
		return nil, usage("--wait "+cond+": want idle, done, human or pattern=RE", "pairmux help send")
	}
	return w, nil
}

// typeKeys types under the send lock, so that two sends never interleave, and
// records the shape of what was sent, never its content. It returns the journal
// position before the keys.
func (t *terminal) typeKeys(ctx context.Context, srv *tmuxio.Server, o *sendOptions) (int64, tmuxio.Report, *outcome) {
	var none tmuxio.Report
	unlock, err := lockfile.Lock(ctx, t.sendLock(), lockfile.Holder{Verb: "send"})
	if err != nil {
		var held *lockfile.HeldError
		if errors.As(err, &held) {
			return 0, none, t.lockedBy(held.Holder)
		}
		return 0, none, internal(err)
	}
	defer unlock()
	cursor, err := t.j.Size()
	if err != nil {
		return 0, none, internal(err)
	}
	spec := tmuxio.TypeSpec{
		Pane: t.meta.PaneID, Name: t.name, ServerPID: t.meta.ServerPID,
		Text: o.text, Keys: o.keys, Enter: o.enter,
	}
	spec.Repipe, spec.RepipeForce = t.repipe()
	spec.Notice = notice(t, "sends "+o.shape())
	if deadline, ok := ctx.Deadline(); ok {
		spec.NotAfter = deadline
	}
	typing, err := srv.Type(spec)
	var report tmuxio.Report
	if err == nil {
		report, err = typing.Report(ctx)
	}
	switch {
	case errors.Is(err, tmuxio.ErrNoTarget), errors.Is(err, tmuxio.ErrNoServer), err == nil && report.Dead:
		s, e := t.derive(ctx)
		if e != nil {
			return 0, none, internal(e)
		}
		return 0, none, t.dead(s)
	case err != nil:
		return 0, none, t.env.tmuxFailed(err)
	case !report.Typed:
		return 0, none, fail(envelope.CodeBusy, fmt.Sprintf("a human has switched off input to the pane of %q", t.name), t.line("peek", t.name))
	}
	if err := t.j.Append(journal.Event{Type: journal.Sent, Offset: cursor, Text: o.shape()}); err != nil {
		return 0, none, internal(err)
	}
	// Still under the lock: the newest sent is this one.
	o.seen = t.notesBefore(func(e journal.Event) bool { return e.Type == journal.Sent })
	return cursor, report, nil
}

// shape tells how much was sent and which keys, but nothing of the text: it
// may be a secret.
func (o *sendOptions) shape() string {
	var parts []string
	if len(o.text) > 0 {
		parts = append(parts, fmt.Sprintf("text(%d)", utf8.RuneCount(o.text)))
	}
	if n := len(o.keys); n > 0 {
		parts = append(parts, fmt.Sprintf("keys(%d)", n))
	}
	if o.enter {
		parts = append(parts, "enter")
	}
	return strings.Join(parts, " ")
}

// receiver says who got what was sent.
func (t *terminal) receiver(s *state) string {
	what, _ := t.running(s)
	switch {
	case t.program():
		return "sent to the program: " + firstLine(t.meta.Cmd)
	case s.status == envelope.StatusIdle:
		return "sent to the shell's prompt"
	case s.prompt != nil && s.prompt.Kind == envelope.KindIncomplete:
		return "sent to the shell, which waits for the rest of a command"
	case what != "":
		return "sent to the running command: " + what
	}
	return "sent to the running command"
}

// afterSend is what to do next: look at what the input did.
func (t *terminal) afterSend(s *state) []string {
	if t.program() {
		return []string{t.line("wait", t.name), t.line("peek", t.name)}
	}
	if s.status == envelope.StatusIdle {
		return []string{t.line("peek", t.name)}
	}
	return []string{t.line("wait", t.name, "--done"), t.line("peek", t.name)}
}

// notice is what attached humans are told before the agent acts, if they asked
// for it.
func notice(t *terminal, what string) string {
	if os.Getenv("PAIRMUX_NOTICES") != "1" {
		return ""
	}
	return "pairmux: the agent " + what + " (" + t.name + ")"
}
