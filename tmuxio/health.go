package tmuxio

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// Health is what a connection to the socket tells of a server.
type Health int

const (
	Alive      Health = iota // it accepts connections (a stopped server does too), or only tmux can tell
	Gone                     // there is no socket; the server may live, see [Server.Revive]
	Dead                     // the socket is stale: its server has ended
	Overloaded               // the queue of connections is full; try again
)

func (h Health) String() string {
	switch h {
	case Alive:
		return "alive"
	case Gone:
		return "gone"
	case Dead:
		return "dead"
	case Overloaded:
		return "overloaded"
	}
	return fmt.Sprintf("Health(%d)", int(h))
}

// Health connects to the socket and hangs up: 0.1 ms, no client, no command,
// never blocking.
func (s *Server) Health() Health {
	fd, err := s.connect()
	if err == nil {
		unix.Close(fd)
	}
	switch err {
	case unix.ENOENT, unix.ENOTDIR:
		return Gone
	case unix.ECONNREFUSED:
		return Dead
	case unix.EAGAIN, unix.EINPROGRESS:
		return Overloaded
	}
	// Nothing that takes terminals for lost may follow from, say, EACCES.
	return Alive
}

func (s *Server) connect() (int, error) {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		return -1, err
	}
	unix.CloseOnExec(fd)
	if err = unix.SetNonblock(fd, true); err == nil {
		err = unix.Connect(fd, &unix.SockaddrUnix{Name: s.socket})
	}
	if err != nil {
		unix.Close(fd)
		return -1, err
	}
	return fd, nil
}

// ServerPID asks the kernel who listens on the socket; no client is started.
func (s *Server) ServerPID() (int, error) {
	fd, err := s.connect()
	if err != nil {
		return 0, &Error{Op: "connect", Stderr: s.socket + ": " + err.Error(), ExitCode: -1, Err: ErrNoServer}
	}
	defer unix.Close(fd)
	pid, uid, err := peer(fd)
	if err != nil {
		return 0, err
	}
	if uid != os.Geteuid() {
		return 0, fmt.Errorf("tmux socket %s belongs to uid %d", s.socket, uid)
	}
	return pid, nil
}

// serverExe is a path at which the server's executable can be run, also when
// an upgrade has deleted it.
func (s *Server) serverExe() (string, error) {
	pid, err := s.ServerPID()
	if err != nil {
		return "", err
	}
	exe := fmt.Sprintf("/proc/%d/exe", pid)
	if _, err := os.Stat(exe); err != nil {
		return "", err
	}
	return exe, nil
}

func sameExecutable(a, b string) bool {
	sa, errA := os.Stat(a)
	sb, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(sa, sb)
}

// Revive brings back a socket that was deleted while its server lives: tmux
// makes it anew when it gets SIGUSR1. pid is the server's, from
// [Window.ServerPID]. It waits until the socket answers or ctx ends, and does
// nothing when it answers already. A pid that is no tmux server's (whom the
// signal would kill) is [ErrNoServer].
func (s *Server) Revive(ctx context.Context, pid int) error {
	if s.Health() == Alive {
		return nil
	}
	if pid <= 1 || !isTmux(pid) {
		return &Error{Op: "revive", Stderr: fmt.Sprintf("pid %d is no tmux server", pid), ExitCode: -1, Err: ErrNoServer}
	}
	dir := filepath.Dir(s.socket)
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	if err := unix.Kill(pid, unix.SIGUSR1); err != nil {
		return &Error{Op: "revive", Stderr: fmt.Sprintf("pid %d: %v", pid, err), ExitCode: -1, Err: ErrNoServer}
	}
	if _, ok := ctx.Deadline(); !ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, DefaultTimeout)
		defer cancel()
	}
	for s.Health() != Alive {
		select {
		case <-ctx.Done():
			return &Error{Op: "revive", Stderr: s.socket, ExitCode: -1, Err: ErrTimeout}
		case <-time.After(time.Millisecond):
		}
	}
	return nil
}
