package shape

import (
	"bytes"
	"math"
	"unicode/utf8"
)

// modes is the state of the terminal besides its grid.
type modes struct {
	noWrap  bool // DECAWM off
	insert  bool
	origin  bool
	shifted bool    // SO: G1 instead of G0
	special [2]bool // G0, G1 are the line drawing set
	homed   bool    // the last thing that moved the cursor was a move to a position
	unusual bool    // noWrap, insert or line drawing: printing goes the slow way
	stops   tabStops

	saved savedCursor
	altX  int
	altY  int

	altSaved bool
	altStart int64
}

type savedCursor struct {
	x, y    int
	shifted bool
	special [2]bool
	origin  bool
}

func (m *modes) drawing() bool {
	if m.shifted {
		return m.special[1]
	}
	return m.special[0]
}

func (m *modes) update() { m.unusual = m.noWrap || m.insert || m.drawing() }

// control executes a C0 control.
func (r *Renderer) control(b byte) {
	switch b {
	case 0:
		return // not even the end of what REP repeats
	case '\b':
		r.backspace()
	case '\t':
		r.tab([]byte{'\t'}, -1)
	case '\n', '\v', '\f':
		r.lineFeed(false)
		if r.newLine {
			r.cx = 0
		}
	case '\r':
		r.cx, r.homed = 0, false
	case 0x0e, 0x0f:
		r.shifted = b == 0x0e
		r.update()
	}
	r.last = 0
}

// escapeDispatch executes ESC, intermediates, b.
func (r *Renderer) escapeDispatch(b byte) {
	if r.discard {
		return
	}
	r.homed = false
	switch string(r.mid[:r.midLen]) + string(rune(b)) {
	case "c":
		r.fullReset()
	case "D":
		r.lineFeed(false)
	case "E":
		r.cx = 0
		r.lineFeed(false)
	case "H":
		r.stops.set(r.cx, r.cols)
	case "M":
		r.reverseIndex()
	case "7":
		r.saveCursor()
	case "8":
		r.restoreCursor()
	case "#8":
		r.alignmentTest()
	case "(0", "(B":
		r.special[0] = b == '0'
		r.update()
	case ")0", ")B":
		r.special[1] = b == '0'
		r.update()
	}
}

// fullReset is RIS. Like a clear it ends what was on the screen but does not
// make it unseen.
func (r *Renderer) fullReset() {
	r.clearScreen()
	saved, x, y, start := r.altSaved, r.altX, r.altY, r.altStart
	r.modes = modes{altSaved: saved, altX: x, altY: y, altStart: start}
	r.home()
}

func (r *Renderer) saveCursor() {
	r.saved = savedCursor{r.cx, r.cy, r.shifted, r.special, r.origin}
}

func (r *Renderer) restoreCursor() {
	s := r.saved
	r.shifted, r.special, r.origin = s.shifted, s.special, s.origin
	r.moveTo(s.x, s.y)
	r.update()
}

// alignmentTest is DECALN: the screen full of E.
func (r *Renderer) alignmentTest() {
	line := make([]byte, r.cols)
	for i := range line {
		line[i] = 'E'
	}
	r.clearScreen()
	for y := 0; y < r.rows; y++ {
		r.at(y).putASCII(0, line, r.cols, -1)
	}
	r.home()
}

// csi executes a control sequence that ends in b.
func (r *Renderer) csi(b byte) {
	r.state = ground
	var params [maxParams]int
	list, ok := r.parameters(params[:0])
	if r.discard || !ok {
		r.last = 0
		return
	}
	last := r.last
	r.last = 0
	if r.midLen > 0 {
		if r.midLen == 1 && r.mid[0] == '?' && (b == 'h' || b == 'l') {
			for _, n := range list {
				r.privateMode(n, b == 'h')
			}
		} else if b != 'c' && b != 'm' && b != 'n' && b != 'q' {
			r.last = last // unknown to tmux
		}
		return
	}
	// n is the first parameter, 1 when missing or 0; sequences whose
	// parameter is no number have no effect.
	n := parameter(list, 0, 1, 1)
	if n < 0 {
		return
	}
	if b != 'm' && b != 'J' {
		r.homed = false
	}
	switch b {
	case '@':
		if r.cx < r.cols {
			r.insertCells(min(n, r.cols-r.cx))
		}
	case 'A':
		r.cursorUp(n)
	case 'B':
		r.cursorDown(n)
	case 'C':
		r.cursorRight(n)
	case 'D':
		r.cx -= min(n, r.cx)
	case 'E':
		r.cx = 0
		r.cursorDown(n)
	case 'F':
		r.cx = 0
		r.cursorUp(n)
	case 'G', '`':
		r.moveTo(n-1, r.cy)
	case 'H', 'f':
		if x := parameter(list, 1, 1, 1); x > 0 {
			r.moveTo(x-1, r.originRow(n-1))
			r.homed = true
		}
	case 'd':
		r.cy = min(r.originRow(n-1), r.rows-1)
	case 'J':
		switch parameter(list, 0, 0, 0) {
		case 0:
			r.eraseBelow()
		case 1:
			r.eraseAbove()
		case 2:
			r.clearScreen()
		}
	case 'K':
		switch parameter(list, 0, 0, 0) {
		case 0:
			r.eraseLine(r.cx, r.cols)
		case 1:
			r.eraseLine(0, r.cx+1)
		case 2:
			r.eraseLine(0, r.cols)
		}
	case 'L':
		r.insertLines(n)
	case 'M':
		r.deleteLines(n)
	case 'P':
		if r.cx < r.cols {
			r.deleteCells(min(n, r.cols-r.cx))
		}
	case 'S':
		for range min(n, r.lower-r.upper+1) {
			r.scrollUp()
		}
	case 'T':
		for range min(n, r.lower-r.upper+1) {
			r.scrollDown()
		}
	case 'X':
		r.erase(r.cx, r.cx+min(n, r.cols))
	case 'Z':
		r.backTab(n)
	case 'b':
		if last != 0 {
			r.repeat(last, n)
		}
	case 'g':
		switch parameter(list, 0, 0, 0) {
		case 0:
			r.stops.clear(r.cx, r.cols)
		case 3:
			r.stops.clearAll(r.cols)
		}
	case 'h', 'l':
		for _, m := range list {
			if m == 4 {
				r.insert = b == 'h'
				r.update()
			}
		}
	case 'r':
		if bottom := parameter(list, 1, 1, r.rows); bottom > 0 {
			r.region(n-1, bottom-1)
		}
	case 's':
		r.saveCursor()
	case 'u':
		r.restoreCursor()
	case 'c', 'm', 'n', 't':
		// Queries and colours: nothing to see.
	default:
		r.last = last // unknown to tmux
	}
}

