package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/pairmux/pairmux/detect"
	"github.com/pairmux/pairmux/envelope"
	"github.com/pairmux/pairmux/journal"
	"github.com/pairmux/pairmux/lockfile"
	"github.com/pairmux/pairmux/shape"
	"github.com/pairmux/pairmux/tmuxio"
)

// run types a command into a terminal's shell and blocks until it ends, asks,
// or the deadline passes.

// maxSource is the longest command; longer ones belong into a file of their own.
const maxSource = 1 << 20

// arrival is how long a typed command may take to show its start mark.
const arrival = 2 * time.Second

type runOptions struct {
	name       string
	source     string
	script     bool
	timeout    time.Duration
	limits     shape.Limits
	exitStatus bool
	nested     bool
}

func (c *call) limits() shape.Limits {
	return shape.Limits{Head: int(c.int("head")), Tail: int(c.int("tail")), MaxBytes: c.size("max-bytes")}
}

func runRun(c *call) *outcome {
	o := runOptions{
		name: c.args[0], script: c.given("script"), timeout: c.duration("timeout"),
		limits: c.limits(), exitStatus: c.bool("exit-status"), nested: c.bool("nested"),
	}
	if problem := o.read(c); problem != nil {
		return problem
	}
	if _, err := c.env.server(); err != nil {
		return c.env.tmuxFailed(err)
	}
	t, problem := c.env.open(o.name)
	if problem != nil {
		return problem
	}
	p := &patience{parent: c.ctx}
	defer p.end()
	r := &runner{t: t, o: o, deadline: c.began.Add(o.timeout)}
	out := afterSignal(p.ctx, r.run(p))
	if o.exitStatus && out.exit == 0 {
		out.exit = exitStatus(out.reply)
	}
	return out
}

// read takes the command from the positionals or the script.
func (o *runOptions) read(c *call) *outcome {
	words := c.args[1:]
	switch {
	case o.script && len(words) > 0:
		return usage("--script and a command exclude each other", "pairmux help run")
	case !o.script && len(words) == 0:
		return usage("run needs a command", `pairmux run `+detect.Quote(o.name)+` "<command>"`)
	}
	if !journal.ValidName(o.name) {
		return badName(o.name)
	}
	switch {
	case o.script:
		path := c.text("script")
		var b []byte
		var err error
		if path == "-" {
			b, err = io.ReadAll(io.LimitReader(os.Stdin, maxSource+1))
		} else {
			b, err = os.ReadFile(path)
		}
		if err != nil {
			return badArgs(fmt.Sprintf("--script %s cannot be read: %v", detect.Quote(path), reason(err)), "pairmux help run")
		}
		o.source = string(b)
	case len(words) == 1:
		o.source = words[0]
	default:
		quoted := make([]string, len(words))
		for i, w := range words {
			quoted[i] = detect.Quote(w)
		}
		o.source = strings.Join(quoted, " ")
	}
	if len(o.source) > maxSource {
		return badArgs(fmt.Sprintf("the command has more than %d bytes; put it into a file and run that", maxSource), "")
	}
	if strings.ContainsRune(o.source, 0) {
		return badArgs("the command holds a NUL byte, which no shell takes", "")
	}
	if !o.script && strings.ContainsAny(o.source, "\n\r") {
		return badArgs("the command holds a line break; give several lines as a script", c.env.line("run", o.name, "--script", "-")+"   # the lines on standard input")
	}
	return nil
}

// exitStatus maps a reply to the status that --exit-status asks for.
func exitStatus(r *envelope.Reply) int {
	switch r.Status {
	case envelope.StatusRunning, envelope.StatusAwaitingInput:
		return 124
	}
	if r.ExitCode == nil {
		return 125
	}
	switch code := *r.ExitCode; {
	case code >= 0 && code <= 255:
		return int(code)
	case code&255 == 0:
		return 255
	default:
		return int(code & 255)
	}
}

// runner carries one run from its lock to its reply.
type runner struct {
	t        *terminal
	o        runOptions
	deadline time.Time
	s        *state
	id       int64
	started  journal.Event // our cmd_start
	line     string        // what is typed
	nonce    string        // of a nested run's marks
	typedAt  time.Time
	srv      *tmuxio.Server
	typing   *tmuxio.Call
	warnings []string
	prompt   string // the prompt's last line, and the column it ends in
	column   int
	// How the newest command was entered (whose.go), and one that ended but may
	// be somebody else's.
	echoFrom, echoTo int64
	ranLine          string
	doubt            *detect.Command
	// blind is set when the prompt showed no line-editor mark: it is written to
	// a stderr that goes elsewhere, and so are the echo and the start mark.
	blind   bool
	queued  bool
	retyped bool // the line came out as something else once
	// promptAt and readyAt are where the prompt stands in the journal.
	promptAt, readyAt int64
}

