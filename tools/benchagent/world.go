package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// patience bounds every task; only one that cannot be done reaches it.
const patience = 30 * time.Second

// A world is a tmux server, a home and a state directory for one task done in one
// way. Nothing of it is left afterwards.
type world struct {
	bin, dir string
	env      []string
}

func newWorld(bin string) (*world, error) {
	// Directly under /tmp: a socket's path has to stay short.
	dir, err := os.MkdirTemp("/tmp", "pmecon")
	if err != nil {
		return nil, err
	}
	w := &world{bin: bin, dir: dir, env: []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "SHELL=/bin/bash", "TERM=xterm-256color", "LC_ALL=C.UTF-8",
		"TMUX_TMPDIR=" + dir,
	}}
	// Both sides get the same short prompt; tmux by itself starts a login shell.
	for _, name := range []string{".bashrc", ".bash_profile"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("PS1='$ '\n"), 0o600); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// close ends the servers and all that ran on them, and says what is left.
func (w *world) close() error {
	for _, s := range []string{"pairmux", "raw"} {
		_ = w.command("tmux", "-L", s, "kill-server").Run()
	}
	var err error
	for end := time.Now().Add(patience); w.busy(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			err = fmt.Errorf("a process in %s outlived its tmux server", w.dir)
			break
		}
	}
	return errors.Join(err, os.RemoveAll(w.dir))
}

// busy says whether a process of this world is there (Linux; elsewhere no).
func (w *world) busy() bool {
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, f := range files {
		if b, err := os.ReadFile(f); err == nil && bytes.Contains(b, []byte("TMUX_TMPDIR="+w.dir)) {
			return true
		}
	}
	return false
}

func (w *world) command(argv ...string) *exec.Cmd {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = w.dir, w.env
	return cmd
}

// output runs a command that must succeed.
func (w *world) output(stdin []byte, argv ...string) ([]byte, error) {
	cmd := w.command(argv...)
	if stdin != nil {
		cmd.Stdin = bytes.NewReader(stdin)
	}
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %s", strings.Join(argv, " "), err, out)
	}
	return out, nil
}

// human is somebody who looks at a pane of a server until it shows the text, and
// then types. What a human does is counted for nobody.
func (w *world) human(server, sees string, types ...string) <-chan error {
	done := make(chan error, 1)
	go func() {
		for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
			panes, _ := w.command("tmux", "-L", server, "list-panes", "-a", "-F", "#{pane_id}").Output()
			pane := strings.TrimSpace(string(panes))
			if pane == "" {
				continue
			}
			screen, _ := w.command("tmux", "-L", server, "capture-pane", "-p", "-t", pane).Output()
			if strings.Contains(string(screen), sees) {
				_, err := w.output(nil, append([]string{"tmux", "-L", server, "send-keys", "-t", pane}, types...)...)
				done <- err
				return
			}
		}
		done <- fmt.Errorf("the human never saw %q", sees)
	}()
	return done
}
