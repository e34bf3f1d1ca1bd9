package tmuxio

import "golang.org/x/sys/unix"

// fillInput writes data to a new file and goes back to its start. It closes fd
// when it fails.
func fillInput(fd int, data []byte) (int, error) {
	for len(data) > 0 {
		n, err := unix.Write(fd, data)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			unix.Close(fd)
			return -1, err
		}
		data = data[n:]
	}
	if _, err := unix.Seek(fd, 0, unix.SEEK_SET); err != nil {
		unix.Close(fd)
		return -1, err
	}
	return fd, nil
}