func (r *runner) run(p *patience) *outcome {
	t := r.t
	if t.program() {
		return badArgs(fmt.Sprintf("%q runs a program, not a shell; drive it with send, wait and peek", t.name), t.line("send", t.name)+" --text <text> --enter")
	}
	if t.strange() && !r.o.nested {
		return badArgs(fmt.Sprintf("run does not know the syntax of %s, the shell of %q; drive it with send, wait and peek", filepath.Base(t.meta.Shell), t.name), t.line("send", t.name)+" --text <text> --enter")
	}
	if detect.Blank(r.o.source) {
		reply := t.reply(envelope.StatusDone)
		reply.ExitCode, reply.DurationMS = envelope.Int(0), envelope.Int(0)
		return &outcome{reply: reply}
	}
	srv, err := t.env.server()
	if err != nil {
		return t.env.tmuxFailed(err)
	}
	r.srv = srv
	t.reach(p.parent, srv)
	unlock, err := lockfile.TryLock(t.writeLock(), lockfile.Holder{Verb: "run", Text: firstLine(r.o.source)})
	if err != nil {
		var held *lockfile.HeldError
		if errors.As(err, &held) {
			return t.lockedBy(held.Holder)
		}
		return internal(err)
	}
	defer unlock()
	if r.o.nested {
		return r.runNested(p.wait())
	}
	if problem := r.ready(p); problem != nil {
		return problem
	}
	if problem := r.deliver(p.parent); problem != nil {
		return problem
	}
	return r.watch(p.wait())
}

// lockedBy is E_BUSY for a lock that another process holds.
func (t *terminal) lockedBy(h lockfile.Holder) *outcome {
	who := "another process"
	if h.PID > 0 {
		who = fmt.Sprintf("process %d", h.PID)
	}
	message := fmt.Sprintf("%q is in use by %s", t.name, who)
	if h.Verb != "" {
		message += " (" + h.Verb
		if h.Text != "" {
			message += ": " + h.Text
		}
		message += ")"
	}
	return fail(envelope.CodeBusy, message, t.line("wait", t.name, "--done"))
}

// ready brings the terminal to its prompt or says why it is not there.
func (r *runner) ready(p *patience) *outcome {
	t := r.t
	var err error
	if r.s, err = t.derive(p.parent); err != nil {
		return internal(err)
	}
	asked := time.Now()
	f := t.j.Follow()
	for {
		s := r.s
		starting := t.mode() == envelope.ModeHooks && t.promptComes(s)
		if t.mode() == envelope.ModeSentinel && s.status == envelope.StatusRunning && s.pending == nil && (s.look.ShellForeground || s.machine.Phase == detect.Ended && s.machine.Last.Run != "") {
			starting = time.Since(asked) < time.Second
		}
		switch {
		case s.status == envelope.StatusIdle && !starting:
			return r.settle(p.parent)
		case s.status == envelope.StatusDead:
			return t.dead(s)
		case s.stopped && time.Since(asked) > tmuxio.DefaultTimeout:
			return t.env.tmuxFailed(tmuxio.ErrTimeout)
		case s.stopped:
		case s.status == envelope.StatusUnknown && time.Since(asked) < time.Second:
		case starting && time.Now().Before(r.deadline) && p.wait().Err() == nil:
		case starting:
			return fail(envelope.CodeBusy, fmt.Sprintf("the shell of %q has not shown its prompt yet", t.name), t.line("wait", t.name))
		default:
			return t.busy(s)
		}
		seen := f.Now()
		wait, cancel := context.WithTimeout(p.wait(), 50*time.Millisecond)
		_ = f.Wait(wait, seen)
		cancel()
		if err := t.update(p.parent, s); err != nil {
			return internal(err)
		}
	}
}

