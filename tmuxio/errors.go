package tmuxio

import (
	"errors"
	"strings"
)

// What errors.Is finds in an [Error].
var (
	ErrNoTmux          = errors.New("tmux is not installed")
	ErrTooOld          = errors.New("tmux is too old")
	ErrNoServer        = errors.New("no tmux server is running")
	ErrServerExited    = errors.New("the tmux server exited")
	ErrVersionMismatch = errors.New("the tmux server is of another version than the client")
	ErrNoTarget        = errors.New("no such pane, window or session")
	ErrTooLong         = errors.New("command is too long for tmux")
	ErrTimeout         = errors.New("tmux does not answer")
)

// An Error is a tmux client call that failed.
type Error struct {
	Op       string // the first tmux command of the call
	Stderr   string // what the client said, trimmed
	ExitCode int    // of the client; -1 if it did not exit by itself
	Err      error  // one of the package's sentinels, or nil
}

func (e *Error) Error() string {
	msg := "tmux " + e.Op
	if e.Err != nil {
		msg += ": " + e.Err.Error()
	}
	if e.Stderr != "" {
		msg += ": " + e.Stderr
	} else if e.Err == nil {
		msg += ": failed"
	}
	return msg
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// sentinel reads the client's words; they are the same from 3.2 to 3.7.
func sentinel(stderr string) error {
	has := func(s string) bool { return strings.Contains(stderr, s) }
	switch {
	case has("no server running"),
		has("error connecting to") && (has("No such file") || has("refused")):
		return ErrNoServer
	case has("server exited"), has("lost server"):
		return ErrServerExited
	case has("can't find "), has("no current target"), has("no sessions"):
		return ErrNoTarget
	case has("command too long"):
		return ErrTooLong
	}
	return nil
}
