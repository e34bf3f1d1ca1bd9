package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestScript runs the acceptance scripts, each on tmux servers, a state
// directory and a home of its own. The commands that the scripts use beside
// testscript's are in scriptcmd_test.go.
func TestScript(t *testing.T) {
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:   *scripts,
		Setup: setUp,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"pm":      pmCommand,
			"refused": refusedCommand,
			"exits":   exitsCommand,
			"reply":   replyCommand,
			"took":    tookCommand,
			"poll":    pollCommand,
			"screen":  screenCommand,
			"human":   humanCommand,
			"gone":    goneCommand,
			"since":   sinceCommand,
		},
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
	})
}

// setUp gives a script its private world. The sockets live directly under
// /tmp: their paths must stay below 107 bytes.
func setUp(e *testscript.Env) error {
	dir, err := os.MkdirTemp("/tmp", "pm")
	if err != nil {
		return err
	}
	e.Defer(func() { tearDown(e.T(), dir) })
	home := filepath.Join(e.WorkDir, "home")
	if err := os.MkdirAll(home, 0o755); err != nil {
		return err
	}
	// A directory with pairmux alone, for a PATH without tmux.
	if err := os.MkdirAll(filepath.Join(e.WorkDir, "bin"), 0o755); err != nil {
		return err
	}
	if err := os.Symlink(binary, filepath.Join(e.WorkDir, "bin", "pairmux")); err != nil {
		return err
	}
	env := []string{
		"HOME=" + home,
		"PATH=" + binDir + string(os.PathListSeparator) + os.Getenv("PATH"),
		"SHELL=/bin/bash",
		"TERM=xterm-256color",
		"LC_ALL=C.UTF-8",
		"USER=tester",
		"D=" + dir,
		"TMUX_TMPDIR=" + dir,
		"PAIRMUX_STATE_DIR=" + dir + "/state",
		"TMPDIR=" + filepath.Join(e.WorkDir, ".tmp"),
		"WORK=" + e.WorkDir,
		"devnull=/dev/null", "/=/", ":=:", "$=$", "exe=",
	}
	e.Vars = env
	e.Values["last reply"] = &lastReply{}
	return nil
}

// tearDown ends every server of the script and fails it if a process that has
// the script's directory in its environment outlives them.
func tearDown(t testscript.T, dir string) {
	defer os.RemoveAll(dir)
	sockets, _ := filepath.Glob(filepath.Join(dir, "tmux-*", "*"))
	for _, s := range sockets {
		// A script may have left its server stopped.
		ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
		_ = exec.CommandContext(ctx, "tmux", "-S", s, "kill-server").Run()
		cancel()
	}
	var left []int
	if !until(5*time.Second, func() bool { left = processesOf(dir); return len(left) == 0 }) {
		for _, pid := range left {
			line, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
			t.Log("left running:", pid, strings.ReplaceAll(string(line), "\x00", " "))
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		t.FailNow()
	}
}

// processesOf finds the processes whose environment names dir. Where there is
// no /proc it finds none.
func processesOf(dir string) []int {
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	var pids []int
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err == nil && strings.Contains(string(b), dir) {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(f)))
			pids = append(pids, pid)
		}
	}
	return pids
}

// until looks again and again, with a bound that only a failing test reaches.
func until(limit time.Duration, ok func() bool) bool {
	for end := time.Now().Add(limit); ; {
		if ok() {
			return true
		}
		if time.Now().After(end) {
			return false
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// exitCode is the status of a finished command, -1 if a signal ended it.
func exitCode(err error) int {
	var e *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &e):
		return e.ExitCode()
	}
	return -2
}