// promptComes reports whether a hooked shell is before its first prompt, or
// between a command's end and the prompt that follows it. A prompt that has lost
// its mark (a readonly PS1) is taken for shown when the line editor has been
// reading for a while.
func (t *terminal) promptComes(s *state) bool {
	switch s.machine.Phase {
	case detect.Prompting, detect.Ended:
		reads := s.look.ShellForeground && (s.look.Reads || s.look.Polls) && !s.look.Canonical
		return s.status == envelope.StatusIdle && !(reads && t.quiet(s) >= detect.SilenceText) || s.status == envelope.StatusRunning
	case detect.Unseen:
		reads := s.look.ShellForeground && (s.look.Reads || s.look.Polls) && !s.look.Canonical
		return s.status == envelope.StatusRunning && (s.recent.start == nil || reads)
	}
	return false
}

// dead is E_DEAD, with the exit code where it is known.
func (t *terminal) dead(s *state) *outcome {
	message := fmt.Sprintf("terminal %q is dead", t.name)
	if s.exit != nil {
		message += fmt.Sprintf(" (exit code %d)", *s.exit)
	}
	out := fail(envelope.CodeDead, message, t.line("log", t.name))
	out.reply.Next = append(out.reply.Next, t.line("new", t.name))
	return out
}

// busy is E_BUSY for a terminal whose shell is not at its prompt.
func (t *terminal) busy(s *state) *outcome {
	what, since := t.running(s)
	var message string
	switch {
	case s.status == envelope.StatusUnknown:
		message = fmt.Sprintf("the state of %q cannot be told now", t.name)
	case s.prompt != nil && s.prompt.Kind == envelope.KindIncomplete:
		message = fmt.Sprintf("%q waits for the rest of an incomplete command", t.name)
	case s.prompt != nil:
		message = fmt.Sprintf("%q waits for input (%s prompt)", t.name, s.prompt.Kind)
	default:
		message = fmt.Sprintf("a command is still running in %q", t.name)
	}
	if what != "" {
		message += ": " + what
	}
	if !since.IsZero() {
		message += ", since " + since.UTC().Format(time.RFC3339)
	}
	hints := t.next(s, s.status)
	if name := t.nestable(s); name != "" {
		message += "; " + name + " has the terminal: --nested runs a command in there"
		hints = append([]string{t.line("run", t.name) + ` --nested "<command>"`}, hints...)
	}
	out := fail(envelope.CodeBusy, message, first(hints))
	out.reply.Next = hints
	return out
}

// nestable is the name of what has the terminal when a shell may be in there.
func (t *terminal) nestable(s *state) string {
	if s.prompt != nil && s.prompt.Kind == envelope.KindShell {
		if n := len(s.look.Names); n > 0 {
			return s.look.Names[n-1]
		}
		return "a nested shell"
	}
	return ""
}

func first(s []string) string {
	if len(s) == 0 {
		return ""
	}
	return s[0]
}

// running names the command that has the terminal.
func (t *terminal) running(s *state) (what string, since time.Time) {
	other := s.machine.Phase == detect.Open && s.pending != nil && !sameCommand(s.machine.Cur, *s.pending)
	if s.pending != nil && !other {
		return firstLine(s.pending.Text), s.pending.TS
	}
	if s.machine.Phase == detect.Open {
		if s.machine.Cur.Began > 0 {
			since = time.UnixMicro(s.machine.Cur.Began)
		}
		if text := t.echo(s.machine.ReadyAt, s.machine.Cur.Start); text != "" {
			return text, since
		}
	}
	if n := len(s.look.Names); n > 0 {
		return s.look.Names[0], since
	}
	return "", since
}

// echo is the command line as it was echoed between the prompt's end and the
// start of the output.
func (t *terminal) echo(from, to int64) string {
	if from <= 0 || to <= from || to-from > 8<<10 {
		return ""
	}
	text := ""
	_ = t.render(from, to, func(line []byte) {
		if text == "" {
			text = strings.TrimSpace(string(line))
		}
	})
	return text
}

func firstLine(s string) string {
	line, rest, more := strings.Cut(strings.TrimLeft(s, "\n"), "\n")
	if more && strings.TrimSpace(rest) != "" {
		line += " …"
	}
	return line
}

// settle records the end of a command whose own run is gone.
func (r *runner) settle(ctx context.Context) *outcome {
	s := r.s
	p := s.pending
	if p == nil {
		return nil
	}
	c, err := r.t.finished(s, *p)
	if err != nil {
		return internal(err)
	}
	if s.lost && r.t.mode() == envelope.ModeSentinel {
		var problem *outcome
		if c, problem = r.probe(ctx, s, r.t.probeLine(p.CmdID)); problem != nil {
			return problem
		}
		if err := r.t.update(ctx, s); err != nil {
			return internal(err)
		}
		s.lost = false
	}
	if err := r.t.j.Append(endEvent(p.CmdID, c, settledText)); err != nil {
		return internal(err)
	}
	s.pending = nil
	return nil
}

