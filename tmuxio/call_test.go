package tmuxio

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestErrorsAreToldApart(t *testing.T) {
	s := newServer(t)
	ctx := testContext(t)
	_, err := s.Run(ctx, "display-message", "-p", "x")
	wantErr(t, err, ErrNoServer)

	create(t, s, WindowSpec{Name: "a", Argv: []string{"sleep", "1000"}})
	_, err = s.Run(ctx, "capture-pane", "-p", "-t", "%99")
	wantErr(t, err, ErrNoTarget)
	_, err = s.Run(ctx, "select-window", "-t", "=nobody:")
	wantErr(t, err, ErrNoTarget)
	_, err = s.Run(ctx, "no-such-command")
	var e *Error
	if !errors.As(err, &e) || e.ExitCode != 1 || e.Op != "no-such-command" || !strings.Contains(e.Stderr, "unknown command") || e.Err != nil {
		t.Errorf("unknown command: %#v", err)
	}
	_, err = s.Run(ctx, "display-message", "-p", strings.Repeat("x", 20000))
	wantErr(t, err, ErrTooLong)
	if _, err = s.Run(ctx, "display-message", "-p", "a\x00b"); err == nil {
		t.Error("NUL in an argument was let through")
	}
}

func TestLongestMessageGoesThrough(t *testing.T) {
	s := newServer(t)
	create(t, s, WindowSpec{Name: "a", Argv: []string{"sleep", "1000"}})
	word := strings.Repeat("x", maxArgs-len("set")-len("-g")-len("@x")-4)
	run(t, s, "set", "-g", "@x", word)
	if got := run(t, s, "display-message", "-p", "#{n:@x}"); got != "15989" {
		t.Errorf("%s bytes came, sent %d", got, len(word))
	}
}

func TestPollSeesTheClientEnd(t *testing.T) {
	s := newServer(t)
	create(t, s, WindowSpec{Name: "a", Argv: []string{"sleep", "1000"}})
	c, err := s.Start(nil, "capture-pane", "-p", "-t", "%99")
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "end of the client", func() bool {
		done, e := c.Poll()
		err = e
		return done
	})
	wantErr(t, err, ErrNoTarget)
	_, err = c.Wait(testContext(t))
	wantErr(t, err, ErrNoTarget)
}

func TestStdinReachesTheClientWhole(t *testing.T) {
	s := newServer(t)
	create(t, s, WindowSpec{Name: "a", Argv: []string{"sleep", "1000"}})
	data := strings.Repeat("0123456789abcde\x00", 1<<16)
	c, err := s.Start([]byte(data), "load-buffer", "-b", "x", "-", ";", "save-buffer", "-b", "x", "-")
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.Wait(testContext(t))
	if err != nil || got != data {
		t.Errorf("%d of %d bytes came back, %v", len(got), len(data), err)
	}
}

func TestStoppedServerTimesOut(t *testing.T) {
	s := newServer(t)
	w := create(t, s, WindowSpec{Name: "a", Argv: []string{"sleep", "1000"}})
	if err := syscall.Kill(w.ServerPID, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	if h := s.Health(); h != Alive {
		t.Errorf("a stopped server is %v", h)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	_, err := s.Run(ctx, "display-message", "-p", "x")
	wantErr(t, err, ErrTimeout)
	_, err = s.Panes(ctx)
	wantErr(t, err, ErrTimeout)

	ctx, stop := context.WithCancel(context.Background())
	c, err := s.Start(nil, "display-message", "-p", "x")
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(20*time.Millisecond, stop)
	_, err = c.Wait(ctx)
	wantErr(t, err, context.Canceled)

	syscall.Kill(w.ServerPID, syscall.SIGCONT)
	if got := run(t, s, "display-message", "-p", "x"); got != "x" {
		t.Errorf("after SIGCONT: %q", got)
	}
}

// A server that hangs up on the client while its executable is another one
// than the client's: the call is made again with the server's.
func TestMismatchedClient(t *testing.T) {
	s := newServer(t)
	if err := os.MkdirAll(filepath.Dir(s.SocketPath()), 0o700); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", s.SocketPath())
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			c.Close()
		}
	}()
	c, err := s.Start(nil, "display-message", "-p", "x")
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.Wait(testContext(t))
	if err != nil || !strings.Contains(out, `"display-message" "-p" "x"`) {
		t.Errorf("the server's own executable was not run: %q, %v", out, err)
	}
	if !strings.HasPrefix(s.Binary(), "/proc/") {
		t.Errorf("later calls use %s", s.Binary())
	}
}

func TestEnvironmentDoesNotChooseTheServer(t *testing.T) {
	home := t.TempDir()
	if err := os.WriteFile(filepath.Join(home, ".tmux.conf"), []byte("set -g @hostile yes\nset -g default-command 'false'\nset -g base-index 7\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", home)
	t.Setenv("TMUX", "/nonexistent/socket,1,0")
	t.Setenv("TMUX_PANE", "%42")
	t.Setenv("TMUX_TMPDIR", "/nonexistent")
	t.Setenv("LC_ALL", "C")
	t.Setenv("SECRET", "x")
	s := newServer(t)
	w := create(t, s, WindowSpec{Name: "a", Argv: []string{"sleep", "1000"}})
	if got := run(t, s, "display-message", "-p", "#{@hostile}|#{base-index}|#{socket_path}"); got != "|0|"+s.SocketPath() {
		t.Errorf("the server says %q", got)
	}
	if got := run(t, s, "display-message", "-p", "ä漢"); got != "ä漢" {
		t.Errorf("not UTF-8: %q", got)
	}
	if env := run(t, s, "show-environment", "-g"); strings.Contains(env, "SECRET") || strings.Contains(env, "%42") {
		t.Errorf("the server got our environment: %s", env)
	}
	if w.ServerPID <= 0 || w.Version == "" {
		t.Errorf("window: %+v", w)
	}
}

func TestNewRefusesWhatCannotWork(t *testing.T) {
	_, err := New(Config{Label: "a", Binary: "/nonexistent/tmux"})
	wantErr(t, err, ErrNoTmux)
	t.Setenv("PATH", t.TempDir())
	_, err = New(Config{Label: "a"})
	wantErr(t, err, ErrNoTmux)
	if _, err = New(Config{Label: strings.Repeat("x", 200), Binary: "/bin/sh"}); err == nil {
		t.Error("a socket path of over 200 bytes was let through")
	}
}

func TestSocketPathIsCanonical(t *testing.T) {
	dir := shortDir(t)
	link := filepath.Join(dir, "link")
	real := filepath.Join(dir, "real")
	if err := os.Mkdir(real, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	a, _ := New(Config{Label: "x", TmuxTmpdir: link})
	b, _ := New(Config{Label: "x", TmuxTmpdir: real})
	missing, _ := New(Config{Label: "x", TmuxTmpdir: filepath.Join(dir, "missing")})
	none, _ := New(Config{Label: "x"})
	if a.SocketPath() != b.SocketPath() || missing.SocketPath() != none.SocketPath() || a.SocketPath() == none.SocketPath() {
		t.Errorf("%s %s %s %s", a.SocketPath(), b.SocketPath(), missing.SocketPath(), none.SocketPath())
	}
}
