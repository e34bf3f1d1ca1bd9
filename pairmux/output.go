package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/pairmux/pairmux/envelope"
	"github.com/pairmux/pairmux/journal"
	"github.com/pairmux/pairmux/shape"
)

// From the journal's bytes to a reply's output: shaped, bounded, and with what
// is missing named.

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// render shapes the bytes [from, to) of the journal, line by line. Lines over
// 1 MiB come in pieces; see lines.
func (t *terminal) render(from, to int64, line func([]byte)) error {
	r := shape.NewRenderer(t.grid(), line)
	buf := make([]byte, min(max(to-from, 0), 256<<10))
	src := t.j.Section(from, to)
	for {
		n, err := src.Read(buf)
		_, _ = r.Write(buf[:n])
		if err == io.EOF || err == nil && n == 0 {
			break
		}
		if err != nil {
			return err
		}
	}
	r.Close()
	return nil
}

// severalCores is the size from which shaping on all cores pays for starting
// it.
const severalCores = 4 << 20

// lines shapes the bytes [from, to) and gives each line, or the next piece of
// one, in bounded memory.
func (t *terminal) lines(from, to int64, emit func(line []byte, continued bool) error) error {
	o := t.shown(from)
	if to-from >= severalCores {
		last := int64(0)
		return shape.Range(t.j.Section(from, to), 1, -1, o, func(n int64, line []byte) error {
			continued := n == last
			last = n
			return emit(line, continued)
		})
	}
	var r *shape.Renderer
	var failed error
	going := false
	r = shape.NewRenderer(o, func(line []byte) {
		if failed == nil {
			failed = emit(line, going)
		}
		going = r.Continues()
	})
	_, err := io.Copy(r, t.j.Section(from, to))
	r.Close()
	if failed != nil {
		return failed
	}
	return err
}

// window shapes [from, to) within the limits.
func (t *terminal) window(from, to int64, l shape.Limits) (shape.Result, error) {
	w := shape.NewWindow(l)
	err := t.lines(from, to, func(line []byte, continued bool) error {
		if continued {
			w.Extend(line)
		} else {
			w.Add(line)
		}
		return nil
	})
	return w.Result(), err
}

// fill puts the shaped bytes [from, to) into the reply within the limits; full
// is the command that returns all of them.
func (t *terminal) fill(r *envelope.Reply, from, to int64, l shape.Limits, full string) error {
	asked := from
	var res shape.Result
	for {
		var err error
		from = min(max(from, t.j.Base()), max(to, from))
		if res, err = t.window(from, to, l); err == nil {
			break
		}
		// A rotation may have come between the look at the base and the read.
		if _, sizeErr := t.j.Size(); sizeErr != nil || !errors.Is(err, journal.ErrRotatedAway) || t.j.Base() <= from {
			return err
		}
	}
	r.Output = res.Text
	omitted := res.OmittedBytes
	if missing := from - asked; missing > 0 {
		r.Warnings = append(r.Warnings, "the first "+itoa(missing)+" bytes of this output were rotated away")
		omitted += missing
	}
	if res.OmittedLines > 0 || omitted > 0 {
		r.Truncated = &envelope.Truncated{OmittedLines: res.OmittedLines, OmittedBytes: omitted, GetFull: full}
	}
	return nil
}

// skipped counts bytes that were not read in the reply.
func skipped(r *envelope.Reply, n int64, full string) {
	if n <= 0 {
		return
	}
	if r.Truncated == nil {
		r.Truncated = &envelope.Truncated{GetFull: full}
	}
	r.Truncated.OmittedBytes += n
}

// tail is fill for output that may be large and is still growing: only its end
// is read, and what was not read is counted.
func (t *terminal) tail(r *envelope.Reply, from, to int64, l shape.Limits, full string) error {
	const most = 1 << 20
	unread := max(0, to-max(from, t.j.Base())-most)
	if unread > 0 {
		from = max(from, t.j.Base())
	}
	if err := t.fill(r, from+unread, to, l, full); err != nil {
		return err
	}
	skipped(r, unread, full)
	return nil
}

