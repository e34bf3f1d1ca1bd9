package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"time"
)

// The journals of this file are made: lines like a build's are appended to the
// raw.log of a real terminal that is idle, as in peeks.

// selectors measures log and history on a large journal: against grep and rg on
// the same file in turn, and the memory each selector takes. -quick takes a
// smaller journal.
func selectors(b *bench) ([]row, error) {
	w, err := b.world()
	if err != nil {
		return nil, err
	}
	if err := w.bulk("big", b.large); err != nil {
		return nil, err
	}
	dir, err := w.journal("big")
	if err != nil {
		return nil, err
	}
	raw := filepath.Join(dir, "raw.log")
	size := fmt.Sprintf("%d MiB", b.large>>20)
	rows, err := w.greps(b, raw, size)
	if err != nil {
		return nil, err
	}
	// The first range has to read what is before it, the next ones do not.
	last := fmt.Sprintf("%d:%d", w.lines-20, w.lines)
	took, rss, err := w.measure("log", "big", "--range", last)
	if err != nil {
		return nil, err
	}
	r := measured("log --range near the end of "+size+", the first time", series{took})
	rows = append(rows, r, memory("log --range, the first time", rss))
	var again series
	for range 20 {
		took, _, err := w.measure("log", "big", "--range", last)
		if err != nil {
			return nil, err
		}
		again = append(again, took)
	}
	rows = append(rows, measured("log --range near the end of "+size+", again", again))
	for _, args := range [][]string{
		{"log", "--cmd", "1"}, {"log", "--last"}, {"log", "--range", "1:end"}, {"log", "--since", "start"},
		{"log", "--grep", "."}, {"log", "--grep", "error|FAIL", "--context", "50"}, {"log"}, {"peek"}, {"history"},
	} {
		took, rss, err := w.measure(append([]string{args[0], "big"}, args[1:]...)...)
		if err != nil {
			return nil, err
		}
		name := fmt.Sprint(args)
		rows = append(rows, measured(name+" on "+size, series{took}), memory(name, rss))
	}
	return rows, nil
}

// greps compares log --grep with what people use, round by round.
func (w *world) greps(b *bench, raw, size string) ([]row, error) {
	grep, err := exec.LookPath("grep")
	if err != nil {
		return nil, err
	}
	var rows []row
	for _, c := range []struct {
		what, pattern, flag string
		limit               float64
	}{
		{"a literal", "needle", "-F", 2}, {"error|FAIL", "error|FAIL", "-E", 4},
	} {
		rivals := []rival{
			{what: "grep -a -c " + c.flag, argv: []string{grep, "-a", "-c", c.flag, c.pattern, raw}},
			{what: "log --grep", argv: []string{w.bin, "log", "big", "--grep", c.pattern}, limit: c.limit},
		}
		if rg, err := exec.LookPath("rg"); err == nil {
			rivals = append(rivals, rival{what: "rg -a -c", argv: []string{rg, "-a", "-c", c.pattern, raw}})
		}
		if err := w.race(rivals, 7); err != nil {
			return nil, err
		}
		base := rivals[0].took.p50()
		for _, v := range rivals {
			r := compared(v.what+", "+c.what+", "+size, v.took, base)
			if v.limit > 0 {
				r = r.must(atMost, v.limit)
				rows = append(rows, memory("log --grep, "+c.what, v.rss))
			}
			rows = append(rows, r)
		}
	}
	return rows, nil
}

// rival is one of several ways to do the same.
type rival struct {
	what  string
	argv  []string
	limit float64
	took  series
	rss   int64
}

// race runs the rivals in turn; the first round fills the page cache.
func (w *world) race(rivals []rival, rounds int) error {
	for i := range rounds + 1 {
		for k := range rivals {
			v := &rivals[k]
			took, rss, err := w.usage(v.argv...)
			if err != nil {
				return err
			}
			if i > 0 {
				v.took, v.rss = append(v.took, took), max(v.rss, rss)
			}
		}
	}
	return nil
}

