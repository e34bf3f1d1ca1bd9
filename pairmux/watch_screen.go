package main

import (
	"errors"
	"io"
	"os"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// A screen is the human's terminal in the hands of the dashboard. There is no
// library behind it because its start-up would be paid by every command of this
// binary: bubbletea v2 costs each process 0.3 to 0.5 ms.
type screen struct {
	in, out *os.File
	cooked  *term.State
	wake    [2]int // a pipe that ends the wait for keys
	quit    chan struct{}
	reading sync.WaitGroup
	shown   []string // the lines as they stand there, nil when unknown
}

const (
	// The alternate screen, no cursor, no wrapping at the right edge (what is
	// wider than believed must not reach the next line), pastes in brackets.
	screenOn  = "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[?2004h\x1b[2J"
	screenOff = "\x1b[m\x1b[?2004l\x1b[?7h\x1b[?25h\x1b[?1049l"
	// Where a terminal knows it, what is between these is shown at once.
	updateOn  = "\x1b[?2026h"
	updateOff = "\x1b[?2026l"
)

// openScreen prepares the taking of the terminal. It opens its pipe first: the
// number must fit into select's set.
func openScreen(in, out *os.File) (*screen, error) {
	s := &screen{in: in, out: out}
	if err := unix.Pipe(s.wake[:]); err != nil {
		return nil, err
	}
	unix.CloseOnExec(s.wake[0])
	unix.CloseOnExec(s.wake[1])
	return s, nil
}

func (s *screen) close() {
	s.release()
	_ = unix.Close(s.wake[0])
	_ = unix.Close(s.wake[1])
}

// take makes the terminal the dashboard's and begins to hand on its keys. The end
// of input counts as the key that leaves.
func (s *screen) take(keys chan<- []keyPress) error {
	cooked, err := term.MakeRaw(int(s.in.Fd()))
	if err != nil {
		return err
	}
	s.cooked, s.shown = cooked, nil
	if _, err := io.WriteString(s.out, screenOn); err != nil {
		return err
	}
	s.quit = make(chan struct{})
	s.reading.Go(func() { s.read(keys) })
	return nil
}

// release gives the terminal back as it was. Keys that were not read stay for
// whoever has it next.
func (s *screen) release() {
	if s.cooked == nil {
		return
	}
	close(s.quit)
	_, _ = unix.Write(s.wake[1], []byte{0})
	s.reading.Wait()
	var b [1]byte
	_, _ = unix.Read(s.wake[0], b[:])
	_, _ = io.WriteString(s.out, screenOff)
	_ = term.Restore(int(s.in.Fd()), s.cooked)
	s.cooked = nil
}

// escapePatience is how long the rest of a sequence may take: a lone Escape
// cannot be told from the beginning of one.
const escapePatience = 40 * time.Millisecond

// read hands on keys until it is woken or the input ends.
func (s *screen) read(keys chan<- []keyPress) {
	rest := ""
	buf := make([]byte, 4096)
	for {
		var patience *unix.Timeval
		if rest != "" {
			tv := unix.NsecToTimeval(int64(escapePatience))
			patience = &tv
		}
		input, stop, err := s.await(patience)
		if stop || err != nil {
			return
		}
		final := !input
		if input {
			n, err := unix.Read(int(s.in.Fd()), buf)
			switch {
			case errors.Is(err, unix.EINTR), errors.Is(err, unix.EAGAIN):
				continue
			case err != nil || n == 0:
				s.hand(keys, []keyPress{{name: "quit"}})
				return
			}
			rest += string(buf[:n])
		}
		var pressed []keyPress
		pressed, rest = decodeKeys(rest, final)
		s.hand(keys, pressed)
	}
}

func (s *screen) hand(keys chan<- []keyPress, pressed []keyPress) {
	if len(pressed) == 0 {
		return
	}
	select {
	case keys <- pressed:
	case <-s.quit:
	}
}

// await waits for input or for the end of reading.
func (s *screen) await(patience *unix.Timeval) (input, stop bool, err error) {
	in := int(s.in.Fd())
	for {
		var set unix.FdSet
		set.Set(in)
		set.Set(s.wake[0])
		_, err := unix.Select(max(in, s.wake[0])+1, &set, nil, nil, patience)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		return set.IsSet(in), set.IsSet(s.wake[0]), err
	}
}

// size is the terminal's in columns and lines.
func (s *screen) size() (cols, lines int) {
	cols, lines, err := term.GetSize(int(s.out.Fd()))
	if err != nil || cols == 0 || lines == 0 {
		return 80, 24
	}
	return cols, lines
}

// forget makes the next frame be drawn whole.
func (s *screen) forget() { s.shown = nil }

// draw brings the screen from what it shows to f, by one write.
func (s *screen) draw(f frame) error {
	b := paint(s.shown, f)
	s.shown = f.lines
	if b == nil {
		return nil
	}
	_, err := s.out.Write(b)
	return err
}

// paint is what has to be sent where shown stands, nil if nothing: only lines
// that differ are sent. A line is erased before it is written: after a full one
// the cursor would stand on its last character.
func paint(shown []string, f frame) []byte {
	var b []byte
	whole := len(shown) != len(f.lines)
	if whole {
		b = append(b, "\x1b[m\x1b[2J"...)
	}
	for i, line := range f.lines {
		if whole && line == "" || !whole && line == shown[i] {
			continue
		}
		b = append(b, "\x1b["...)
		b = strconv.AppendInt(b, int64(i+1), 10)
		b = append(b, ";1H\x1b[m\x1b[K"...)
		b = append(b, line...)
	}
	if f.cursor {
		b = append(b, "\x1b["...)
		b = strconv.AppendInt(b, int64(f.line+1), 10)
		b = append(b, ';')
		b = strconv.AppendInt(b, int64(f.col+1), 10)
		b = append(b, "H\x1b[?25h"...)
	}
	if b == nil {
		return nil
	}
	out := append([]byte(updateOn+"\x1b[?25l"), b...)
	return append(out, updateOff...)
}
