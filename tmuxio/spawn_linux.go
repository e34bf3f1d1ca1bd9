package tmuxio

import "golang.org/x/sys/unix"

// pipe makes a pipe whose read end does not block; the client's end must.
func pipe() (r, w int, err error) {
	var p [2]int
	if err := unix.Pipe2(p[:], unix.O_CLOEXEC); err != nil {
		return -1, -1, err
	}
	if err := unix.SetNonblock(p[0], true); err != nil {
		unix.Close(p[0])
		unix.Close(p[1])
		return -1, -1, err
	}
	return p[0], p[1], nil
}

// openInput makes a descriptor from which a client reads data: memory that no
// path leads to, since typed text may be a secret.
func openInput(data []byte) (int, error) {
	if data == nil {
		return unix.Open("/dev/null", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	}
	fd, err := unix.MemfdCreate("pairmux-input", unix.MFD_CLOEXEC)
	if err != nil {
		return -1, err
	}
	return fillInput(fd, data)
}