// absent and notNumber are parameters without a usable value.
const (
	absent    = -2
	notNumber = -1
)

// parameters appends the sequence's parameters to list. Too many of them, or a
// number beyond 31 bits, make the sequence void as in tmux.
func (r *Renderer) parameters(list []int) ([]int, bool) {
	p := r.param[:r.paraLen]
	if len(p) == 0 {
		return list, true
	}
	n, digits, colon := 0, false, false
	add := func() bool {
		v := n
		switch {
		case colon:
			v = notNumber
		case !digits:
			v = absent
		}
		n, digits, colon = 0, false, false
		if len(list) == maxParams {
			return false
		}
		list = append(list, v)
		return true
	}
	for _, b := range p {
		switch {
		case b == ';':
			if !add() {
				return nil, false
			}
		case b == ':':
			colon = true
		default:
			digits = true
			if n = n*10 + int(b-'0'); n > math.MaxInt32 {
				if !colon {
					return nil, false
				}
				n = 0
			}
		}
	}
	return list, add()
}

// parameter returns parameter i, at least low, or def when it is absent.
func parameter(list []int, i, low, def int) int {
	if i >= len(list) || list[i] == absent {
		return def
	}
	if list[i] == notNumber {
		return notNumber
	}
	return max(list[i], low)
}

func (r *Renderer) privateMode(n int, on bool) {
	switch n {
	case 3:
		r.moveTo(0, r.originRow(0))
		r.clearScreen()
	case 6:
		r.origin = on
		r.moveTo(0, r.originRow(0))
	case 7:
		r.noWrap = !on
		r.update()
	case 47, 1047, 1049:
		if on {
			r.enterAlternate(n == 1049)
		} else {
			r.leaveAlternate(n == 1049)
		}
	}
}

// originRow is the screen row that absolute row y means.
func (r *Renderer) originRow(y int) int {
	if r.origin {
		return min(y+r.upper, r.lower)
	}
	return y
}

func (r *Renderer) cursorUp(n int) {
	top := 0
	if r.cy >= r.upper {
		top = r.upper
	}
	r.cx = min(r.cx, r.cols-1)
	r.cy = max(r.cy-n, top)
}

func (r *Renderer) cursorDown(n int) {
	bottom := r.rows - 1
	if r.cy <= r.lower {
		bottom = r.lower
	}
	r.cx = min(r.cx, r.cols-1)
	r.cy = min(r.cy+min(n, r.rows), bottom)
}

func (r *Renderer) cursorRight(n int) {
	r.cx = min(r.cx+min(n, r.cols), r.cols-1)
}

// repeat prints the last character n times more, up to the right edge.
func (r *Renderer) repeat(c rune, n int) {
	n = min(n, r.cols-r.cx)
	if n > 0 && c < utf8.RuneSelf {
		r.printASCII(bytes.Repeat([]byte{byte(c)}, n), -1)
		return
	}
	for range n {
		r.place(c, string(c), clusterWidth(c, r.cols))
	}
}

// region sets the scroll region; one of a single row is refused.
func (r *Renderer) region(top, bottom int) {
	top, bottom = min(top, r.rows-1), min(bottom, r.rows-1)
	if top >= bottom {
		return
	}
	r.upper, r.lower = top, bottom
	r.cx, r.cy = 0, 0
}
