package shape

import (
	"strings"
	"time"
)

// Options describes the pane that the bytes were written to.
type Options struct {
	// Cols and Rows are the pane's size; 0 stands for 200 and 50.
	Cols, Rows int
	// NewLine makes a bare LF return to the first column too, for text that
	// no terminal driver has been through. In a pane a line ends in CR LF.
	NewLine bool
	// Elapsed, if set, returns the time that passed between the writing of
	// two bytes, given by their offsets in the renderer's input, and whether
	// it is known. It is asked how long a full screen was shown.
	Elapsed func(from, to int64) (time.Duration, bool)
}

// maxPiece is where a line that does not end is handed on in pieces.
const maxPiece = 1 << 20

// Renderer turns the bytes that a program wrote to a pane into the lines a
// person saw go by. It begins with an empty screen and the cursor at the top
// left. It does not block, must not be copied and is not safe for concurrent
// use; its memory depends on the pane's size alone.
type Renderer struct {
	emit    func([]byte)
	elapsed func(from, to int64) (time.Duration, bool)
	parser
	screen
	modes

	open    bool         // the line above the screen's first row goes on in it
	partial []byte       // what of that line has not been handed on
	held    []screenNote // to follow that line
	more    bool
	scratch []byte
	swept   []extentOf
	newLine bool
	strict  bool // for comparison with tmux: TAB only moves, line drawing stays letters
}

// NewRenderer returns a Renderer that hands each line, without its line end, to
// emit as soon as nothing can change it any more. The slice is valid only
// during the call; emit must not use the Renderer but for [Renderer.Continues].
func NewRenderer(o Options, emit func(line []byte)) *Renderer {
	if o.Cols <= 0 {
		o.Cols = 200
	}
	if o.Rows <= 0 {
		o.Rows = 50
	}
	r := &Renderer{emit: emit, elapsed: o.Elapsed, newLine: o.NewLine}
	r.screen.init(min(o.Cols, maxCols), o.Rows)
	return r
}

// Continues reports, during a call of emit, whether the line just handed on
// goes on in the next call. Only lines over 1 MiB come in pieces.
func (r *Renderer) Continues() bool { return r.more }

// Write renders p. It never fails, and how the input is split into calls makes
// no difference. It keeps nothing of p.
func (r *Renderer) Write(p []byte) (int, error) {
	r.feed(p)
	r.seen += int64(len(p))
	r.offset = r.seen
	r.keepAll()
	return len(p), nil
}

// Close hands on what is still on the screen, also an unfinished last line; if
// nothing follows the last line end, that nothing is no line. The Renderer is
// as new afterwards.
func (r *Renderer) Close() {
	r.endInput()
	r.leaveAlternate(false)
	r.flush()
	for _, ro := range r.main {
		ro.reset()
	}
	r.screen.home()
	r.modes = modes{}
	r.parser.reset()
	r.seen = 0
}

// flush hands on every line of the main screen and leaves it empty.
func (r *Renderer) flush() {
	n := r.lastRow() + 1
	for y := 0; y < n; y++ {
		r.retire(r.at(y))
		r.at(y).reset()
	}
	if r.open {
		r.finish()
	}
}

// lastRow returns the last row of the screen that belongs to the lines, -1 if none
// does.
func (r *Renderer) lastRow() int {
	y := r.rows - 1
	for ; y >= 0; y-- {
		if ro := r.at(y); ro.used() > 0 || ro.ended || ro.wrapped || ro.notes != nil {
			break
		}
	}
	return y
}

// retire takes in a row that leaves the screen.
func (r *Renderer) retire(ro *row) {
	if r.alternate {
		return
	}
	if ro.notes != nil {
		if ro.behind {
			r.held = append(r.held, ro.notes...)
		} else {
			r.emitNotes(ro.notes)
			if ro.bareNote() {
				return
			}
		}
	}
	if !ro.wrapped && !r.open && !ro.behind {
		line, buf := ro.line(r.scratch)
		r.scratch = buf
		r.emit(line)
		return
	}
	r.retirePart(ro)
}

func (r *Renderer) retirePart(ro *row) {
	if len(r.partial) >= maxPiece {
		r.more = true
		r.emit(r.partial)
		r.more = false
		r.partial = r.partial[:0]
	}
	r.partial = ro.appendText(r.partial)
	r.open = true
	if !ro.wrapped {
		r.finish()
	}
}

// finish ends the line that was open above the screen.
func (r *Renderer) finish() {
	r.open = false
	r.emit(r.partial)
	if r.held != nil {
		r.emitNotes(r.held)
		r.held = nil
	}
	r.partial = r.partial[:0]
	if cap(r.partial) > 1<<16 {
		r.partial = nil
	}
}

// Live calls yield with each line that has not been handed on, the unfinished
// one included, until yield returns false. Nothing changes; the slices are
// valid only during the call. What is held back because a sequence is
// incomplete is not part of it.
func (r *Renderer) Live(yield func(line []byte) bool) {
	v := Renderer{screen: r.screen} // to look at the main screen
	if r.alternate {
		v.ring, v.top, v.alternate = r.main, r.savedTop, false
	}
	n := v.lastRow() + 1
	line := append([]byte(nil), r.partial...)
	behind, open := r.held, r.open
	say := func(notes []screenNote) bool {
		for _, note := range notes {
			if note.open {
				note = r.currentNote()
			}
			if !yield([]byte(note.String())) {
				return false
			}
		}
		return true
	}
	for y := 0; y < n; y++ {
		ro := v.at(y)
		if ro.notes != nil {
			if ro.behind {
				behind = append(behind[:len(behind):len(behind)], ro.notes...)
			} else if !say(ro.notes) {
				return
			} else if ro.bareNote() {
				continue
			}
		}
		line = ro.appendText(line)
		if open = ro.wrapped; open {
			continue
		}
		if !yield(line) || !say(behind) {
			return
		}
		line, behind = line[:0], nil
	}
	if open {
		_ = yield(line) && say(behind)
	}
}

// CurrentLine returns a copy of the line that the cursor is on, joined over the
// rows it wraps; empty while the alternate screen is shown.
func (r *Renderer) CurrentLine() []byte {
	if r.alternate {
		return nil
	}
	first := r.cy
	for first > 0 && r.at(first-1).wrapped {
		first--
	}
	var line []byte
	if first == 0 && r.open {
		line = append(line, r.partial...)
	}
	for y := first; y < r.rows; y++ {
		line = r.at(y).appendText(line)
		if !r.at(y).wrapped {
			break
		}
	}
	return line
}

// Cursor returns where the cursor is, from 0, on the screen the Renderer
// models. As in tmux's cursor_x, col is Cols after a character was printed in
// the last column.
func (r *Renderer) Cursor() (col, row int) { return r.cx, r.cy }

// Text renders p as a whole: its lines joined by LF, without a final one.
func Text(p []byte, o Options) string {
	var b strings.Builder
	first := true
	var r *Renderer
	joined := false
	r = NewRenderer(o, func(line []byte) {
		if !first && !joined {
			b.WriteByte('\n')
		}
		first, joined = false, r.more
		b.Write(line)
	})
	r.Write(p)
	r.Close()
	return b.String()
}
