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

// clean makes sure that nothing stands at the prompt: a human's half-typed
// line, or what a send left there, must not be mixed with the command. It
// returns what tmux has to check at the moment of typing.
func (r *runner) clean(ctx context.Context) (*tmuxio.Guard, *outcome) {
	t, m := r.t, &r.s.machine
	if t.mode() != envelope.ModeHooks || r.s.lost || m.Phase != detect.Ready {
		return nil, nil
	}
	size, err := t.j.Size()
	if err != nil {
		return nil, internal(err)
	}
	if typed := t.bytes(m.ReadyAt, size, 16<<10); printable(typed) {
		return nil, r.compare(ctx, typed)
	}
	r.prompt, r.column = t.promptLine(m)
	return &tmuxio.Guard{CursorX: r.column}, nil
}

// keysSettle is how long keys that were sent just now may take to have their
// effect on the prompt.
const keysSettle = time.Second

// keysEcho is how long keys that were sent just now may stay without any
// effect before they count as such that have none.
const keysEcho = 300 * time.Millisecond

// cleanSoon is clean, patient with a line editor that still works on keys sent
// a moment ago, such as the Ctrl-C that discards a half-typed line.
func (r *runner) cleanSoon(ctx context.Context) (*tmuxio.Guard, *outcome) {
	t, s := r.t, r.s
	f := t.j.Follow()
	for {
		guard, problem := r.clean(ctx)
		sent := s.recent.sent
		effect := sent == nil || s.scanned > sent.Offset || sent.Offset < s.machine.ReadyAt || time.Since(sent.TS) > keysEcho
		if problem == nil && effect || sent == nil || time.Since(sent.TS) > keysSettle {
			return guard, problem
		}
		wait, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
		_ = f.Wait(wait, journal.Mark{Raw: s.scanned, Index: f.Now().Index})
		cancel()
		if err := t.update(ctx, s); err != nil {
			return nil, internal(err)
		}
		for s.status != envelope.StatusIdle && time.Since(sent.TS) < keysSettle {
			seen := f.Now()
			wait, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
			_ = f.Wait(wait, seen)
			cancel()
			if err := t.update(ctx, s); err != nil {
				return nil, internal(err)
			}
		}
		if s.status != envelope.StatusIdle {
			return nil, t.busy(s)
		}
		r.prompt, r.column = "", 0
	}
}

// compare looks at the screen: is there more on the cursor's line than the
// prompt? typed is what was printed behind the prompt.
func (r *runner) compare(ctx context.Context, typed []byte) *outcome {
	t := r.t
	if r.prompt == "" && r.column == 0 {
		r.prompt, r.column = t.promptLine(&r.s.machine)
	}
	limit, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	screen, err := r.srv.Capture(limit, t.meta.PaneID)
	if errors.Is(err, tmuxio.ErrNoTarget) || errors.Is(err, tmuxio.ErrNoServer) {
		return nil // it has died: typing will tell
	}
	if err != nil {
		return t.env.tmuxFailed(err)
	}
	if screen.CursorY >= len(screen.Lines) {
		return nil
	}
	if sent := r.s.recent.sent; sent != nil && sent.Offset >= r.s.machine.PromptAt && !r.caughtUp(screen) {
		return fail(envelope.CodeBusy, fmt.Sprintf("the prompt of %q is changing", t.name), t.line("peek", t.name))
	}
	row := strings.TrimRight(screen.Lines[screen.CursorY], " ")
	prompt := strings.TrimRight(r.prompt, " ")
	text := strings.TrimSpace(strings.TrimPrefix(row, prompt))
	rest, atPrompt := strings.CutPrefix(screen.Lines[screen.CursorY], prompt)
	rest = strings.TrimPrefix(rest, r.prompt[len(prompt):])
	switch {
	case atPrompt && strings.TrimSpace(rest) == "" && (screen.CursorX == r.column || screen.Width != t.grid().Cols):
		return nil
	case atPrompt && screen.CursorX == r.column && strings.HasPrefix(rest, "  "):
		return nil // a right prompt
	case background(typed) && screen.CursorX == 0 && row == "":
		return nil // whole lines of a job's output; nothing behind them
	case background(typed) && screen.CursorX == r.column && !strings.HasPrefix(row, prompt):
		return nil
	case r.nobody(limit):
		return nil
	case text == "":
		text = "blanks"
	}
	out := fail(envelope.CodeBusy,
		fmt.Sprintf("something is typed at the prompt of %q already: %s; nothing was added to it", t.name, detect.Quote(text)),
		t.line("wait", t.name, "--human", "--notify"))
	out.reply.Next = append(out.reply.Next, t.line("send", t.name, "--key", "C-c")+"   # discards it")
	return out
}

