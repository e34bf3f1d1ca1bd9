package tmuxio

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// peer tells who listens at the other end of a connected socket (unix(7),
// SO_PEERCRED).
func peer(fd int) (pid, uid int, err error) {
	c, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return 0, 0, err
	}
	return int(c.Pid), int(c.Uid), nil
}

// isTmux knows a server by the name that it gives itself, "tmux: server".
func isTmux(pid int) bool {
	comm, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
	return err == nil && strings.HasPrefix(string(comm), "tmux")
}
