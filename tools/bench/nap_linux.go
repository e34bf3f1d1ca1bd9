package main

import (
	"syscall"
	"time"
)

// nap sleeps for less than a Go timer can.
func nap(d time.Duration) {
	ts := syscall.NsecToTimespec(int64(d))
	syscall.Nanosleep(&ts, nil)
}
