package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A world is a tmux server with a home, a state directory and a clean
// environment of its own. It is used by one goroutine at a time.
type world struct {
	bin, tmux, dir string
	env            []string
	out            *os.File // what the last call printed
	lines          int64    // of the journal that bulk made last
}

// reply holds the fields of an envelope that are measured or checked.
type reply struct {
	OK       bool   `json:"ok"`
	Status   string `json:"status"`
	Duration *int   `json:"duration_ms"`
	Error    struct{ Code, Message string }
}

func newWorld(bin string) (*world, error) {
	tmux, err := exec.LookPath("tmux")
	if err != nil {
		return nil, err
	}
	bash, err := exec.LookPath("bash")
	if err != nil {
		return nil, err
	}
	// Directly under /tmp: a socket's path has to stay short.
	dir, err := os.MkdirTemp("/tmp", "pmbench")
	if err != nil {
		return nil, err
	}
	w := &world{bin: bin, tmux: tmux, dir: dir}
	w.env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Join(dir, "home"), "SHELL=" + bash,
		"TERM=xterm-256color", "LANG=C.UTF-8", "LC_ALL=C.UTF-8",
		"TMUX_TMPDIR=" + filepath.Join(dir, "tmux"), "PAIRMUX_STATE_DIR=" + filepath.Join(dir, "state"),
	}
	for _, d := range []string{"home", "tmux", "state"} {
		if err := os.Mkdir(filepath.Join(dir, d), 0o700); err != nil {
			return nil, err
		}
	}
	w.out, err = os.OpenFile(filepath.Join(dir, "out"), os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	return w, err
}

// config writes a start-up file into the world's home.
func (w *world) config(name, text string) error {
	file := filepath.Join(w.dir, "home", name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, []byte(text), 0o644)
}

// close ends the server and all that ran on it, and says what is left.
func (w *world) close() error {
	w.call(w.tmux, "-L", "pairmux", "kill-server")
	var left []int
	for range 100 {
		if left = w.processes(); len(left) == 0 {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	w.out.Close()
	err := os.RemoveAll(w.dir)
	if len(left) > 0 {
		err = errors.Join(err, fmt.Errorf("processes %v outlived their tmux server", left))
	}
	return err
}

// processes lists those whose environment names this world (Linux).
func (w *world) processes() []int {
	mark := []byte("TMUX_TMPDIR=" + w.dir)
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	var pids []int
	for _, f := range files {
		if env, err := os.ReadFile(f); err == nil && bytes.Contains(env, mark) {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(f)))
			pids = append(pids, pid)
		}
	}
	return pids
}

// start forks a process with its standard output in a file. Both sides of
// every comparison start here; it is the cheapest way that Go has.
func (w *world) start(stdout *os.File, argv ...string) (int, error) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return 0, err
	}
	defer null.Close()
	return syscall.ForkExec(argv[0], argv, &syscall.ProcAttr{
		Dir: filepath.Join(w.dir, "home"), Env: w.env,
		Files: []uintptr{null.Fd(), stdout.Fd(), null.Fd()},
	})
}

func reap(pid int) (syscall.WaitStatus, error) {
	var ws syscall.WaitStatus
	for {
		_, err := syscall.Wait4(pid, &ws, 0, nil)
		if !errors.Is(err, syscall.EINTR) {
			return ws, err
		}
	}
}

// call runs a process to its end, and times it from fork to exit.
func (w *world) call(argv ...string) (time.Duration, []byte, error) {
	if err := w.out.Truncate(0); err != nil {
		return 0, nil, err
	}
	began := time.Now()
	pid, err := w.start(w.out, argv...)
	if err != nil {
		return 0, nil, err
	}
	ws, err := reap(pid)
	took := time.Since(began)
	if err != nil {
		return 0, nil, err
	}
	out, err := io.ReadAll(io.NewSectionReader(w.out, 0, 1<<30))
	if err == nil && ws != 0 {
		err = fmt.Errorf("%s: exit status %d: %s", strings.Join(argv, " "), ws.ExitStatus(), bytes.TrimSpace(out))
	}
	return took, out, err
}

// display is the comparison that most figures use: one bare client call.
func (w *world) display() (time.Duration, error) {
	took, _, err := w.call(w.tmux, "-L", "pairmux", "display-message", "-p", "ok")
	return took, err
}

// busy counts runs that were refused although the terminal was free, and tried
// again; the report says how many.
var busy int

// pairmux runs one command with --json, and fails unless its reply has one of
// the statuses.
func (w *world) pairmux(statuses string, args ...string) (time.Duration, reply, error) {
	for {
		took, out, err := w.call(append([]string{w.bin, "--json"}, args...)...)
		var r reply
		if uerr := json.Unmarshal(out, &r); uerr != nil {
			return took, r, errors.Join(err, fmt.Errorf("pairmux %v: %w in %q", args, uerr, out))
		}
		if r.Error.Code == "E_BUSY" && busy < 100 {
			busy++
			time.Sleep(20 * time.Millisecond)
			continue
		}
		if err != nil {
			return took, r, err
		}
		for _, s := range strings.Fields(statuses) {
			if r.Status == s {
				return took, r, nil
			}
		}
		return took, r, fmt.Errorf("pairmux %v: status %s, want %s", args, r.Status, statuses)
	}
}

// journal is the directory of a terminal.
func (w *world) journal(name string) (string, error) {
	found, err := filepath.Glob(filepath.Join(w.dir, "state", ".sockets", "*", name))
	if err != nil || len(found) != 1 {
		return "", fmt.Errorf("the journal of %s: found %v, %v", name, found, err)
	}
	return found[0], nil
}

// fifo makes a named pipe and keeps both ends open, so that neither side
// blocks until something is written.
func (w *world) fifo(name string) (string, *os.File, error) {
	path := filepath.Join(w.dir, name)
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		return "", nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	return path, f, err
}
