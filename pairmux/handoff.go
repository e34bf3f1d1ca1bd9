package main

import (
	"bytes"
	"slices"
	"time"

	"github.com/pairmux/pairmux/detect"
	"github.com/pairmux/pairmux/envelope"
)

// handoff follows a prompt that a human is to answer, from its first sight to
// the moment the terminal is really moving again.
type handoff struct {
	asked *envelope.Prompt // the newest prompt; nil: none seen
	at    int64            // the journal's end when it was seen
	group int              // the foreground group and its programs then
	names []string
	// private is set once a secret was asked for: it may stand on the screen.
	private bool
	// answered is when the prompt was first seen to be gone; it is zero again
	// when it asks again.
	answered time.Time
	checked  bool // a password was being checked at the last look
}

// How long a prompt must have been gone before its answer counts as taken. A
// program that checks the answer does not read meanwhile, and then asks again:
// most at once, those that check passwords after up to three seconds, on
// purpose.
const (
	answerPatience   = 1300 * time.Millisecond
	passwordPatience = 5 * time.Second
)

// checkers are the programs that let a wrong password wait.
var checkers = []string{"sudo", "su", "doas", "login", "passwd", "ssh", "scp", "sftp", "pkexec", "kinit", "runuser", "sg", "newgrp", "chsh", "chfn"}

func (h *handoff) secret() bool { return h.asked != nil && h.asked.Kind == envelope.KindSecret }

// asks takes note of a prompt.
func (h *handoff) asks(s *state) {
	h.asked, h.at, h.answered = s.prompt, s.scanned, time.Time{}
	h.group, h.names = s.look.Foreground, s.look.Names
	h.private = h.private || h.secret()
}

// same reports whether the prompt of s is the one noted, perhaps with some keys
// of its answer echoed behind it.
func (h *handoff) same(t *terminal, s *state) bool {
	if h.asked == nil || s.prompt == nil || *h.asked != *s.prompt || h.group != s.look.Foreground {
		return false
	}
	switch s.prompt.Kind {
	case envelope.KindFullscreen, envelope.KindPager, envelope.KindUnknown:
		return true // what such a program draws has no lines
	}
	return !h.entered(t, s)
}

// entered reports whether a line end was printed since the prompt: the echo of
// Enter, or what the program said to it.
func (h *handoff) entered(t *terminal, s *state) bool {
	if s.scanned-h.at > tailBytes {
		return true
	}
	return bytes.IndexByte(t.bytes(h.at, s.scanned, tailBytes), '\n') >= 0
}

// moves takes note of a terminal that does not ask now, and reports whether it
// has gone on to something else for good. One echoed key leaves the reader
// asleep in its read.
func (h *handoff) moves(t *terminal, s *state) bool {
	if h.asked == nil {
		return false
	}
	moving := !s.look.Reads && (!s.look.Polls || s.look.Relay)
	if s.look.Hidden || s.look.Unclear || s.look.Relay || !s.look.Known {
		moving = h.entered(t, s) && !(s.look.Termios && s.look.Canonical && !s.look.Echo)
	}
	checking := h.checking(s)
	switch {
	case !moving:
		h.answered = time.Time{}
	case h.answered.IsZero(), h.checked && !checking:
		// What follows a check begins anew: often it is the command's end, whose
		// mark is still on its way.
		h.answered = time.Now()
	}
	h.checked = checking
	return moving && h.left(s) <= 0
}

// checking reports whether the program that asked for a password may still be
// at work on it: nothing else has begun.
func (h *handoff) checking(s *state) bool {
	raw := s.look.Termios && !s.look.Canonical // a session or a command of its own has begun
	return h.secret() && !raw && h.group == s.look.Foreground && slices.Equal(h.names, s.look.Names) &&
		slices.ContainsFunc(h.names, func(n string) bool { return slices.Contains(checkers, n) })
}

// left is how much longer the prompt must stay gone.
func (h *handoff) left(s *state) time.Duration {
	patience := answerPatience
	if h.checking(s) {
		patience = passwordPatience
	}
	return patience - time.Since(h.answered)
}

// pause is how long a waiter may sleep before it looks again, most at most.
func (h *handoff) pause(s *state, most time.Duration) time.Duration {
	if h.answered.IsZero() {
		return most
	}
	return min(most, max(h.left(s), time.Millisecond), detect.SilenceText)
}
