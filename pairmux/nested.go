package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pairmux/pairmux/detect"
	"github.com/pairmux/pairmux/envelope"
	"github.com/pairmux/pairmux/journal"
)

// A nested run goes to a shell that a command of the terminal's shell has
// started: ssh, docker exec, sudo -i, a bare shell. Nothing is known of it but
// its prompt, so the command travels between two sentinel marks.

const (
	// nestedPrompt is how long a nested shell's prompt may take to be recognised.
	nestedPrompt = 3 * time.Second
	// nestedArrival is how long the start mark may take: it may come from far.
	nestedArrival = 15 * time.Second
	// nestedProbe is the silence at the old prompt after which a lost end is
	// asked for.
	nestedProbe = 2 * time.Second
)

// nestedMark marks the events of a nested run in the index: they neither end
// nor follow the command that they run inside of. Its value is the nonce of the
// run's marks, made for it alone: the typed line can be read by everybody, and
// the terminal's own secret must not stand in it.
const nestedMark = "nested"

// nestedMachine follows the marks of one nested run.
func nestedMachine(e journal.Event) detect.Machine {
	var nonce string
	_ = json.Unmarshal(e.Extra[nestedMark], &nonce)
	return detect.Machine{AID: nonce, Sentinel: true}
}

func isNested(e journal.Event) bool {
	_, ok := e.Extra[nestedMark]
	return ok
}

func (r *runner) nest(e journal.Event) journal.Event {
	if r.o.nested {
		e.Extra = map[string]json.RawMessage{nestedMark: json.RawMessage(`"` + r.nonce + `"`)}
	}
	return e
}

// runNested delivers the command to the shell in the foreground.
func (r *runner) runNested(ctx context.Context) *outcome {
	t := r.t
	if problem := r.nestedReady(ctx); problem != nil {
		return problem
	}
	family := t.nestedFamily(r.s)
	id, err := t.j.NextCmdID()
	if err != nil {
		return internal(err)
	}
	r.id = id
	source := r.o.source
	if problem := r.nestedComplete(ctx); problem != nil {
		return problem
	}
	if len(source) > detect.MaxTyped || strings.ContainsAny(source, "\n\t\x1b") {
		// A file can be read by a shell on this machine only.
		if !t.nestedLocal(r.s) {
			return badArgs(fmt.Sprintf("the command is too long or too special to be typed into the nested shell; copy it there first (at most %d bytes on one line)", detect.MaxTyped), t.line("send", t.name, "--stdin"))
		}
		path := filepath.Join(t.j.Dir(), detect.RunFile(id))
		if err := os.WriteFile(path, []byte(source+"\n"), 0o600); err != nil {
			return internal(err)
		}
		source = detect.SourceLine(family, path)
	}
	size := r.s.scanned
	before, _ := t.lastLine(t.j.Base(), size)
	front, outer := r.s.look.Foreground, r.s.machine.N
	r.nonce = newNonce()
	r.started = r.nest(journal.Event{Type: journal.CmdStart, CmdID: id, Offset: size, Text: indexed(r.o.source)})
	if err := t.j.Append(r.started); err != nil {
		return internal(err)
	}
	r.typedAt = time.Now()
	r.line = detect.SentinelLine(family, r.nonce, id, source)
	if err := r.enter(nil); err != nil {
		r.abandon()
		return t.env.tmuxFailed(err)
	}
	inner := &state{scanned: size, machine: nestedMachine(r.started)}
	f := t.j.Follow()
	for {
		seen := f.Now()
		if err := t.scan(inner, seen.Raw, nil); err != nil {
			return internal(err)
		}
		if err := t.update(ctx, r.s); err != nil {
			return internal(err)
		}
		if problem := r.typed(ctx); problem != nil {
			return problem
		}
		began := inner.machine.Phase == detect.Open
		asks := began && r.s.status == envelope.StatusAwaitingInput
		back := asks && r.s.look.Foreground == front && r.backAt(inner, before)
		run := itoa(id)
		switch last := inner.machine.Last; {
		case last.Run == run:
			return r.done(last)
		case r.s.status == envelope.StatusDead:
			return r.died(ctx)
		case r.s.machine.N != outer || r.s.machine.Phase == detect.Ended:
			// The nested shell itself has ended.
			c := detect.Command{Start: max(inner.machine.Cur.Start, size), End: inner.scanned, MarkEnd: inner.scanned}
			if last := r.s.machine.Last; last.End > c.Start {
				c.End = last.End
			}
			r.warnings = append(r.warnings, "the nested shell has ended")
			return r.done(c)
		case back && t.quiet(r.s) >= nestedProbe:
			c, problem := r.probe(ctx, inner, detect.ProbeLine(family, r.nonce, id))
			if problem != nil {
				return problem
			}
			return r.done(c)
		case ctx.Err() != nil, !time.Now().Before(r.deadline) && began:
			return r.nestedUnfinished(inner)
		case asks && !back:
			return r.nestedUnfinished(inner)
		case !began && time.Since(r.typedAt) > nestedArrival:
			r.s.scanned = inner.scanned
			return r.astray(ctx)
		}
		pause := min(t.nextLook(r.s, nestedProbe), 250*time.Millisecond)
		if left := time.Until(r.deadline); left > 0 && left < pause {
			pause = left
		}
		wait, cancel := context.WithTimeout(ctx, pause)
		_ = f.Wait(wait, seen)
		cancel()
	}
}

