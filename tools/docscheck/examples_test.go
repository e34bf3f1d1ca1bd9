package docscheck

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "rewrite the outputs of the examples that differ")

// home is what the pages call the directory in which the examples run.
const home = "/home/you"

var binary string

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(run(m))
}

// run builds the binary that is tested, so that no stale one is.
func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "docscheck")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	binary = filepath.Join(dir, "pairmux")
	build := exec.Command("go", "build", "-buildvcs=false", "-tags", "urfave_cli_no_docs,urfave_cli_no_suggest", "-o", binary, ".")
	build.Dir = filepath.Join("..", "..", "pairmux")
	build.Env = append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "building pairmux: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// pages lists what people read.
func pages(t *testing.T) []string {
	t.Helper()
	found, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	return append(found, "../../README.md")
}

// TestExamples runs every example of every page.
func TestExamples(t *testing.T) {
	for _, path := range pages(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			page := string(data)
			outputs := map[int][]string{}
			w := newWorld(t)
			for _, s := range steps(page) {
				got := w.step(t, s)
				if s.kind != shown || same(got, s.want) {
					continue
				}
				outputs[s.line] = got
				if !*update {
					t.Errorf("%s:%d: $ %s\ngot:\n%s\nthe page says:\n%s", filepath.Base(path), s.line, s.command,
						strings.Join(got, "\n"), strings.Join(s.want, "\n"))
				}
			}
			w.settle()
			if *update && len(outputs) > 0 {
				if err := os.WriteFile(path, []byte(rewrite(page, outputs)), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// A world is where a page's examples run: a home, a tmux server.
type world struct {
	home, tmux string
	env        []string
	background []*exec.Cmd
}

func newWorld(t *testing.T) *world {
	t.Helper()
	// Directly under /tmp: a socket's path has to stay short.
	dir, err := os.MkdirTemp("/tmp", "pmdocs")
	if err != nil {
		t.Fatal(err)
	}
	w := &world{home: filepath.Join(dir, "home"), tmux: filepath.Join(dir, "tmux")}
	for _, d := range []string{w.home, w.tmux} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(w.home, ".bashrc"), []byte("PS1='$ '\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Fatal(err)
	}
	// Nothing of pairmux is set: the pages show what a new user sees.
	w.env = []string{
		"PATH=" + filepath.Dir(binary) + ":" + os.Getenv("PATH"), "HOME=" + w.home, "SHELL=" + bash,
		"TERM=xterm-256color", "LANG=C.UTF-8", "LC_ALL=C.UTF-8", "TMUX_TMPDIR=" + w.tmux,
	}
	t.Cleanup(func() {
		w.settle()
		w.command(context.Background(), "tmux -L pairmux kill-server; tmux -L other kill-server").Run()
		// A pane's last process may still write.
		for end := time.Now().Add(5 * time.Second); os.RemoveAll(dir) != nil && time.Now().Before(end); {
			time.Sleep(5 * time.Millisecond)
		}
	})
	return w
}

func (w *world) command(ctx context.Context, line string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "bash", "-c", line)
	cmd.Dir, cmd.Env = w.home, w.env
	return cmd
}

// step runs one command and returns the lines that it printed. A command of
// the background is waited for after the step that follows it.
func (w *world) step(t *testing.T, s step) []string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	if s.kind == meanwhile {
		t.Cleanup(cancel)
		cmd := w.command(ctx, s.command)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		w.background = append(w.background, cmd)
		return nil
	}
	defer cancel()
	out, err := w.command(ctx, s.command).CombinedOutput()
	if ctx.Err() != nil {
		t.Fatalf("line %d: %s: no end within a minute:\n%s", s.line, s.command, out)
	}
	if s.kind == hidden && err != nil {
		t.Fatalf("line %d: %s: %v\n%s", s.line, s.command, err, out)
	}
	w.settle()
	text := strings.ReplaceAll(strings.TrimRight(string(out), "\n"), w.home, home)
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

func (w *world) settle() {
	for _, c := range w.background {
		c.Wait()
	}
	w.background = nil
}
