package main

import (
	"strings"
	"time"

	"github.com/pairmux/pairmux/journal"
	"github.com/pairmux/pairmux/shape"
)

// How long a full screen was shown, for the one line that stands for it. The
// journal has times only in its events, so the time is known where a single
// program had the terminal and the screen was all that it showed.

const (
	// besideScreen is how much else a full-screen program prints before it
	// takes the screen and after it has given it back: modes, queries, titles.
	besideScreen = 256
	// beforeScreen bounds the echo that stands between the place a command was
	// typed at and its output.
	beforeScreen = 4 << 10
	// eventsForScreen bounds the events that are looked at.
	eventsForScreen = 4096
)

// shown describes the pane to whoever shapes its bytes behind from.
func (t *terminal) shown(from int64) shape.Options {
	o := t.grid()
	o.Elapsed = func(a, b int64) (time.Duration, bool) { return t.elapsed(from+a, from+b) }
	return o
}

// elapsed is the time between the bytes at a and b, where that is known.
func (t *terminal) elapsed(a, b int64) (time.Duration, bool) {
	size, err := t.j.Size()
	if err != nil {
		return 0, false
	}
	since := func(start time.Time) (time.Duration, bool) {
		d := t.lastByte().Sub(start)
		return d, d >= 0 && size-b <= besideScreen
	}
	var end *journal.Event
	left := eventsForScreen
	for e := range t.j.Backward() {
		if left--; left < 0 {
			break
		}
		switch e.Type {
		case journal.CmdEnd:
			end = &e
		case journal.CmdStart:
			if e.Offset > a {
				continue
			}
			switch {
			case !oneProgram(e.Text):
			case end == nil || end.CmdID != e.CmdID:
				if a-e.Offset <= beforeScreen {
					return since(e.TS)
				}
			case end.DurationMS != nil && between(end.Start, a) && between(b, end.Offset):
				return time.Duration(*end.DurationMS) * time.Millisecond, true
			}
			return 0, false
		case journal.Created:
			if t.program() && oneProgram(t.meta.Cmd) && a-e.Offset <= besideScreen {
				return since(e.TS)
			}
			return 0, false
		}
	}
	return 0, false
}

// between reports whether next to nothing stands between two offsets.
func between(from, to int64) bool { return from <= to && to-from <= besideScreen }

// oneProgram reports whether a command line starts everything at once, so that
// what it shows first it shows from the beginning.
func oneProgram(line string) bool { return !strings.ContainsAny(line, ";&\n") }
