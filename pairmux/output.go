package main

import (
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/pairmux/pairmux/envelope"
	"github.com/pairmux/pairmux/journal"
	"github.com/pairmux/pairmux/shape"
)

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// render shapes the bytes [from, to) of the journal, line by line.
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

// fill puts the shaped bytes [from, to) into the reply within the limits; full
// is the command that returns all of them.
func (t *terminal) fill(r *envelope.Reply, from, to int64, l shape.Limits, full string) error {
	if from < t.j.Base() {
		r.Warnings = append(r.Warnings, "the beginning of this output was rotated away")
		from = min(t.j.Base(), to)
	}
	w := shape.NewWindow(l)
	if err := t.render(from, to, w.Add); err != nil {
		return err
	}
	res := w.Result()
	r.Output = res.Text
	if res.OmittedLines > 0 || res.OmittedBytes > 0 {
		r.Truncated = &envelope.Truncated{OmittedLines: res.OmittedLines, OmittedBytes: res.OmittedBytes, GetFull: full}
	}
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
	text := "the journal has a gap at " + itoa(e.Offset)
	if e.Lost > 0 {
		text += ": " + itoa(e.Lost) + " bytes are lost"
	}
	if e.Text != "" {
		text += " (" + e.Text + ")"
	}
	return text
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

// tail is fill for output that may be large and is still growing: only its end
// is read, and what was not read is counted.
func (t *terminal) tail(r *envelope.Reply, from, to int64, l shape.Limits, full string) error {
	const most = 1 << 20
	skipped := max(0, to-from-most)
	if err := t.fill(r, from+skipped, to, l, full); err != nil {
		return err
	}
	if skipped > 0 {
		if r.Truncated == nil {
			r.Truncated = &envelope.Truncated{GetFull: full}
		}
		r.Truncated.OmittedBytes += skipped
	}
	return nil
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
