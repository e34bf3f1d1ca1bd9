package main

import (
	"syscall"

	"golang.org/x/sys/unix"
)

const (
	getTermios = unix.TIOCGETA
	setTermios = unix.TIOCSETAW
)

// childAttributes: a program gets a group of its own in the foreground, or tmux
// would show the launcher's name; a shell makes its groups itself.
func childAttributes(shell bool) *syscall.SysProcAttr {
	if shell {
		return nil
	}
	return &syscall.SysProcAttr{Setpgid: true, Foreground: true, Ctty: 0}
}
