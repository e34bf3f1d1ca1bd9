//go:build !linux

package tmuxio

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// pipe makes a pipe whose read end does not block; the client's end must.
func pipe() (r, w int, err error) {
	var p [2]int
	// Without pipe2 a fork between the calls would leak the descriptors.
	syscall.ForkLock.RLock()
	err = unix.Pipe(p[:])
	if err == nil {
		unix.CloseOnExec(p[0])
		unix.CloseOnExec(p[1])
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return -1, -1, err
	}
	if err := unix.SetNonblock(p[0], true); err != nil {
		unix.Close(p[0])
		unix.Close(p[1])
		return -1, -1, err
	}
	return p[0], p[1], nil
}

// openInput makes a descriptor from which a client reads data: a file that no
// path leads to, since typed text may be a secret.
func openInput(data []byte) (int, error) {
	if data == nil {
		return unix.Open("/dev/null", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	}
	f, err := os.CreateTemp("", "pairmux-input")
	if err != nil {
		return -1, err
	}
	defer f.Close()
	if err := os.Remove(f.Name()); err != nil {
		return -1, err
	}
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return -1, err
	}
	return fillInput(fd, data)
}
