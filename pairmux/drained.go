package main

import (
	"bytes"
	"context"
	"os"
	"strconv"
	"time"

	"github.com/pairmux/pairmux/detect"
)

// A program may have printed what is not in the journal yet: its question, or
// the shell's mark that a command has ended. On a busy machine that takes longer
// than any fixed pause, so what carries it there is asked whether it has work.

// How long a busy carrier is waited for: one look of a call that must be quick,
// and one of a call that waits anyway. A tmux server may be busy for ever, with
// another terminal's output.
const (
	drainQuick = 25 * time.Millisecond
	drainLong  = 300 * time.Millisecond
)

// drained waits until neither the tmux server nor the journal's writer has
// anything to do, or until the time is up, and reports whether the journal is
// still of that size.
func (t *terminal) drained(ctx context.Context, size int64, patience time.Duration) bool {
	for end := time.Now().Add(patience); ; {
		idle := detect.Asleep(t.meta.ServerPID) && detect.Asleep(t.journalWriter())
		if now, err := t.j.Size(); err != nil || now != size {
			return false
		}
		if idle || ctx.Err() != nil || time.Now().After(end) {
			return true
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// journalWriter finds the process that writes the journal: a child of the tmux
// server. 0 when there is none.
func (t *terminal) journalWriter() int {
	for _, pid := range append([]int{t.writer}, detect.Children(t.meta.ServerPID)...) {
		if pid == 0 {
			continue
		}
		args, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
		if err == nil && bytes.HasSuffix(args, []byte("\x00__journal\x00"+t.j.Dir()+"\x00")) {
			t.writer = pid
			return pid
		}
	}
	return 0
}
