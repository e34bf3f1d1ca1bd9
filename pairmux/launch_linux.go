package main

import (
	"syscall"

	"golang.org/x/sys/unix"
)

const (
	getTermios = unix.TCGETS
	setTermios = unix.TCSETSW
)

// childAttributes: a program gets a group of its own in the foreground, or tmux
// would show the launcher's name; a shell makes its groups itself. A launcher
// that is killed hangs up its child.
func childAttributes(shell bool) *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Pdeathsig: syscall.SIGHUP}
	if !shell {
		a.Setpgid, a.Foreground, a.Ctty = true, true, 0
	}
	return a
}