// nestedComplete refuses a source that ends in the middle of a construct, asked
// of a shell on this machine of the same kind.
func (r *runner) nestedComplete(ctx context.Context) *outcome {
	name := r.t.shellInFront(r.s)
	if name == "" {
		name = "sh"
		if _, err := exec.LookPath("bash"); err == nil {
			name = "bash"
		}
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return nil
	}
	file := filepath.Join(r.t.j.Dir(), "nested.check")
	if err := os.WriteFile(file, []byte(r.o.source+"\n"), 0o600); err != nil {
		return internal(err)
	}
	defer os.Remove(file)
	if detect.Incomplete(ctx, path, file, []byte(r.o.source)) {
		return r.incomplete()
	}
	return nil
}

// nestedReady waits for the prompt of a shell in the foreground.
func (r *runner) nestedReady(ctx context.Context) *outcome {
	t := r.t
	var err error
	if r.s, err = t.derive(ctx); err != nil {
		return internal(err)
	}
	began := time.Now()
	f := t.j.Follow()
	for {
		s := r.s
		switch {
		case s.status == envelope.StatusDead:
			return t.dead(s)
		case s.status == envelope.StatusIdle:
			return badArgs(fmt.Sprintf("no nested shell has %q: its own shell is at the prompt", t.name), t.runHint())
		case s.status == envelope.StatusAwaitingInput && s.prompt.Kind == envelope.KindShell:
			return nil
		case s.status == envelope.StatusAwaitingInput && t.nestedLocal(s) && s.prompt.Kind != envelope.KindSecret && s.prompt.Kind != envelope.KindIncomplete:
			return nil
		case s.status == envelope.StatusAwaitingInput && time.Since(began) > time.Second, time.Since(began) > nestedPrompt, ctx.Err() != nil:
			return t.busy(s)
		}
		seen := f.Now()
		wait, cancel := context.WithTimeout(ctx, t.nextLook(s, 0))
		_ = f.Wait(wait, seen)
		cancel()
		if err := t.update(ctx, s); err != nil {
			return internal(err)
		}
	}
}

// shellInFront is the name of the shell that has the terminal, "" when what has
// it is no shell of this machine's.
func (t *terminal) shellInFront(s *state) string {
	for _, name := range slices.Backward(s.look.Names) {
		if detect.Identify(name) != detect.Unknown {
			return name
		}
	}
	return ""
}

func (t *terminal) nestedLocal(s *state) bool { return t.shellInFront(s) != "" }

// nestedFamily is the nested shell's syntax. One on another machine is taken
// for a POSIX shell.
func (t *terminal) nestedFamily(s *state) detect.Shell {
	if name := t.shellInFront(s); name != "" {
		return detect.Identify(name)
	}
	return detect.POSIX
}

// backAt reports whether the last line is the prompt that was there before.
func (r *runner) backAt(inner *state, before string) bool {
	now, _ := r.t.lastLine(inner.machine.Cur.Start, inner.scanned)
	before = strings.TrimRight(before, " ")
	return before != "" && strings.TrimRight(now, " ") == before
}

// nestedUnfinished replies for a nested command that goes on.
func (r *runner) nestedUnfinished(inner *state) *outcome {
	t, s := r.t, r.s
	reply := t.reply(s.status)
	reply.CmdID = r.id
	reply.Prompt = s.prompt
	from := max(inner.machine.Cur.Start, r.started.Offset)
	l := r.o.limits
	l.Head, l.Tail = 0, l.Tail+l.Head
	if err := t.tail(reply, from, inner.scanned, l, t.line("log", t.name, "--cmd", itoa(r.id))); err != nil {
		return internal(err)
	}
	reply.Cursor = envelope.Int(inner.scanned)
	reply.Next = []string{t.line("wait", t.name), t.line("log", t.name, "--cmd", itoa(r.id))}
	if s.status == envelope.StatusAwaitingInput {
		reply.Next = t.promptHints(s.prompt)
		if s.prompt.Kind == envelope.KindShell {
			reply.Next = []string{t.line("run", t.name) + ` --nested "<command>"`}
		}
	}
	r.finish(reply)
	return &outcome{reply: reply}
}