// nobody reports whether nobody can have typed at this prompt: no client has
// looked at the window since the last run, and nothing was sent. Then what
// stands there is a background job's.
func (r *runner) nobody(ctx context.Context) bool {
	if sent := r.s.recent.sent; sent != nil && sent.Offset >= r.s.machine.PromptAt {
		return false
	}
	report, err := r.press(ctx, tmuxio.TypeSpec{})
	return err == nil && !report.Touched && report.Attached == 0
}

// untouched reports whether nothing was echoed at the prompt, also not a moment
// later. What stands on its row then was there before it: what a command left
// that moved the cursor, a binary's output, a prompt wider than the pane.
func (r *runner) untouched(ctx context.Context) bool {
	t := r.t
	size, err := t.j.Size()
	if err != nil || r.readyAt == 0 || !t.drained(ctx, size, drainLong) {
		return false
	}
	return !printable(t.bytes(r.readyAt, size, 16<<10))
}

// caughtUp reports whether the journal already holds what the screen shows. The
// screen is ahead by the pipe between them, and what is known of the prompt
// comes from the journal: typing at a prompt that the journal has not seen yet
// would give the command another prompt's end.
func (r *runner) caughtUp(screen tmuxio.Screen) bool {
	t, m := r.t, &r.s.machine
	size, err := t.j.Size()
	if err != nil || size != r.s.scanned {
		return false
	}
	lead := t.bytes(m.PromptAt-4096, m.PromptAt, 4096)
	shown := shape.NewRenderer(shape.Options{Cols: screen.Width, Rows: screen.Height}, func([]byte) {})
	_, _ = shown.Write(lead[bytes.LastIndexByte(lead, '\n')+1:])
	_, _ = shown.Write(t.bytes(m.PromptAt, size, 64<<10))
	column, _ := shown.Cursor()
	row := strings.TrimRight(screen.Lines[screen.CursorY], " ")
	return column == screen.CursorX && strings.HasSuffix(strings.TrimRight(string(shown.CurrentLine()), " "), row)
}

// background reports whether whole lines came after the prompt, as a job's
// output does; a half-typed line has no end.
func background(b []byte) bool { return bytes.HasSuffix(bytes.TrimRight(b, "\r"), []byte("\n")) }

// bytes reads up to most bytes of [from, to), its end if there are more.
func (t *terminal) bytes(from, to int64, most int64) []byte {
	from = max(from, to-most, t.j.Base())
	b := make([]byte, max(0, to-from))
	n, _ := t.j.ReadAt(b, from)
	return b[:n]
}

// promptLine is the last line of the prompt as it was printed, and the column
// in which it left the cursor.
func (t *terminal) promptLine(m *detect.Machine) (line string, column int) {
	lead := t.bytes(m.PromptAt-4096, m.PromptAt, 4096)
	lead = lead[bytes.LastIndexByte(lead, '\n')+1:]
	r := shape.NewRenderer(t.grid(), func([]byte) {})
	_, _ = r.Write(lead)
	_, _ = r.Write(t.bytes(m.PromptAt, m.ReadyAt, 16<<10))
	column, _ = r.Cursor()
	return string(r.CurrentLine()), column
}

// printable reports whether b holds anything but control characters and escape
// sequences.
func printable(b []byte) bool {
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case c == 0x1b:
			i = skipEscape(b, i)
		case c >= ' ' && c != 0x7f:
			return true
		case c == '\n', c == '\t':
			return true
		}
	}
	return false
}

// skipEscape returns the index of the last byte of the sequence at b[i].
func skipEscape(b []byte, i int) int {
	if i+1 >= len(b) {
		return i
	}
	switch b[i+1] {
	case '[':
		for j := i + 2; j < len(b); j++ {
			if b[j] >= '@' && b[j] <= '~' {
				return j
			}
		}
		return len(b)
	case ']', 'P', '_', '^', 'X':
		for j := i + 2; j < len(b); j++ {
			if b[j] == 7 || b[j] == '\\' && b[j-1] == 0x1b {
				return j
			}
		}
		return len(b)
	}
	return i + 1
}
