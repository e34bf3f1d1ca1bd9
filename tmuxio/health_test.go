package tmuxio

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

func TestHealth(t *testing.T) {
	s := newServer(t)
	if h := s.Health(); h != Gone {
		t.Fatalf("before: %v", h)
	}
	w := create(t, s, WindowSpec{Name: "a", Argv: []string{"sleep", "1000"}})
	if h := s.Health(); h != Alive {
		t.Fatalf("running: %v", h)
	}
	if pid, err := s.ServerPID(); err != nil || pid != w.ServerPID {
		t.Errorf("ServerPID is %d, %v, want %d", pid, err, w.ServerPID)
	}
	if err := syscall.Kill(w.ServerPID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	eventually(t, "stale socket", func() bool { return s.Health() == Dead })
	if panes, err := s.Panes(testContext(t)); err != nil || len(panes) != 0 {
		t.Errorf("panes of a dead server: %v, %v", panes, err)
	}
	_, err := s.ServerPID()
	wantErr(t, err, ErrNoServer)
	_, err = s.Capture(testContext(t), "%0")
	wantErr(t, err, ErrNoServer)

	w = create(t, s, WindowSpec{Name: "b", Argv: []string{"sleep", "1000"}})
	if h := s.Health(); h != Alive {
		t.Errorf("started over a stale socket: %v", h)
	}
}

func TestHealthOfAFullQueue(t *testing.T) {
	s := newServer(t)
	if err := os.MkdirAll(filepath.Dir(s.SocketPath()), 0o700); err != nil {
		t.Fatal(err)
	}
	l, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(l)
	if err := unix.Bind(l, &unix.SockaddrUnix{Name: s.SocketPath()}); err != nil {
		t.Fatal(err)
	}
	if err := unix.Listen(l, 0); err != nil {
		t.Fatal(err)
	}
	for range 10 {
		fd, err := s.connect()
		if err != nil {
			break
		}
		defer unix.Close(fd)
	}
	if h := s.Health(); h != Overloaded {
		t.Errorf("full queue: %v", h)
	}
}

func TestReviveBringsTheSocketBack(t *testing.T) {
	s := newServer(t)
	ctx := testContext(t)
	w := create(t, s, WindowSpec{Name: "a", Argv: []string{"sleep", "1000"}})
	t.Cleanup(func() { syscall.Kill(w.ServerPID, syscall.SIGKILL) })
	if err := s.Revive(ctx, w.ServerPID); err != nil {
		t.Errorf("nothing to do: %v", err)
	}
	if err := os.RemoveAll(filepath.Dir(s.SocketPath())); err != nil {
		t.Fatal(err)
	}
	if h := s.Health(); h != Gone {
		t.Fatalf("deleted socket: %v", h)
	}
	if err := s.Revive(ctx, w.ServerPID); err != nil {
		t.Fatal(err)
	}
	if p := paneOf(t, s, w.PaneID); p.Name != "a" || p.ServerPID != w.ServerPID {
		t.Errorf("revived server has %+v", p)
	}
}

func TestReviveSignalsOnlyATmux(t *testing.T) {
	s := newServer(t)
	other := exec.Command("sleep", "1000")
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	defer other.Wait()
	defer other.Process.Kill()
	wantErr(t, s.Revive(testContext(t), other.Process.Pid), ErrNoServer)
	wantErr(t, s.Revive(testContext(t), 0), ErrNoServer)
	if err := other.Process.Signal(syscall.Signal(0)); err != nil {
		t.Errorf("the bystander was hit: %v", err)
	}
}
