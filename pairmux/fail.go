package main

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"github.com/pairmux/pairmux/envelope"
	"github.com/pairmux/pairmux/journal"
	"github.com/pairmux/pairmux/tmuxio"
)

// fail is an error reply with exit status 1.
func fail(code envelope.Code, message, hint string) *outcome {
	return &outcome{reply: envelope.Fail(code, message, hint), exit: 1}
}

// usage is an error that the parser sees alone: exit status 2.
func usage(message, hint string) *outcome {
	return &outcome{reply: envelope.Fail(envelope.CodeBadArgs, message, hint), exit: 2}
}

func badArgs(message, hint string) *outcome { return fail(envelope.CodeBadArgs, message, hint) }

// internal is our own fault or the state directory's.
func internal(err error) *outcome {
	hint := "pairmux doctor"
	message := err.Error()
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		message += "; the disk is full"
	case errors.Is(err, fs.ErrPermission):
		message += "; the state directory must be yours and writable"
	}
	return fail(envelope.CodeInternal, message, hint)
}

// tmuxFailed turns an error of tmux's into a reply.
func (e *environment) tmuxFailed(err error) *outcome {
	switch {
	case errors.Is(err, tmuxio.ErrNoTmux):
		return fail(envelope.CodeTmux, "tmux is not installed", installTmux())
	case errors.Is(err, tmuxio.ErrTooOld):
		return fail(envelope.CodeTmux, err.Error(), installTmux())
	case errors.Is(err, tmuxio.ErrTimeout):
		return fail(envelope.CodeTmux, fmt.Sprintf("the tmux server on socket %q gives no answer", e.socket), "pairmux doctor")
	}
	return fail(envelope.CodeTmux, strings.TrimSpace(err.Error()), "pairmux doctor")
}

// noTerminal names what there is and what was probably meant.
func (e *environment) noTerminal(name string) *outcome {
	names, _ := journal.Terminals(e.root, e.endpoint)
	message := fmt.Sprintf("no terminal %q", name)
	hint := e.line("new", name)
	if len(names) > 0 {
		message += "; existing: " + strings.Join(names, ", ")
		hint = e.line("ls")
		if n := nearest(name, names); n != "" {
			hint = e.line("peek", n)
		}
	}
	return fail(envelope.CodeNoTerminal, message, hint)
}
