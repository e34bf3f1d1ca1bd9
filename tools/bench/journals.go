package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// listing measures ls against tmux's own list of panes, as terminals grow in
// number.
func listing(b *bench) ([]row, error) {
	w, err := b.world()
	if err != nil {
		return nil, err
	}
	var rows []row
	have := 0
	for _, n := range []int{1, 50, 200} {
		for ; have < n; have++ {
			if _, _, err := w.pairmux("created", "new"); err != nil {
				return nil, err
			}
		}
		var panes, ls series
		for i := range max(b.rounds/5, 10) + warmup {
			p, _, err := w.call(w.tmux, "-L", "pairmux", "list-panes", "-a")
			if err != nil {
				return nil, err
			}
			l, _, err := w.pairmux("ok", "ls")
			if err != nil {
				return nil, err
			}
			if i >= warmup {
				panes, ls = append(panes, p), append(ls, l)
			}
		}
		r := measured(fmt.Sprintf("ls, %d terminals", n), ls)
		r.Value, r.As = r.P50, "ms"
		r = r.must(atMost, 3*ms(panes.p50())+20)
		r.Target += " (3 x list-panes + 20)"
		rows = append(rows, measured(fmt.Sprintf("tmux list-panes -a, %d terminals", n), panes), r)
	}
	return rows, nil
}

// peeks measures peek on a small and on a large journal. The large one is a
// real terminal's, to whose raw.log lines are appended while nothing prints
// there (the format allows it: offsets are positions in the file), and which
// then runs one more command; then the same again while a command is running,
// so that the newest mark lies far behind.
func peeks(b *bench) ([]row, error) {
	w, err := b.world()
	if err != nil {
		return nil, err
	}
	for _, n := range []string{"small", "large"} {
		if _, _, err := w.pairmux("created", "new", n); err != nil {
			return nil, err
		}
		if _, _, err := w.pairmux("done", "run", n, "seq 1 100"); err != nil {
			return nil, err
		}
	}
	if err := w.grow("large", b.large); err != nil {
		return nil, err
	}
	if _, _, err := w.pairmux("done", "run", "large", "seq 1 100"); err != nil {
		return nil, err
	}
	compare := func(state, large string) (row, row, error) {
		var few, many series
		for i := range b.rounds + warmup {
			s, _, err := w.pairmux(state, "peek", "small")
			if err != nil {
				return row{}, row{}, err
			}
			l, _, err := w.pairmux(state, "peek", "large")
			if err != nil {
				return row{}, row{}, err
			}
			if i >= warmup {
				few, many = append(few, s), append(many, l)
			}
		}
		return measured("peek, "+state+", 1 KB journal", few),
			compared("peek, "+state+", "+large, many, few.p50()).must(atMost, 1.3), nil
	}
	small, large, err := compare("idle", fmt.Sprintf("%d MiB journal", b.large>>20))
	if err != nil {
		return nil, err
	}
	path, pipe, err := w.fifo("peek")
	if err != nil {
		return nil, err
	}
	defer pipe.Close()
	for _, n := range []string{"small", "large"} {
		if _, _, err := w.pairmux("running", "run", n, "read -r x < "+path, "--timeout", "0"); err != nil {
			return nil, err
		}
	}
	if err := w.grow("large", b.large); err != nil {
		return nil, err
	}
	smallBusy, largeBusy, err := compare("running", fmt.Sprintf("%d MiB since the start", b.large>>20))
	if err != nil {
		return nil, err
	}
	return []row{small, large, smallBusy, largeBusy}, nil
}

// grow appends lines like a build's to a journal, once the shell has printed
// its prompt and is silent.
func (w *world) grow(name string, size int64) error {
	if _, _, err := w.pairmux("idle timeout", "wait", name, "--idle", "200", "--timeout", "1s"); err != nil {
		return err
	}
	dir, err := w.journal(name)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(dir, "raw.log"), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	if err := lines(f, size); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

func lines(f *os.File, size int64) error {
	out := bufio.NewWriterSize(f, 1<<20)
	for i, written := 0, int64(0); written < size; i++ {
		n, err := fmt.Fprintf(out, "\x1b[32m[%7d]\x1b[0m compiling module_%d.c with flags -O2 -g -Wall\r\n", i, i%977)
		if err != nil {
			return err
		}
		written += int64(n)
	}
	return out.Flush()
}

// throughput measures how fast a pane takes what a program prints, with and
// without a journal, on one server; the program times itself.
func throughput(b *bench) ([]row, error) {
	w, err := b.world()
	if err != nil {
		return nil, err
	}
	data, script, result := filepath.Join(w.dir, "data"), filepath.Join(w.dir, "print"), filepath.Join(w.dir, "took")
	f, err := os.Create(data)
	if err != nil {
		return nil, err
	}
	if err := lines(f, b.stream); err != nil {
		return nil, err
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	text := fmt.Sprintf("a=${EPOCHREALTIME/./}\ncat %s\nb=${EPOCHREALTIME/./}\necho $((b - a)) > %s.new\nmv %s.new %s\n", data, result, result, result)
	if err := os.WriteFile(script, []byte(text), 0o600); err != nil {
		return nil, err
	}
	took := func() (time.Duration, error) {
		for began := time.Now(); time.Since(began) < 2*time.Minute; time.Sleep(10 * time.Millisecond) {
			data, err := os.ReadFile(result)
			if err != nil {
				continue
			}
			var us int64
			if _, err := fmt.Sscan(string(data), &us); err != nil {
				return 0, err
			}
			return time.Duration(us) * time.Microsecond, os.Remove(result)
		}
		return 0, fmt.Errorf("a pane did not take %d bytes in two minutes", b.stream)
	}
	// The server is pairmux's, so that its options hold for both.
	if _, _, err := w.pairmux("created", "new", "keep"); err != nil {
		return nil, err
	}
	if _, _, err := w.call(w.tmux, "-L", "pairmux", "new-session", "-d", "-s", "plain", "-x", "200", "-y", "50"); err != nil {
		return nil, err
	}
	var without, with series
	for range 5 {
		if _, _, err := w.call(w.tmux, "-L", "pairmux", "new-window", "-d", "-t", "plain:", "bash "+script); err != nil {
			return nil, err
		}
		d, err := took()
		if err != nil {
			return nil, err
		}
		without = append(without, d)
		if _, _, err := w.pairmux("created running dead", "new", "print", "--cmd", "bash "+script); err != nil {
			return nil, err
		}
		if d, err = took(); err != nil {
			return nil, err
		}
		with = append(with, d)
		if _, _, err := w.pairmux("killed", "kill", "print"); err != nil {
			return nil, err
		}
	}
	mbps := func(what string, s series) row {
		r := measured(what, s)
		r.Value, r.As = float64(b.stream)/1e6/s.p50().Seconds(), "MB/s"
		return r
	}
	r := row{What: "throughput with ÷ without", Value: ratio(without.p50(), with.p50()), As: "x"}
	return []row{mbps("a pane printing, without journal", without), mbps("a pane printing, with journal", with), r.must(atLeast, 0.9)}, nil
}
