package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// endMark begins the mark that a shell prints when a command has ended.
var endMark = []byte("\x1b]133;D")

// observe watches a terminal's raw.log from its present end on, and sends the
// time at which needle was in it. It looks every 50 µs, which is the error of
// what is measured with it, and gives up after a minute (a zero time).
func (w *world) observe(name string, needle []byte) (<-chan time.Time, error) {
	dir, err := w.journal(name)
	if err != nil {
		return nil, err
	}
	f, err := os.Open(filepath.Join(dir, "raw.log"))
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	from := info.Size()
	seen := make(chan time.Time, 1)
	go func() {
		defer f.Close()
		var data []byte
		buf := make([]byte, 64<<10)
		for began := time.Now(); time.Since(began) < time.Minute; nap(50 * time.Microsecond) {
			n, _ := f.ReadAt(buf, from)
			if n == 0 {
				continue
			}
			now := time.Now()
			from += int64(n)
			if data = append(data, buf[:n]...); bytes.Contains(data, needle) {
				seen <- now
				return
			}
		}
		seen <- time.Time{}
	}()
	return seen, nil
}

// answer starts a pairmux call and sends the time of its reply's first byte.
func (w *world) answer(args ...string) (<-chan time.Time, error) {
	r, wr, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	pid, err := w.start(wr, append([]string{w.bin, "--json"}, args...)...)
	wr.Close()
	if err != nil {
		r.Close()
		return nil, err
	}
	came := make(chan time.Time, 1)
	go func() {
		buf := make([]byte, 64<<10)
		n, _ := r.Read(buf)
		now := time.Now()
		if !bytes.Contains(buf[:n], []byte(`"ok":true`)) {
			fmt.Fprintf(os.Stderr, "bench: %v answered %s\n", args, buf[:n])
			now = time.Time{}
		}
		for n > 0 {
			n, _ = r.Read(buf)
		}
		r.Close()
		reap(pid)
		came <- now
	}()
	return came, nil
}

// between waits for both, and is the time from the first to the second.
func between(first, second <-chan time.Time) (time.Duration, error) {
	a, b := <-first, <-second
	if a.IsZero() || b.IsZero() {
		return 0, fmt.Errorf("no mark or no reply within a minute")
	}
	return b.Sub(a), nil
}

// replies measures the time from a command's end mark in the journal to the
// reply on the caller's pipe: of a short command, while run still polls, and
// of a long one, when it watches the file.
func replies(b *bench) ([]row, error) {
	w, err := b.world()
	if err != nil {
		return nil, err
	}
	if _, _, err := w.pairmux("created", "new", "reply"); err != nil {
		return nil, err
	}
	of := func(command string) (s series, err error) {
		for range max(b.rounds/5, 10) {
			// The prompt of the round before has to be in the journal, else
			// its end mark could be taken for this one's.
			if _, _, err := w.pairmux("idle", "wait", "reply", "--idle", "50"); err != nil {
				return nil, err
			}
			mark, err := w.observe("reply", endMark)
			if err != nil {
				return nil, err
			}
			reply, err := w.answer("run", "reply", command)
			if err != nil {
				return nil, err
			}
			d, err := between(mark, reply)
			if err != nil {
				return nil, err
			}
			s = append(s, d)
		}
		return s, nil
	}
	var rows []row
	for _, c := range []struct{ what, command string }{
		{"end mark → reply of run, after 20 ms", "sleep 0.02"},
		{"end mark → reply of run, after 300 ms", "sleep 0.3"},
	} {
		s, err := of(c.command)
		if err != nil {
			return nil, err
		}
		r := measured(c.what, s)
		r.Value, r.As = r.P50, "ms"
		rows = append(rows, r.must(atMost, 5))
	}
	return rows, nil
}