// quoteBytes bounds what is read to show the last few lines.
const quoteBytes = 16 << 10

// quote puts the last lines of [from, to) into the reply.
func (t *terminal) quote(r *envelope.Reply, from, to int64, lines int) {
	from = max(from, to-quoteBytes, t.j.Base())
	w := shape.NewWindow(shape.Limits{Head: 0, Tail: lines, MaxBytes: 4 << 10})
	if err := t.render(from, to, w.Add); err == nil {
		r.Output = strings.TrimLeft(trimEllipsis(w.Result().Text), "\n")
	}
}

// trimEllipsis drops the mark of left-out lines where only the tail is wanted.
func trimEllipsis(s string) string {
	const mark = "…\n"
	if len(s) >= len(mark) && s[:len(mark)] == mark {
		return s[len(mark):]
	}
	return s
}

// gapWarning names bytes that are missing from the journal.
func gapWarning(e journal.Event) string {
	return lossWarning(journal.Loss{Offset: e.Offset, Lost: e.Lost, Text: e.Text})
}

func lossWarning(l journal.Loss) string {
	text := "the journal has a gap at " + itoa(l.Offset)
	if l.Lost > 0 {
		text += ": " + itoa(l.Lost) + " bytes are lost"
		if l.Open {
			text += " so far"
		}
	}
	if l.Text != "" {
		text += " (" + l.Text + ")"
	}
	return text
}

// mostGaps is how many gaps a reply names one by one.
const mostGaps = 4

// gapWarnings names what is missing from the bytes [from, to], the loss that
// goes on now included.
func (t *terminal) gapWarnings(from, to int64) []string {
	gaps, err := t.j.Gaps(from)
	if err != nil {
		return []string{"whether the journal has gaps cannot be read: " + err.Error()}
	}
	var list []string
	more := 0
	for _, l := range gaps {
		switch {
		case l.Offset > to:
		case len(list) < mostGaps:
			list = append(list, lossWarning(l))
		default:
			more++
		}
	}
	if more > 0 {
		list = append(list, "the journal has "+strconv.Itoa(more)+" more gaps")
	}
	return list
}

// losing names the loss that goes on now, if the journal's writer has one. It
// costs one small read, for replies that have no time to read the whole index.
func (t *terminal) losing() []string {
	f, err := os.Open(filepath.Join(t.j.Dir(), "writer.lock"))
	if err != nil {
		return nil
	}
	defer f.Close()
	b := make([]byte, 160)
	n, _ := f.Read(b)
	if !bytes.Contains(b[:n], []byte(`"lost":`)) {
		return nil
	}
	size, err := t.j.Size()
	if err != nil {
		return nil
	}
	gaps, err := t.j.Gaps(size)
	if err != nil || len(gaps) == 0 || !gaps[len(gaps)-1].Open {
		return nil
	}
	return []string{lossWarning(gaps[len(gaps)-1])}
}

// largeJournal is the size from which replies say how large a journal is.
const largeJournal = 256 << 20

func (t *terminal) sizeWarning(size int64) []string {
	kept := size - t.j.Base()
	if kept < largeJournal {
		return nil
	}
	return []string{"the journal holds " + itoa(kept>>20) + " MiB; new --max-journal bounds it, prune deletes it once the terminal is dead"}
}

// reportDead adds what is known about a terminal's end.
func (t *terminal) reportDead(r *envelope.Reply, s *state) {
	r.ExitCode = s.exit
	if s.exit == nil {
		why := "the exit code is unknown: the pane was destroyed"
		if s.recent.killed {
			why = "the exit code is unknown: the terminal was killed"
		}
		r.Warnings = append(r.Warnings, why)
	}
}

func isRetired(err error) bool { return errors.Is(err, journal.ErrRetired) }
