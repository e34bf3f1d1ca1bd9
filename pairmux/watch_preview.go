package main

import (
	"context"
	"os"
	"strings"
	"time"

	"github.com/pairmux/pairmux/shape"
	"golang.org/x/sys/unix"
)

// A picture is what a terminal's screen shows, or, where there is none any
// more, the end of its journal.
type picture struct {
	name   string
	lines  []string // as they came from the pane
	cursor int      // the line that the cursor is on
	column int      // and its column
}

// window is the part of the picture around its end, tamed and cut to size. Of
// the cursor's line the end is shown if it is long: there a question stands.
func (p *picture) window(lines, cols int) []string {
	end := len(p.lines)
	for end > p.cursor+1 && strings.TrimSpace(p.lines[end-1]) == "" {
		end--
	}
	from := max(0, end-lines)
	if p.cursor < from {
		from = p.cursor
		end = min(end, from+lines)
	}
	out := make([]string, 0, end-from)
	for i := from; i < end; i++ {
		text := strings.TrimRight(tame(p.lines[i]), " ")
		if i == p.cursor && p.column >= cols {
			out = append(out, clipStart(text, cols))
		} else {
			out = append(out, clip(text, cols))
		}
	}
	return out
}

const (
	// pictureEvery bounds how often a busy pane is drawn.
	pictureEvery = 100 * time.Millisecond
	// picturePause is how long a row must stay selected before it is asked for
	// its screen, so that scrolling through the list costs nothing.
	picturePause = 30 * time.Millisecond
	// pictureBytes is how much of a journal's end stands in for a screen.
	pictureBytes = 64 << 10
)

// film hands on a picture now, and again whenever the journal has grown, until
// ctx ends.
func (t *terminal) film(ctx context.Context, live bool, show func(picture)) {
	f := t.j.Follow()
	defer f.Close()
	f.Long()
	if !rest(ctx, picturePause) {
		return
	}
	for {
		seen := f.Now()
		show(t.look(ctx, live))
		if !rest(ctx, pictureEvery) || f.Wait(ctx, seen) != nil {
			return
		}
	}
}

func rest(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// look takes one picture.
func (t *terminal) look(ctx context.Context, live bool) picture {
	p := picture{name: t.name}
	if live && t.here() {
		p.lines = []string{"this dashboard runs here"}
		return p
	}
	if live && t.life() == alive {
		if srv, err := t.env.server(); err == nil {
			limit, cancel := context.WithTimeout(ctx, time.Second)
			defer cancel()
			if s, err := srv.Capture(limit, t.meta.PaneID); err == nil {
				p.lines, p.cursor, p.column = s.Lines, s.CursorY, s.CursorX
				return p
			}
		}
	}
	size, err := t.j.Size()
	if err != nil {
		p.lines = []string{err.Error()}
		return p
	}
	w := shape.NewWindow(shape.Limits{Tail: 200, MaxBytes: pictureBytes})
	if err := t.render(max(t.j.Base(), size-pictureBytes), size, w.Add); err != nil {
		p.lines = []string{err.Error()}
		return p
	}
	p.lines = strings.Split(trimEllipsis(w.Result().Text), "\n")
	p.cursor = len(p.lines) - 1
	p.column = width(tame(p.lines[p.cursor]))
	return p
}

// here reports whether this process runs in the terminal's own pane, whose
// picture would be a picture of itself without end.
func (t *terminal) here() bool {
	var own, pane unix.Stat_t
	return unix.Fstat(int(os.Stdin.Fd()), &own) == nil && unix.Stat(t.meta.TTY, &pane) == nil && own.Rdev == pane.Rdev
}
