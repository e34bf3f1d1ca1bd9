package journalproxy

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// A world is a tmux server, a home and a state directory of the test's own.
type world struct {
	t      *testing.T
	dir    string
	binary string
	env    []string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	// Directly under /tmp: a socket's path has to stay short.
	dir, err := os.MkdirTemp("/tmp", "pmjp")
	if err != nil {
		t.Fatal(err)
	}
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, dir: dir, binary: filepath.Join(dir, "pairmux")}
	w.env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "SHELL=" + bash, "TERM=xterm-256color", "LC_ALL=C.UTF-8",
		"TMUX_TMPDIR=" + dir, "PAIRMUX_STATE_DIR=" + filepath.Join(dir, "state"),
	}
	t.Cleanup(func() {
		_ = w.command("kill", "--all").Run()
		tmux := exec.Command("tmux", "-L", "pairmux", "kill-server")
		tmux.Env = w.env
		_ = tmux.Run()
		_ = os.RemoveAll(dir)
	})
	build := exec.Command("go", "build", "-buildvcs=false", "-tags", "urfave_cli_no_docs,urfave_cli_no_suggest", "-o", w.binary, ".")
	build.Dir = filepath.Join("..", "..", "pairmux")
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return w
}

func (w *world) command(args ...string) *exec.Cmd {
	cmd := exec.Command(w.binary, args...)
	cmd.Env, cmd.Dir = w.env, w.dir
	return cmd
}

// pairmux runs one command, which must not fail.
func (w *world) pairmux(args ...string) {
	w.t.Helper()
	if out, err := w.command(args...).CombinedOutput(); err != nil {
		w.t.Fatalf("pairmux %v: %v\n%s", args, err, out)
	}
}
