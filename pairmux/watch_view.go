package main

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/pairmux/pairmux/envelope"
)

// A dashboard is what the human sees and where he is in it. It does nothing but
// say what to draw, and what a key asks for.
type dashboard struct {
	socket   string
	rows     []watchRow
	loaded   bool // rows were looked at
	selected string
	index    int // of the selected row
	top      int // the first row shown
	cols     int
	lines    int
	picture  picture
	notice   string
	writing  *draft
	color    bool
}

// A draft is a note that is being written.
type draft struct{ name, text string }

// An action is what a key asks for beyond the dashboard itself.
type action int

const (
	doNothing action = iota
	doQuit
	doAttach
	doNote
	doRedraw
)

// A frame is the whole screen, a string a line.
type frame struct {
	lines []string
	// cursor is where the human types, shown only while he writes.
	cursor    bool
	col, line int
}

// Columns and lines that every frame has.
const (
	keysHelp   = "↑↓ select   enter attach   n note   q quit"
	minPreview = 4 // lines; below that the list gets them
)

func (d *dashboard) setRows(rows []watchRow) {
	d.rows, d.loaded = rows, true
	if i := slices.IndexFunc(rows, func(r watchRow) bool { return r.Name == d.selected }); i >= 0 {
		d.index = i
	}
	d.move(0)
}

// move selects the row that is so many further down.
func (d *dashboard) move(by int) {
	d.index = min(max(d.index+by, 0), max(len(d.rows)-1, 0))
	d.selected = ""
	if len(d.rows) > 0 {
		d.selected = d.rows[d.index].Name
	}
}

func (d *dashboard) row() *watchRow {
	if d.index < len(d.rows) {
		return &d.rows[d.index]
	}
	return nil
}

// layout divides the lines between the header, its heads and the footer.
func (d *dashboard) layout() (list, preview int) {
	room := max(0, d.lines-3)
	list = room
	if preview = room - max(min(len(d.rows), room/2), 1) - 1; preview >= minPreview {
		return room - preview - 1, preview
	}
	return list, 0
}

func (d *dashboard) press(k keyPress) action {
	if d.writing != nil {
		return d.write(k)
	}
	d.notice = ""
	list, _ := d.layout()
	switch k.name {
	case "up":
		d.move(-1)
	case "down":
		d.move(1)
	case "pgup":
		d.move(-max(list-1, 1))
	case "pgdn":
		d.move(max(list-1, 1))
	case "home":
		d.move(-len(d.rows))
	case "end":
		d.move(len(d.rows))
	case "enter":
		return doAttach
	case "quit":
		return doQuit
	case "redraw":
		return doRedraw
	case "":
		switch k.text {
		case "k":
			d.move(-1)
		case "j":
			d.move(1)
		case "g":
			d.move(-len(d.rows))
		case "G":
			d.move(len(d.rows))
		case "q":
			return doQuit
		case "n":
			if r := d.row(); r != nil {
				d.writing = &draft{name: r.Name}
			}
		}
	}
	return doNothing
}

// write is a key while a note is written. What is pasted is text, so that its
// line ends and letters are no commands.
func (d *dashboard) write(k keyPress) action {
	w := d.writing
	switch k.name {
	case "enter":
		if strings.TrimSpace(w.text) == "" {
			d.writing = nil
			return doNothing
		}
		return doNote
	case "escape", "quit":
		d.writing = nil
	case "redraw":
		return doRedraw
	case "backspace":
		_, n := utf8.DecodeLastRuneInString(w.text)
		w.text = w.text[:len(w.text)-n]
	case "word":
		w.text = strings.TrimRight(w.text, " ")
		w.text = w.text[:strings.LastIndexByte(w.text, ' ')+1]
	case "kill":
		w.text = ""
	case "", "paste":
		if text := tame(strings.Join(strings.Fields(k.text), " ")); k.name == "paste" {
			w.text += text
		} else {
			w.text += tame(k.text)
		}
	}
	return doNothing
}

