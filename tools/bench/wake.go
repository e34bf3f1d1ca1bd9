package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// armed is how long a waiter is left alone before it is woken: long enough to
// be past its start on a loaded machine, so that what is measured is the
// waking.
const armed = 300 * time.Millisecond

// wakes measures the time from the awaited bytes in the journal to the reply.
func wakes(b *bench) ([]row, error) {
	w, err := b.world()
	if err != nil {
		return nil, err
	}
	rounds := max(b.rounds/10, 6)

	path, pipe, err := w.fifo("pattern")
	if err != nil {
		return nil, err
	}
	defer pipe.Close()
	if _, _, err := w.pairmux("created", "new", "pattern"); err != nil {
		return nil, err
	}
	loop := `while read -r x; do echo "READY-$x."; done < ` + path
	if _, _, err := w.pairmux("running", "run", "pattern", loop, "--timeout", "0"); err != nil {
		return nil, err
	}
	var pattern series
	for i := range rounds {
		line := fmt.Sprintf("READY-%d.", i)
		d, err := w.woken("pattern", []byte(line), pipe, strconv.Itoa(i), "wait", "pattern", "--pattern", line)
		if err != nil {
			return nil, err
		}
		pattern = append(pattern, d)
	}

	path, pipe2, err := w.fifo("done")
	if err != nil {
		return nil, err
	}
	defer pipe2.Close()
	if _, _, err := w.pairmux("created", "new", "done"); err != nil {
		return nil, err
	}
	var done series
	for range rounds {
		if _, _, err := w.pairmux("running", "run", "done", "read -r x < "+path, "--timeout", "0"); err != nil {
			return nil, err
		}
		d, err := w.woken("done", endMark, pipe2, "go", "wait", "done", "--done")
		if err != nil {
			return nil, err
		}
		done = append(done, d)
	}
	return []row{
		measured("wait --pattern: line in the journal → reply", pattern),
		measured("wait --done: end mark in the journal → reply", done),
	}, nil
}

// woken starts a waiter, lets it settle, makes the pane print, and measures.
func (w *world) woken(terminal string, needle []byte, pipe *os.File, line string, args ...string) (time.Duration, error) {
	reply, err := w.answer(args...)
	if err != nil {
		return 0, err
	}
	time.Sleep(armed)
	seen, err := w.observe(terminal, needle)
	if err != nil {
		return 0, err
	}
	if _, err := pipe.WriteString(line + "\n"); err != nil {
		return 0, err
	}
	return between(seen, reply)
}

// waiters measures how long it takes until the last of many has left.
func waiters(b *bench) ([]row, error) {
	w, err := b.world()
	if err != nil {
		return nil, err
	}
	path, pipe, err := w.fifo("many")
	if err != nil {
		return nil, err
	}
	defer pipe.Close()
	if _, _, err := w.pairmux("created", "new", "many"); err != nil {
		return nil, err
	}
	var last series
	for range 3 {
		if _, _, err := w.pairmux("running", "run", "many", "read -r x < "+path, "--timeout", "0"); err != nil {
			return nil, err
		}
		var left = map[int]bool{}
		for range b.waiters {
			pid, err := w.start(w.out, w.bin, "--json", "wait", "many", "--done")
			if err != nil {
				return nil, err
			}
			left[pid] = true
		}
		time.Sleep(3 * time.Second)
		seen, err := w.observe("many", endMark)
		if err != nil {
			return nil, err
		}
		if _, err := pipe.WriteString("go\n"); err != nil {
			return nil, err
		}
		var end time.Time
		for len(left) > 0 {
			var ws syscall.WaitStatus
			pid, err := syscall.Wait4(-1, &ws, 0, nil)
			if errors.Is(err, syscall.EINTR) {
				continue
			}
			if err != nil {
				return nil, err
			}
			if left[pid] {
				delete(left, pid)
				if ws != 0 {
					return nil, fmt.Errorf("a waiter's exit status is %d", ws.ExitStatus())
				}
				end = time.Now()
			}
		}
		if mark := <-seen; !mark.IsZero() {
			last = append(last, end.Sub(mark))
		}
	}
	r := measured(fmt.Sprintf("end mark → the last of %d waiters gone", b.waiters), last)
	r.Value, r.As = r.P50, "ms"
	return []row{r.must(atMost, 100)}, nil
}

// idleWaiter measures the processor time of a waiter that nothing wakes.
func idleWaiter(b *bench) ([]row, error) {
	w, err := b.world()
	if err != nil {
		return nil, err
	}
	if _, _, err := w.pairmux("created", "new", "idle"); err != nil {
		return nil, err
	}
	var rows []row
	for _, args := range [][]string{{"--pattern", "never"}, {"--done"}} {
		pid, err := w.start(w.out, append([]string{w.bin, "wait", "idle"}, args...)...)
		if err != nil {
			return nil, err
		}
		time.Sleep(time.Second)
		before, err1 := cpu(pid)
		began := time.Now()
		time.Sleep(b.idle)
		after, err2 := cpu(pid)
		took := time.Since(began)
		syscall.Kill(pid, syscall.SIGTERM)
		if _, err := reap(pid); err != nil {
			return nil, err
		}
		if err := errors.Join(err1, err2); err != nil {
			// No /proc: nothing to report on this system.
			fmt.Fprintln(os.Stderr, "bench: idle waiter:", err)
			return nil, nil
		}
		r := row{What: fmt.Sprintf("idle wait %s, %.0f s", strings.Join(args, " "), took.Seconds()),
			Value: 100 * float64(after-before) / float64(took), As: "% of a core"}
		rows = append(rows, r.must(atMost, 0.1))
	}
	return rows, nil
}

// cpu is the time that all threads of a process have run, to the nanosecond.
func cpu(pid int) (time.Duration, error) {
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	if err != nil || len(files) == 0 {
		return 0, fmt.Errorf("no schedstat of process %d: %v", pid, err)
	}
	var sum time.Duration
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			continue // a thread that has just ended
		}
		ns, _, _ := strings.Cut(string(data), " ")
		n, err := strconv.ParseInt(ns, 10, 64)
		if err != nil {
			return 0, err
		}
		sum += time.Duration(n)
	}
	return sum, nil
}