// growth measures how the cost of each kind of question grows with the journal.
func growth(b *bench) ([]row, error) {
	w, err := b.world()
	if err != nil {
		return nil, err
	}
	var rows []row
	cat, err := exec.LookPath("cat")
	if err != nil {
		return nil, err
	}
	tail, err := exec.LookPath("tail")
	if err != nil {
		return nil, err
	}
	// Up to four times the large journal: 1 MB to 4 GB.
	for size := int64(1 << 20); size <= 4*b.large; size *= 16 {
		name := fmt.Sprintf("g%d", size>>20)
		if err := w.bulk(name, size); err != nil {
			return nil, err
		}
		dir, err := w.journal(name)
		if err != nil {
			return nil, err
		}
		raw := filepath.Join(dir, "raw.log")
		last := fmt.Sprintf("%d:%d", w.lines-20, w.lines)
		if _, _, err := w.measure("log", name, "--range", last); err != nil {
			return nil, err
		}
		rivals := []rival{
			{what: "cat", argv: []string{cat, raw}}, {what: "tail -n 500", argv: []string{tail, "-n", "500", raw}},
			{what: "peek", argv: []string{w.bin, "peek", name}}, {what: "log", argv: []string{w.bin, "log", name}},
			{what: "log --range, the end", argv: []string{w.bin, "log", name, "--range", last}},
			{what: "log --last", argv: []string{w.bin, "log", name, "--last"}},
			{what: "history", argv: []string{w.bin, "history", name}},
			{what: "log --grep needle", argv: []string{w.bin, "log", name, "--grep", "needle"}},
			{what: "log --range 1:end", argv: []string{w.bin, "log", name, "--range", "1:end"}},
		}
		if err := w.race(rivals, 3); err != nil {
			return nil, err
		}
		for _, v := range rivals {
			r := measured(fmt.Sprintf("%s, %d MiB", v.what, size>>20), v.took)
			if v.what == "cat" || v.what == "log --grep needle" || v.what == "log --range 1:end" {
				r.Value, r.As = float64(size)/1e6/v.took.p50().Seconds(), "MB/s"
			}
			rows = append(rows, r)
		}
		if err := os.Remove(raw); err != nil { // one at a time
			return nil, err
		}
	}
	return rows, nil
}

// bulk makes a terminal whose journal is large, and notes its number of lines.
func (w *world) bulk(name string, size int64) error {
	if _, _, err := w.pairmux("created", "new", name); err != nil {
		return err
	}
	if _, _, err := w.pairmux("done", "run", name, "seq 1 10"); err != nil {
		return err
	}
	if err := w.grow(name, size); err != nil {
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
	_, err = f.WriteString("a needle: FAIL\r\n")
	if e := f.Close(); err == nil {
		err = e
	}
	w.lines = size / 65 // a little fewer than there are
	return err
}

func memory(what string, rss int64) row {
	r := row{What: "memory of " + what, Value: float64(rss) / 1024, As: "MiB"}
	return r.must(atMost, 64)
}

// measure runs pairmux without --json and returns how long it took and its
// largest resident size in KiB.
func (w *world) measure(args ...string) (time.Duration, int64, error) {
	return w.usage(append([]string{w.bin}, args...)...)
}

// usage runs a program with its output thrown away. What only counts writes to
// a file instead: grep stops at the first match where it sees the null device.
func (w *world) usage(argv ...string) (time.Duration, int64, error) {
	out, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if slices.Contains(argv, "-c") {
		out, err = os.Create(filepath.Join(w.dir, "count"))
	}
	if err != nil {
		return 0, 0, err
	}
	defer out.Close()
	began := time.Now()
	pid, err := w.start(out, argv...)
	if err != nil {
		return 0, 0, err
	}
	var ws syscall.WaitStatus
	var used syscall.Rusage
	for {
		if _, err = syscall.Wait4(pid, &ws, 0, &used); err != syscall.EINTR {
			break
		}
	}
	took := time.Since(began)
	if err == nil && ws != 0 {
		err = fmt.Errorf("%v: exit status %d", argv, ws.ExitStatus())
	}
	return took, used.Maxrss, err
}