// draw says what the screen has to look like now.
func (d *dashboard) draw(now time.Time) frame {
	if d.lines < 1 || d.cols < 1 {
		return frame{}
	}
	list, preview := d.layout()
	lines := make([]string, 0, d.lines)
	lines = append(lines, d.style("1", clip(watchHeader(d.socket, d.rows, now), d.cols)))
	lines = append(lines, d.table(list, now)...)
	if preview > 0 {
		lines = append(lines, d.preview(preview)...)
	}
	lines = lines[:min(len(lines), d.lines)]
	for len(lines) < d.lines {
		lines = append(lines, "")
	}
	f := frame{lines: lines}
	if d.lines > 1 {
		d.footer(&f)
	}
	return f
}

// table is the heads and the rows around the selected one.
func (d *dashboard) table(list int, now time.Time) []string {
	c := measure(d.rows, d.cols-1)
	d.top = min(d.top, d.index, max(len(d.rows)-list, 0))
	d.top = max(d.top, d.index-list+1, 0)
	end := min(d.top+list, len(d.rows))
	heads := " " + c.heads()
	if end-d.top < len(d.rows) {
		where := fmt.Sprintf("  %d-%d of %d", d.top+1, end, len(d.rows))
		heads = pad(clip(heads, d.cols-len(where)), d.cols-len(where)) + where
	}
	lines := []string{d.style("2", clip(heads, d.cols))}
	for i := d.top; i < end; i++ {
		lines = append(lines, d.tableLine(&c, &d.rows[i], i == d.index, now))
	}
	if len(d.rows) == 0 && list > 0 {
		text := "  looking for terminals …"
		if d.loaded {
			text = "  no terminals: an agent opens one with pairmux new"
		}
		lines = append(lines, clip(text, d.cols))
	}
	for len(lines) < list+1 {
		lines = append(lines, "")
	}
	return lines
}

func (d *dashboard) tableLine(c *columns, r *watchRow, selected bool, now time.Time) string {
	mark, codes := " ", ""
	switch r.Status {
	case envelope.StatusAwaitingInput:
		codes = "1;33"
	case envelope.StatusDead:
		codes = "2"
	case envelope.StatusRunning:
		codes = "32"
	}
	line := clip(c.line(r, now), d.cols-1)
	if selected {
		mark = ">"
		line = pad(line, d.cols-1)
		codes = strings.TrimPrefix(codes+";7", ";")
	}
	return d.style(codes, mark+line)
}

// preview is the selected terminal's title, its notes, and its screen.
func (d *dashboard) preview(height int) []string {
	r := d.row()
	if r == nil {
		return nil
	}
	title := "── " + r.Name + "  " + string(r.Status)
	if p := r.prompt; p != nil {
		title += fmt.Sprintf(" (%s)", p.Kind)
	}
	lines := []string{d.style("2", clip(title+" "+strings.Repeat("─", max(0, d.cols-width(title)-1)), d.cols))}
	shown := r.notes[max(0, len(r.notes)-height/3):]
	for _, note := range shown {
		lines = append(lines, d.style("36", clip("│ note: "+tame(note), d.cols)))
	}
	room := height - len(shown)
	if d.picture.name == r.Name {
		for _, s := range d.picture.window(room, d.cols-2) {
			lines = append(lines, "│ "+s)
		}
	}
	return lines
}

// footer is the last line: what is being written, news, or the keys.
func (d *dashboard) footer(f *frame) {
	last := d.lines - 1
	switch {
	case d.writing != nil:
		lead := clip("note to "+d.writing.name+": ", d.cols-1)
		text := clipStart(d.writing.text, d.cols-width(lead)-1)
		f.lines[last] = d.style("1", lead) + text
		f.cursor, f.line, f.col = true, last, width(lead)+width(text)
	case d.notice != "":
		f.lines[last] = d.style("1", clip(tame(d.notice), d.cols))
	default:
		f.lines[last] = d.style("2", clip(keysHelp, d.cols))
	}
}

// style puts text, which holds no sequence itself, between SGR sequences.
func (d *dashboard) style(codes, text string) string {
	if !d.color || codes == "" {
		return text
	}
	return "\x1b[" + codes + "m" + text + "\x1b[m"
}
