package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/pairmux/pairmux/journal"
	"golang.org/x/sys/unix"
)

// launchSpec is what the launcher of a pane has to do. It travels in a file
// only the owner can read, which the launcher removes: an environment has no
// size limit there and shows up in no process list.
type launchSpec struct {
	Path  string   `json:"path"`
	Argv  []string `json:"argv"`
	Env   []string `json:"env"`
	Cwd   string   `json:"cwd"`
	Umask int      `json:"umask"`
	Cols  int      `json:"cols"`
	Rows  int      `json:"rows"`
	Nonce string   `json:"nonce"`
	Dir   string   `json:"dir"`
	Shell bool     `json:"shell"` // an interactive shell, which makes its own process groups
}

// hidden runs the two inner commands that every terminal consists of. They are
// looked for before anything else is set up: one process of each lives as long
// as its terminal and should be small.
func hidden(argv []string) (code int, done bool) {
	if len(argv) != 3 {
		return 0, false
	}
	switch argv[1] {
	case "__journal":
		if err := journal.Pump(argv[2], os.Stdin, journal.PumpOptions{}); err != nil {
			fmt.Fprintln(os.Stderr, "pairmux: journal:", err)
			return 1, true
		}
		return 0, true
	case "__launch":
		return launch(argv[2]), true
	}
	return 0, false
}

// launch runs a pane's shell or program and reports its exit by a mark, since
// tmux loses exit statuses (3.3a: three in ten).
func launch(file string) int {
	// The parent-death signal is sent when the thread that forked ends.
	runtime.LockOSThread()
	data, err := os.ReadFile(file)
	if err != nil {
		fmt.Fprintln(os.Stderr, "pairmux:", err)
		return 126
	}
	_ = os.Remove(file)
	var spec launchSpec
	if err := json.Unmarshal(data, &spec); err != nil {
		fmt.Fprintln(os.Stderr, "pairmux:", err)
		return 126
	}
	// With a human attached tmux may give a new window the human's size for its
	// first moments (tmux 3.6b and older).
	_ = unix.IoctlSetWinsize(0, unix.TIOCSWINSZ, &unix.Winsize{Col: uint16(spec.Cols), Row: uint16(spec.Rows)})
	syscall.Umask(spec.Umask)
	_ = os.Chdir(spec.Cwd)

	// Caught, not ignored: handlers do not reach the child, ignored signals do.
	forward := make(chan os.Signal, 8)
	swallow := make(chan os.Signal, 8)
	signal.Notify(forward, syscall.SIGHUP, syscall.SIGTERM)
	signal.Notify(swallow, syscall.SIGINT, syscall.SIGQUIT)

	env := append(spec.Env, paneVariables()...)
	pid, err := syscall.ForkExec(spec.Path, spec.Argv, &syscall.ProcAttr{
		Dir: spec.Cwd, Env: env, Files: []uintptr{0, 1, 2}, Sys: childAttributes(spec.Shell),
	})
	status := 127
	if err != nil {
		fmt.Fprintf(os.Stderr, "pairmux: cannot run %s: %v\r\n", spec.Path, err)
		if errors.Is(err, syscall.EACCES) {
			status = 126
		}
	} else {
		go func() {
			for s := range forward {
				_ = syscall.Kill(pid, s.(syscall.Signal))
			}
		}()
		status = reap(pid)
	}
	leave(spec, status)
	return status
}

// paneVariables are those that tmux set for this pane and the child needs.
func paneVariables() []string {
	var vars []string
	for _, kv := range os.Environ() {
		for _, key := range []string{"TERM=", "TMUX=", "TMUX_PANE=", "TERM_PROGRAM=", "TERM_PROGRAM_VERSION="} {
			if strings.HasPrefix(kv, key) {
				vars = append(vars, kv)
			}
		}
	}
	return vars
}

// reap waits for the child. A stopped child is continued, as tmux does for its
// own children: nobody else could.
func reap(pid int) int {
	for {
		var ws syscall.WaitStatus
		_, err := syscall.Wait4(pid, &ws, syscall.WUNTRACED, nil)
		switch {
		case err == syscall.EINTR:
		case err != nil:
			return 255
		case ws.Exited():
			return ws.ExitStatus()
		case ws.Signaled():
			return 128 + int(ws.Signal())
		case ws.Stopped():
			if s := ws.StopSignal(); s != syscall.SIGTTIN && s != syscall.SIGTTOU {
				time.Sleep(10 * time.Millisecond)
				_ = syscall.Kill(pid, syscall.SIGCONT)
			}
		}
	}
}

// leave ends what the child left in the foreground, prints the exit mark, and
// waits until tmux has read everything: tmux destroys a pane on its process's
// exit and throws away what it has not read yet.
func leave(spec launchSpec, status int) {
	signal.Ignore(syscall.SIGTTOU, syscall.SIGTTIN, syscall.SIGTSTP)
	own := syscall.Getpgrp()
	if front, err := unix.IoctlGetInt(0, unix.TIOCGPGRP); err == nil && front != own && front > 0 {
		// The kernel would do this to the foreground group of a session leader.
		_ = syscall.Kill(-front, syscall.SIGHUP)
		_ = syscall.Kill(-front, syscall.SIGCONT)
	}
	_ = unix.IoctlSetPointerInt(0, unix.TIOCSPGRP, own)
	if t, err := unix.IoctlGetTermios(0, getTermios); err == nil {
		t.Lflag &^= unix.ICANON | unix.ECHO | unix.ISIG | unix.IEXTEN | unix.TOSTOP
		t.Oflag &^= unix.OPOST
		t.Cc[unix.VMIN], t.Cc[unix.VTIME] = 0, 1 // tenths of a second
		_ = unix.IoctlSetTermios(0, setTermios, t)
	}
	fmt.Fprintf(os.Stdout, "\x1b]133;X;%d;aid=%s\x07", status, spec.Nonce)
	barrier()
	if j, err := journal.Open(spec.Dir); err == nil && !j.Retired() && j.Meta().Nonce == spec.Nonce {
		code := int64(status)
		end, _ := j.Size()
		_ = j.Append(journal.Event{Type: journal.Exited, Offset: end, ExitCode: &code})
	}
}

// barrier asks the terminal for its status. tmux handles output in order, so
// the answer proves that everything before the question has reached the pipe.
func barrier() {
	fmt.Fprint(os.Stdout, "\x1b[5n")
	deadline := time.Now().Add(time.Second)
	var got []byte
	buf := make([]byte, 256)
	for time.Now().Before(deadline) {
		n, err := syscall.Read(0, buf)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return
		}
		got = append(got, buf[:n]...)
		if strings.Contains(string(got), "\x1b[0n") {
			return
		}
	}
}
