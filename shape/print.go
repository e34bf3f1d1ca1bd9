package shape

import (
	"bytes"
	"unicode/utf8"
)

// printASCII puts printable ASCII on the screen. If from is not negative p is
// the input from there on.
func (r *Renderer) printASCII(p []byte, from int) {
	if r.unusual {
		r.printSlowly(p)
		return
	}
	for {
		if r.cx >= r.cols {
			r.lineFeed(true)
			r.cx = 0
		}
		n := min(len(p), r.cols-r.cx)
		r.at(r.cy).putASCII(r.cx, p[:n], r.cols, from)
		r.cx += n
		if n == len(p) {
			break
		}
		p = p[n:]
		if from >= 0 {
			from += n
		}
	}
	r.borrow = true
}

// printSlowly prints ASCII while line drawing or insert mode is on or automatic
// wrapping is off.
func (r *Renderer) printSlowly(p []byte) {
	for i := range p {
		if c := p[i]; c >= 0x60 && r.drawing() && !r.strict {
			s := lineDrawing[c-0x60]
			r.place(s, string(s), 1)
		} else {
			r.place(rune(c), string(p[i:i+1]), 1)
		}
	}
}

// lineDrawing is what the DEC special graphics set shows for 0x60 to 0x7e.
var lineDrawing = [...]rune{
	'◆', '▒', '␉', '␌', '␍', '␊', '°', '±', '␤', '␋', '┘', '┐', '┌', '└', '┼', '⎺',
	'⎻', '─', '⎼', '⎽', '├', '┤', '┴', '┬', '│', '≤', '≥', 'π', '≠', '£', '·',
}

// printRunes puts the characters beyond ASCII at the start of p, the input from
// from on, on the screen as long as they stand on the cursor's row and need no
// special care. It returns their length in bytes, which may be 0.
func (r *Renderer) printRunes(p []byte, from int) int {
	ro := r.at(r.cy)
	if r.unusual || ro.kind == cellRow && ro.endsInJoiner(r.cx) || ro.kind == rawRow && ro.endsInJoiner(r.cx) {
		return 0
	}
	n, w, last := 0, 0, rune(0)
	for n < len(p) && p[n] >= utf8.RuneSelf {
		c, size := utf8.DecodeRune(p[n:])
		if size == 1 || c < 0xa0 {
			break
		}
		cw := runeWidth(c)
		if cw == 0 || r.cx+w+cw > r.cols {
			break
		}
		n += size
		w += cw
		last = c
	}
	if n == 0 {
		return 0
	}
	r.last = last
	if ro.appendRaw(r.cx, p[:n], w, from) {
		r.borrow = true
		r.cx += w
		return n
	}
	ro.toCells(r.cols)
	for _, c := range string(p[:n]) {
		cw := runeWidth(c)
		ro.putRune(r.cx, c, cw)
		r.cx += cw
	}
	return n
}

// printRune puts a character beyond ASCII on the screen.
func (r *Renderer) printRune(c rune) {
	if c < 0xa0 {
		return // a C1 control
	}
	r.last = c
	r.place(c, string(c), clusterWidth(c, r.cols))
}

// place puts one character of width w on the screen in whatever mode.
func (r *Renderer) place(c rune, enc string, w int) {
	ro := r.at(r.cy)
	if w == 0 || len(enc) > 1 && ro.endsInJoiner(r.cx) {
		if r.cx == 0 || ro.appendMark(r.cx, enc, r.clusterLimit()) {
			return
		}
		ro.toCells(r.cols)
		ro.combine(r.cx, []byte(enc), r.clusterLimit())
		return
	}
	if r.noWrap && w > 1 && r.cx != r.cols && r.cx > r.cols-w {
		return
	}
	if r.insert {
		r.insertCells(w)
	}
	if !r.noWrap && r.cx > r.cols-w {
		r.lineFeed(true)
		r.cx = 0
		ro = r.at(r.cy)
	}
	if r.cx > r.cols-w {
		return
	}
	if r.unusual || !ro.appendRaw(r.cx, []byte(enc), w, -1) {
		ro.toCells(r.cols)
		ro.putRune(r.cx, c, w)
	}
	edge := r.cols
	if r.noWrap {
		edge--
	}
	r.cx = min(r.cx+w, edge)
}

func (r *Renderer) clusterLimit() int {
	if r.strict {
		return 21
	}
	return maxCluster
}

// appendMark adds something without width to a row that keeps what was
// printed, unless its last character has no room for it, and reports false when
// the row is of another kind.
func (ro *row) appendMark(cx int, enc string, limit int) bool {
	if ro.kind == cellRow || cx != ro.used() || ro.holes {
		return false
	}
	if n := len(enc); len(ro.text)+n > limit && lastCluster(ro.text)+n > limit {
		return true
	}
	return ro.appendRaw(cx, []byte(enc), 0, -1)
}

// lastCluster returns the size of the last character with all that joins it, as
// far as it matters.
func lastCluster(text []byte) int {
	n := 0
	for n < len(text) && n < maxCluster {
		c, size := utf8.DecodeLastRune(text[:len(text)-n])
		n += size
		if c == '\t' || runeWidth(c) > 0 && !bytes.HasSuffix(text[:len(text)-n], zwjBytes) {
			break
		}
	}
	return n
}

// insertCells shifts the rest of the cursor's row right by n. As in tmux
// nothing happens when n reaches the right edge.
func (r *Renderer) insertCells(n int) {
	ro := r.at(r.cy)
	if r.cx >= r.cols-1 {
		ro.erase(r.cx, r.cols, r.cols)
		return
	}
	ro.move(r.cx+n, r.cx, max(r.cols-r.cx-n, 0), r.cols)
}

// deleteCells pulls the rest of the cursor's row left by n.
func (r *Renderer) deleteCells(n int) {
	if n == r.cols {
		r.clearRows(r.cy, 1)
		return
	}
	ro := r.at(r.cy)
	ro.move(r.cx, r.cx+n, r.cols-r.cx-n, r.cols)
	ro.erase(r.cols-n, r.cols, r.cols)
}
