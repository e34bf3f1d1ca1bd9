package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pairmux/pairmux/envelope"
)

// Many terminals, writers and readers at once: no mix-up, and no error but
// E_BUSY where two want one terminal. PAIRMUX_CROWD=60s has 20 writers and 50
// readers at it for that long; by default there are fewer, for some rounds.
func TestManyAtOnce(t *testing.T) {
	terminals, readers, rounds := 5, 12, 4
	limit := time.Minute
	if v := os.Getenv("PAIRMUX_CROWD"); v != "" {
		d, err := time.ParseDuration(v)
		if err != nil {
			t.Fatal(err)
		}
		terminals, readers, rounds, limit = 20, 50, 1<<30, d
	}
	w := newWorld(t)
	var made sync.WaitGroup
	for i := range terminals {
		made.Go(func() {
			if r, err := w.call("", "new", fmt.Sprintf("t%d", i), "--timeout", "60s"); err != nil || r.Status != envelope.StatusCreated {
				t.Errorf("new: %v %v", err, r)
			}
		})
	}
	made.Wait()
	end := time.Now().Add(limit)
	var writers, others sync.WaitGroup
	var busy, reads atomic.Int64
	stop := make(chan struct{})
	// Each terminal has its writer, and the last writer works on all of them.
	for i := range terminals {
		writers.Go(func() {
			for n := 0; n < rounds && time.Now().Before(end); n++ {
				name := fmt.Sprintf("t%d", i)
				if i == terminals-1 {
					name = fmt.Sprintf("t%d", n%terminals)
				}
				secret := fmt.Sprintf("w%d-r%d", i, n)
				r, err := w.call("", "run", name, fmt.Sprintf("for k in 1 2 3; do echo %s $k; done; (exit %d)", secret, n%7), "--timeout", "60s")
				if err != nil {
					t.Error(err)
					return
				}
				if r.Error != nil && r.Error.Code == envelope.CodeBusy {
					busy.Add(1)
					n--
					continue
				}
				want := fmt.Sprintf("%[1]s 1\n%[1]s 2\n%[1]s 3", secret)
				if r.Status != envelope.StatusDone || r.Output != want || r.ExitCode == nil || *r.ExitCode != int64(n%7) {
					t.Errorf("%s on %s: %s", secret, name, brief(r))
				}
				if err := same(w, name, r); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for i := range readers {
		others.Go(func() {
			for n := i; ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				name := fmt.Sprintf("t%d", n%terminals)
				args := [][]string{
					{"ls"}, {"peek", name}, {"log", name, "--last"}, {"log", name, "--grep", "w[0-9]"}, {"history", name},
					{"wait", name, "--idle", "10", "--timeout", "200ms"},
				}[n%6]
				r, err := w.call("", args...)
				// Before its first run a terminal has no last command.
				if err == nil && !r.OK && !strings.Contains(r.Error.Message, "no run has been made") {
					err = errors.New(brief(r))
				}
				if err != nil {
					t.Errorf("%v: %v", args, err)
					return
				}
				reads.Add(1)
			}
		})
	}
	writers.Wait()
	close(stop)
	others.Wait()
	t.Logf("%d reads, %d times busy", reads.Load(), busy.Load())
}

// same reports whether the log has for a command what its run replied.
func same(w *world, name string, run *envelope.Reply) error {
	log, err := w.call("", "log", name, "--cmd", itoa(run.CmdID))
	if err != nil {
		return err
	}
	if log.Output != run.Output || log.ExitCode == nil || *log.ExitCode != *run.ExitCode {
		return fmt.Errorf("the log has %s for %s", brief(log), brief(run))
	}
	return nil
}