// finished finds the end of a run's command that has ended. The journal may
// hold much behind it, so it is read again from where the run typed.
func (t *terminal) finished(s *state, start journal.Event) (detect.Command, error) {
	if last := s.machine.Last; last.Start >= start.Offset && sameCommand(last, start) {
		return t.trim(last), nil
	}
	size, err := t.j.Size()
	if err != nil {
		return detect.Command{}, err
	}
	probe := &state{scanned: start.Offset, machine: t.newMachine()}
	probe.machine.Expect(start.N, start.Offset)
	found := detect.Command{N: start.N, Start: start.Offset, End: size, MarkEnd: size}
	stop := false
	for !stop && probe.scanned < size {
		err := t.scan(probe, min(size, probe.scanned+1<<20), func(m detect.Mark, c detect.Change) {
			switch {
			case stop:
			case c == detect.Refused:
				found = t.refused(start.Offset, probe.machine, m)
				stop = true
			case probe.machine.Last.Start >= start.Offset && sameCommand(probe.machine.Last, start):
				found, stop = probe.machine.Last, true
			}
		})
		if err != nil {
			return found, err
		}
	}
	if !stop && s.lost {
		found = t.lostEnd(s)
	}
	return t.trim(found), nil
}

// trim cuts the trace of our own hook off the end of an output: under "set -x"
// bash announces the hook before the hook can silence it.
func (t *terminal) trim(c detect.Command) detect.Command {
	if t.mode() != envelope.ModeHooks || detect.Identify(t.meta.Shell) != detect.Bash || c.Start < 0 {
		return c
	}
	tail := t.bytes(max(c.Start, c.End-512), c.End, 512)
	line := bytes.TrimSuffix(tail, []byte("\r\n"))
	if len(line) == len(tail) {
		return c
	}
	line = line[bytes.LastIndexByte(line, '\n')+1:]
	if bytes.HasSuffix(line, []byte(" "+detect.HookName)) && bytes.Count(line, []byte(" ")) == 1 {
		c.End -= int64(len(line) + 2)
	}
	return c
}

func sameCommand(c detect.Command, start journal.Event) bool {
	if c.Run != "" {
		return c.Run == itoa(start.CmdID)
	}
	return c.N == start.N
}

// refused is a command that the shell rejected before running anything, or one
// of a shell that prints no start mark: its output begins behind the echo.
func (t *terminal) refused(typed int64, m detect.Machine, end detect.Mark) detect.Command {
	c := detect.Command{N: end.N, Start: typed, End: end.Start, MarkEnd: end.End, Status: end.Status, HasStatus: end.HasStatus}
	c.Start = t.impliedStart(typed, end.Start)
	return c
}

// record appends the end of this run's command.
func (r *runner) record(c detect.Command, text string) error {
	return r.t.j.Append(r.nest(endEvent(r.id, c, text)))
}

// endEvent is the end of a command as the index keeps it.
func endEvent(id int64, c detect.Command, text string) journal.Event {
	e := journal.Event{Type: journal.CmdEnd, CmdID: id, Offset: c.End, Start: c.Start, N: c.N, Text: text}
	if c.HasStatus {
		e.ExitCode = envelope.Int(c.Status)
	}
	if c.HasTook {
		e.DurationMS = envelope.Int(c.Took)
	}
	return e
}

// deliver records the start and types the command.
func (r *runner) deliver(ctx context.Context) *outcome {
	t := r.t
	id, err := t.j.NextCmdID()
	if err != nil {
		return internal(err)
	}
	r.id = id
	line, problem := r.carrier(ctx)
	if problem != nil {
		return problem
	}
	guard, problem := r.cleanSoon(ctx)
	if problem != nil {
		return problem
	}
	size, err := t.j.Size()
	if err != nil {
		return internal(err)
	}
	if size > r.s.scanned {
		if err := t.scan(r.s, size, nil); err != nil {
			return internal(err)
		}
	}
	r.started = journal.Event{Type: journal.CmdStart, CmdID: id, Offset: size, N: r.s.machine.N, Text: indexed(r.o.source)}
	// Written before the keys go out, so that a crash leaves a command that can
	// be settled.
	if err := t.j.Append(r.started); err != nil {
		return internal(err)
	}
	r.s.pending = &r.started
	wary := r.wary()
	r.blind = r.t.mode() == envelope.ModeHooks && r.s.machine.Phase != detect.Ready
	r.promptAt, r.readyAt = r.s.machine.PromptAt, r.s.machine.ReadyAt
	r.s.machine.Expect(r.s.machine.N, size)
	r.typedAt = time.Now()
	r.line = line
	if wary {
		return r.enterWarily(ctx, guard)
	}
	if err := r.enter(guard); err != nil {
		r.abandon()
		return t.env.tmuxFailed(err)
	}
	return nil
}

