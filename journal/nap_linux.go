package journal

import (
	"time"

	"golang.org/x/sys/unix"
)

// nap sleeps in the kernel: the runtime's timers cannot go below 1.1 ms.
func nap(d time.Duration) {
	ts := unix.NsecToTimespec(int64(d))
	_ = unix.Nanosleep(&ts, nil)
}
