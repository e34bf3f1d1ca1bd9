package main

import (
	"os"
	"os/exec"
	"runtime"

	"golang.org/x/sys/unix"
)

// installTmux is the command that installs tmux on this system.
func installTmux() string {
	if runtime.GOOS == "darwin" {
		return "brew install tmux"
	}
	for _, m := range []struct{ tool, line string }{
		{"apt-get", "sudo apt-get install tmux"},
		{"dnf", "sudo dnf install tmux"},
		{"pacman", "sudo pacman -S tmux"},
		{"apk", "sudo apk add tmux"},
		{"zypper", "sudo zypper install tmux"},
	} {
		if _, err := exec.LookPath(m.tool); err == nil {
			return m.line
		}
	}
	return "install tmux 3.2 or newer"
}

// isTerminal reports whether f is a terminal.
func isTerminal(f *os.File) bool {
	_, err := unix.IoctlGetTermios(int(f.Fd()), getTermios)
	return err == nil
}
