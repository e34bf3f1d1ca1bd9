//go:build !linux

package journal

import (
	"time"

	"golang.org/x/sys/unix"
)

// nap sleeps in the kernel: the runtime's timers cannot go below 1.1 ms.
func nap(d time.Duration) {
	tv := unix.NsecToTimeval(int64(d))
	_, _ = unix.Select(0, nil, nil, nil, &tv)
}
