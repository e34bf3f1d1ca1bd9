package mcpserver

import (
	"os"
	"strconv"
	"syscall"
)

// lifeVariable names the descriptor of the life pipe in a child's environment.
const lifeVariable = "PAIRMUX_LIFE_FD"

// WatchLife ties a child to the server that started it: when the server is gone,
// also by SIGKILL, gone is called once, on a goroutine of its own. In a process
// that no server started it does nothing and costs one look at the environment.
//
// Call it first thing in main: it also keeps the pipe, and the variable that names
// it, from the processes that this one starts, which may outlive it.
func WatchLife(gone func()) {
	value, there := os.LookupEnv(lifeVariable)
	if !there {
		return
	}
	os.Unsetenv(lifeVariable)
	fd, err := strconv.Atoi(value)
	if err != nil || fd < 3 {
		return
	}
	var stat syscall.Stat_t
	if syscall.Fstat(fd, &stat) != nil || stat.Mode&syscall.S_IFMT != syscall.S_IFIFO {
		return
	}
	syscall.CloseOnExec(fd)
	go func() {
		// Nothing is ever written: the read ends when the last write end closes.
		var b [1]byte
		for {
			if _, err := syscall.Read(fd, b[:]); err != syscall.EINTR {
				break
			}
		}
		gone()
	}()
}