// enter types the line and Enter in one tmux call, which nothing else can come
// between, and does not wait for the call's end: the journal tells sooner.
func (r *runner) enter(guard *tmuxio.Guard) error {
	t := r.t
	spec := tmuxio.TypeSpec{
		Pane: t.meta.PaneID, Name: t.name, ServerPID: t.meta.ServerPID,
		Text: []byte(r.line), Enter: true, Guard: guard, ClearTouched: true, NotAfter: time.Now().Add(arrival + time.Second),
	}
	spec.Repipe, spec.RepipeForce = t.repipe()
	spec.Notice = notice(t, "runs: "+firstLine(r.o.source))
	var err error
	r.typing, err = r.srv.Type(spec)
	return err
}

// abandon records that the command whose start is recorded never ran.
func (r *runner) abandon() {
	_ = r.record(detect.Command{N: r.started.N, Start: r.started.Offset, End: r.started.Offset}, notRun)
}

// maxIndexed bounds the text of a command in the index; the journal and the
// delivery hold all of it.
const maxIndexed = 4096

func indexed(source string) string {
	if len(source) > maxIndexed {
		return strings.ToValidUTF8(source[:maxIndexed], "") + "…"
	}
	return source
}

// notRun is the text of a cmd_end whose command never ran.
const notRun = "not run"

// repipe is the command that re-arms a journal whose writer has died.
func (t *terminal) repipe() (string, bool) {
	if ok, err := journal.WriterAlive(t.j.Dir()); ok || err != nil || time.Since(t.meta.CreatedAt) < time.Second {
		return "", false
	}
	self, err := os.Executable()
	if err != nil {
		return "", false
	}
	return pipeCommand(self, t.j.Dir()), true
}

// carrier chooses how the command reaches the shell: as keys, or as a file that
// the shell reads, which is exact for any bytes. A file is parsed whole before
// any of it runs.
func (r *runner) carrier(ctx context.Context) (line string, problem *outcome) {
	t, source, family := r.t, r.o.source, detect.Identify(r.t.meta.Shell)
	sentinel := t.mode() == envelope.ModeSentinel
	if !sentinel && !r.s.lost && !r.o.script && detect.Typeable(family, source) {
		return source, nil
	}
	r.sweep()
	content := source
	if !strings.HasSuffix(content, "\n") {
		content += "\n"
	}
	if r.s.lost {
		content = detect.Rehook + "\n" + content
		r.warnings = append(r.warnings, "the shell's hooks were lost; they are installed again")
	}
	path := filepath.Join(t.j.Dir(), detect.RunFile(r.id))
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		return "", internal(err)
	}
	if detect.Incomplete(ctx, t.meta.Shell, path, []byte(source)) {
		_ = os.Remove(path)
		return "", r.incomplete()
	}
	if sentinel {
		if !r.o.script && detect.Typeable(family, source) {
			_ = os.Remove(path)
		} else {
			source = detect.SourceLine(family, path)
		}
		return detect.SentinelLine(family, t.meta.Nonce, r.id, source), nil
	}
	return detect.FileLine(family, r.id, source, strings.Contains(r.s.machine.Flags, "c")), nil
}

// sweep removes deliveries of commands that have ended.
func (r *runner) sweep() {
	files, _ := filepath.Glob(filepath.Join(globQuote(r.t.j.Dir()), "run-*"))
	for _, f := range files {
		_ = os.Remove(f)
	}
}

func globQuote(s string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(s)
}

func (r *runner) incomplete() *outcome {
	return badArgs(fmt.Sprintf("incomplete command: %q", firstLine(r.o.source))+" ends inside a quote, a here-document or a compound command; nothing of it has run",
		r.t.line("run", r.t.name, "--script", "-")+"   # several lines on standard input")
}
