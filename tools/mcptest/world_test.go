package mcptest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// A world is a tmux server, a home and a state directory of a test's own.
type world struct {
	t   *testing.T
	dir string
	env []string
}

// newWorld makes one. At the end of the test its servers are killed, and a
// process of it that is left makes the test fail.
func newWorld(t *testing.T) *world {
	t.Helper()
	// Directly under /tmp: a socket's path has to stay short.
	dir, err := os.MkdirTemp("/tmp", "pmmcp")
	if err != nil {
		t.Fatal(err)
	}
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(dir, "home")
	if err := os.Mkdir(home, 0o700); err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, dir: dir, env: []string{
		"PATH=" + filepath.Dir(binary) + string(os.PathListSeparator) + os.Getenv("PATH"),
		"HOME=" + home, "SHELL=" + bash, "TERM=xterm-256color", "LC_ALL=C.UTF-8", "USER=tester", "LOGNAME=tester",
		"TMUX_TMPDIR=" + dir, "PAIRMUX_STATE_DIR=" + filepath.Join(dir, "state"),
	}}
	t.Cleanup(w.close)
	return w
}

func (w *world) close() {
	sockets, _ := filepath.Glob(filepath.Join(w.dir, "tmux-*", "*"))
	for _, s := range sockets {
		_ = exec.Command("tmux", "-S", s, "kill-server").Run()
	}
	if !until(func() bool { return len(w.processes("")) == 0 }) {
		for _, pid := range w.processes("") {
			w.t.Errorf("left running: %d %s", pid, commandLine(pid))
			if p, err := os.FindProcess(pid); err == nil {
				_ = p.Kill()
			}
		}
	}
	_ = os.RemoveAll(w.dir)
}

// processes lists those whose environment names this world and whose command
// line has the words. Where there is no /proc it finds none.
func (w *world) processes(words string) []int {
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	var pids []int
	for _, f := range files {
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(f)))
		env, err := os.ReadFile(f)
		if err == nil && strings.Contains(string(env), w.dir) && strings.Contains(commandLine(pid), words) {
			pids = append(pids, pid)
		}
	}
	return pids
}

func commandLine(pid int) string {
	b, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
	return strings.TrimSpace(strings.ReplaceAll(string(b), "\x00", " "))
}

// command is a process of this world, started in its home.
func (w *world) command(argv ...string) *exec.Cmd {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = filepath.Join(w.dir, "home")
	cmd.Env = w.env
	return cmd
}

// cli runs pairmux --json, and returns its reply whatever it says.
func (w *world) cli(args ...string) reply {
	w.t.Helper()
	out, err := w.command(append([]string{binary, "--json"}, args...)...).Output()
	if _, exited := err.(*exec.ExitError); err != nil && !exited {
		w.t.Fatal(err)
	}
	return replyOf(w.t, out)
}
