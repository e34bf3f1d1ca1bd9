package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/clipperhouse/displaywidth"
	"github.com/pairmux/pairmux/envelope"
)

// tame makes text from a pane, a journal or a note fit for one line of the
// human's terminal: nothing that moves the cursor, starts a sequence or changes
// the order of what is shown, and nothing whose width terminals disagree about
// because it depends on what stands beside it.
func tame(s string) string {
	plain := true
	for i := range len(s) {
		if s[i] < ' ' || s[i] >= 0x7f {
			plain = false
			break
		}
	}
	if plain {
		return s
	}
	var b strings.Builder
	col := 0
	for _, r := range s {
		switch {
		case r == '\t':
			n := 8 - col%8
			b.WriteString("        "[:n])
			col += n
			continue
		case r == '\n' || r == '\r':
			r = ' '
		case r < ' ' || r >= 0x7f && r < 0xa0, unicode.In(r, unicode.Zl, unicode.Zp):
			r = unicode.ReplacementChar
		case r >= 0xad && (unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r)):
			continue
		}
		b.WriteRune(r)
		col += displaywidth.Rune(r)
	}
	return b.String()
}

// width is how many columns tamed text takes.
func width(s string) int {
	n := 0
	for _, r := range s {
		n += displaywidth.Rune(r)
	}
	return n
}

// clip cuts tamed text to so many columns and says so by its last one.
func clip(s string, cols int) string {
	if width(s) <= cols {
		return s
	}
	if cols < 1 {
		return ""
	}
	n := 0
	for i, r := range s {
		if n += displaywidth.Rune(r); n > cols-1 {
			return s[:i] + "…"
		}
	}
	return s
}

// clipStart keeps the end instead.
func clipStart(s string, cols int) string {
	over := width(s) - cols
	if over <= 0 || cols < 1 {
		return clip(s, cols)
	}
	for i, r := range s {
		if over < 0 {
			return "…" + s[i:]
		}
		over -= displaywidth.Rune(r)
	}
	return "…"
}

// pad fills up to so many columns.
func pad(s string, cols int) string {
	return s + strings.Repeat(" ", max(0, cols-width(s)))
}

// age is a time span in one short word.
func age(d time.Duration) string {
	switch {
	case d < time.Minute:
		return strconv.Itoa(int(max(d, 0)/time.Second)) + "s"
	case d < time.Hour:
		return strconv.Itoa(int(d/time.Minute)) + "m"
	case d < 100*time.Hour:
		return strconv.Itoa(int(d/time.Hour)) + "h"
	}
	return strconv.Itoa(int(d/(24*time.Hour))) + "d"
}

func watchHeader(socket string, rows []watchRow, now time.Time) string {
	asking := 0
	for i := range rows {
		if rows[i].Status == envelope.StatusAwaitingInput {
			asking++
		}
	}
	s := fmt.Sprintf("pairmux watch — %s — socket %s", now.Format("15:04:05"), socket)
	switch {
	case asking == 1:
		s += " — 1 waits for input"
	case asking > 1:
		s += fmt.Sprintf(" — %d wait for input", asking)
	}
	return s
}

// columns are the widths of a table's columns.
type columns struct {
	name, lock int
	total      int // columns of the whole line; 0: as many as it takes
}

func measure(rows []watchRow, total int) columns {
	c := columns{name: len("NAME"), lock: len("LOCK"), total: total}
	for i := range rows {
		c.name = max(c.name, len(rows[i].Name))
		c.lock = max(c.lock, len(lockText(&rows[i])))
	}
	return c
}

// narrow leaves the columns out that matter least.
func (c *columns) narrow() bool { return c.total > 0 && c.total < c.name+55 }

func (c *columns) heads() string {
	if c.narrow() {
		return fmt.Sprintf("   %-*s  %-14s  %-4s  CMD", c.name, "NAME", "STATUS", "AGE")
	}
	return fmt.Sprintf("   %-*s  %-14s  %-8s  %-*s  %-4s  CMD", c.name, "NAME", "STATUS", "MODE", c.lock, "LOCK", "AGE")
}

// line is a row of the table without any sequence.
func (c *columns) line(r *watchRow, now time.Time) string {
	flag := "  "
	switch r.Status {
	case envelope.StatusAwaitingInput:
		flag = "!!"
	case envelope.StatusDead:
		flag = "xx"
	}
	since := "-"
	if !r.active.IsZero() {
		since = age(now.Sub(r.active))
	}
	var s string
	if c.narrow() {
		s = fmt.Sprintf("%s %-*s  %-14s  %-4s  ", flag, c.name, r.Name, r.Status, since)
	} else {
		s = fmt.Sprintf("%s %-*s  %-14s  %-8s  %-*s  %-4s  ", flag, c.name, r.Name, r.Status, dash(string(r.Mode)), c.lock, lockText(r), since)
	}
	notes := ""
	if r.Notes > 0 {
		notes = fmt.Sprintf("  [notes:%d]", r.Notes)
	}
	if c.total == 0 {
		return s + commandText(r) + notes
	}
	room := max(1, c.total-len(s)-len(notes))
	return clip(s+clip(commandText(r), room)+notes, c.total)
}

func lockText(r *watchRow) string {
	if r.LockPID == 0 {
		return "-"
	}
	return strconv.Itoa(r.LockPID)
}

func commandText(r *watchRow) string {
	s := tame(r.Cmd)
	switch {
	case r.Status != envelope.StatusDead:
		return dash(s)
	case r.ExitCode == nil:
		return strings.TrimRight("exit unknown  "+s, " ")
	}
	return strings.TrimRight("exit "+itoa(*r.ExitCode)+"  "+s, " ")
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
