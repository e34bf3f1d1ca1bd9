package envelope

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// row is one line of a table. The last cell is not padded, and below are lines
// that belong to the row. Every cell is one line.
type row struct {
	cells []string
	below []string
	color string // of the cell in column colored
}

// appendRowsText lays the rows out in columns that are two spaces apart. Widths
// are counted in characters: the padded columns hold names, which are ASCII.
func appendRowsText(b []byte, o TextOptions, colored int, rows []row) []byte {
	var widths []int
	for _, r := range rows {
		for i, c := range r.cells {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(c))
		}
	}
	for _, r := range rows {
		b = append(b, outputIndent...)
		for i, c := range r.cells {
			if i == colored {
				b = o.paint(b, r.color, c)
			} else {
				b = append(b, c...)
			}
			if i < len(r.cells)-1 {
				b = append(b, strings.Repeat(" ", widths[i]-utf8.RuneCountInString(c)+2)...)
			}
		}
		b = append(b, '\n')
		for _, line := range r.below {
			b = append(b, moreIndent...)
			b = append(b, line...)
			b = append(b, '\n')
		}
	}
	return b
}

func appendTerminals(b []byte, o TextOptions, terminals []Terminal) []byte {
	if len(terminals) == 0 {
		return b
	}
	rows := []row{{cells: []string{"NAME", "STATUS", "MODE", "CMD"}}}
	for _, t := range terminals {
		last := []string{dash(t.Cmd)}
		if t.ExitCode != nil {
			last = append(last, "[exit:"+strconv.FormatInt(*t.ExitCode, 10)+"]")
		}
		if t.LockPID != 0 {
			last = append(last, "[lock:"+strconv.Itoa(t.LockPID)+"]")
		}
		if t.Notes != 0 {
			last = append(last, "[notes:"+strconv.Itoa(t.Notes)+"]")
		}
		if t.Socket != "" {
			last = append(last, "[socket:"+cell(t.Socket)+"]")
		}
		if t.LastActivity != "" {
			last = append(last, "("+cell(t.LastActivity)+")")
		}
		rows = append(rows, row{
			cells: []string{dash(t.Name), dash(string(t.Status)), dash(string(t.Mode)), strings.Join(last, "  ")},
			color: statusColor(t.Status, nil),
		})
	}
	return appendRowsText(b, o, 1, rows)
}

func appendHistory(b []byte, history []HistoryRow) []byte {
	if len(history) == 0 {
		return b
	}
	rows := []row{{cells: []string{"CMD", "BY", "EXIT", "STARTED", "TIME", "BYTES", "COMMAND"}}}
	for _, h := range history {
		id, exit, took := "-", "-", "-"
		if h.CmdID != 0 {
			id = strconv.FormatInt(h.CmdID, 10)
		}
		if h.ExitCode != nil {
			exit = strconv.FormatInt(*h.ExitCode, 10)
		}
		if h.DurationMS != nil {
			took = duration(*h.DurationMS)
		}
		rows = append(rows, row{cells: []string{
			id, dash(h.By), exit, dash(h.Started), took, strconv.FormatInt(h.Bytes, 10), dash(h.Command),
		}})
	}
	return appendRowsText(b, TextOptions{}, -1, rows)
}

func appendChecks(b []byte, o TextOptions, checks []Check) []byte {
	if len(checks) == 0 {
		return b
	}
	var rows []row
	for _, c := range checks {
		r := row{cells: []string{"ok", dash(c.Name)}, color: sgrGood}
		if !c.OK {
			r.cells[0], r.color = "failed", sgrBad
		}
		if c.Detail != "" {
			r.cells = append(r.cells, cell(c.Detail))
		}
		if c.Fix != "" {
			r.below = []string{"fix: " + cell(c.Fix)}
		}
		rows = append(rows, r)
	}
	return appendRowsText(b, o, 0, rows)
}

func appendCommands(b []byte, commands []Command) []byte {
	var rows []row
	for _, c := range commands {
		r := row{cells: []string{dash(c.Name), dash(c.Group), dash(c.Summary)}, below: []string{cell(c.Usage)}}
		for _, f := range c.Flags {
			r.below = append(r.below, f.text())
		}
		rows = append(rows, r)
	}
	return appendRowsText(b, TextOptions{}, -1, rows)
}

func (f *Flag) text() string {
	s := "  " + cell(f.Name)
	if f.Value != "" {
		s += " " + cell(f.Value)
	}
	if f.Default != "" {
		s += " (default " + cell(f.Default) + ")"
	}
	if f.Repeats {
		s += " (repeats)"
	}
	if f.Help != "" {
		s += "  " + cell(f.Help)
	}
	return s
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return cell(s)
}
