package tmuxio

import (
	"os/exec"
	"path"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// peer tells who listens at the other end of a connected socket.
func peer(fd int) (pid, uid int, err error) {
	pid, err = unix.GetsockoptInt(fd, unix.SOL_LOCAL, unix.LOCAL_PEERPID)
	if err != nil {
		return 0, 0, err
	}
	cred, err := unix.GetsockoptXucred(fd, unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	if err != nil {
		return 0, 0, err
	}
	return pid, int(cred.Uid), nil
}

func isTmux(pid int) bool {
	out, err := exec.Command("ps", "-o", "comm=", "-p", strconv.Itoa(pid)).Output()
	return err == nil && strings.HasPrefix(path.Base(strings.TrimSpace(string(out))), "tmux")
}
