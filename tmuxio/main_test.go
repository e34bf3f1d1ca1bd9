package tmuxio

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	if os.Args[0] == "tmux" {
		// Run in place of a client, see TestMismatchedClient.
		fmt.Printf("%q\n", os.Args[1:])
		os.Exit(0)
	}
	os.Unsetenv("TMUX")
	os.Unsetenv("TMUX_PANE")
	os.Setenv("TERM", "xterm-256color")
	os.Exit(m.Run())
}

// shortDir is a directory directly under /tmp: a socket's path has to stay
// short.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "pmx")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// newServer is a server of its own, not yet running; whatever is running at
// the test's end is killed.
func newServer(t *testing.T) *Server {
	t.Helper()
	s, err := New(Config{Label: "t", TmuxTmpdir: shortDir(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if pid, err := s.ServerPID(); err == nil && pid != os.Getpid() {
			syscall.Kill(pid, syscall.SIGKILL)
		}
	})
	return s
}

func testContext(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func create(t *testing.T, s *Server, spec WindowSpec) Window {
	t.Helper()
	w, err := s.CreateWindow(testContext(t), spec)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// typeAndReport types and gives back what the call says.
func typeAndReport(t *testing.T, s *Server, spec TypeSpec) Report {
	t.Helper()
	c, err := s.Type(spec)
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.Report(testContext(t))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func run(t *testing.T, s *Server, args ...string) string {
	t.Helper()
	out, err := s.Run(testContext(t), args...)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(out, "\n")
}

// eventually waits for what another process is about to do.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !ok(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("never came: %s", what)
		}
	}
}

func screen(t *testing.T, s *Server, pane string) Screen {
	t.Helper()
	sc, err := s.Capture(testContext(t), pane)
	if err != nil {
		t.Fatal(err)
	}
	return sc
}

func paneOf(t *testing.T, s *Server, id string) Pane {
	t.Helper()
	panes, err := s.Panes(testContext(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range panes {
		if p.ID == id {
			return p
		}
	}
	t.Fatalf("pane %s is not in %+v", id, panes)
	return Pane{}
}

// A sink is a pane whose program writes every byte that it gets to a file.
type sink struct {
	Window
	file string
	read int
}

func newSink(t *testing.T, s *Server, name string) *sink {
	t.Helper()
	file := filepath.Join(t.TempDir(), "got")
	w := create(t, s, WindowSpec{Name: name, Argv: []string{"/bin/sh", "-c", `stty raw -echo && printf ready && exec cat >"$0"`, file}})
	k := &sink{Window: w, file: file}
	eventually(t, "ready sink", func() bool {
		_, err := os.Stat(file)
		return err == nil && screen(t, s, w.PaneID).Lines[0] == "ready" && paneOf(t, s, w.PaneID).CurrentCommand == "cat"
	})
	return k
}

// got checks that exactly want has come since the last time.
func (k *sink) got(t *testing.T, want string) {
	t.Helper()
	var data []byte
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		data, _ = os.ReadFile(k.file)
		data = data[k.read:]
		if len(data) >= len(want) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d of %d bytes came: %.200q", len(data), len(want), data)
		}
	}
	k.read += len(data)
	if string(data) != want {
		t.Fatalf("came: %.300q\nwant: %.300q", data, want)
	}
}

func wantErr(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("error is %v, want %v", err, want)
	}
}

func fileNumber(t *testing.T, path string) int {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// parts are all bytes so far, cut at sep.
func (k *sink) parts(t *testing.T, sep string) []string {
	t.Helper()
	data, err := os.ReadFile(k.file)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(string(data), sep)
}
