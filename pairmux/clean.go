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
	row := strings.TrimRight(screen.Lines[screen.CursorY], " ")
	prompt := strings.TrimRight(r.prompt, " ")
	text := strings.TrimSpace(strings.TrimPrefix(row, prompt))
	switch {
	case row == prompt && (screen.CursorX == r.column || screen.Width != t.grid().Cols):
		return nil
	case background(typed) && screen.CursorX == 0 && row == "":
		return nil // whole lines of a job's output; nothing behind them
	case background(typed) && screen.CursorX == r.column && !strings.HasPrefix(row, prompt):
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
