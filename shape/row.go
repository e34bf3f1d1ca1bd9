package shape

import (
	"unicode/utf8"
)

// kind says how a row keeps its content. Rows begin as asciiRow and go to
// cellRow only when something that the cheaper forms cannot express happens.
type kind uint8

const (
	asciiRow kind = iota // text[i] is column i; 0 is a column never written or erased
	rawRow               // text is what was printed from column 0 on; only appended to
	cellRow              // cells[i] is column i
)

type row struct {
	kind     kind
	borrowed bool // text aliases the caller's input
	holes    bool // an asciiRow's text may hold 0
	fresh    bool // nothing written since the row became empty
	wrapped  bool // the line goes on in the row below
	ended    bool // a line feed left this row: even empty it was printed
	extent   int  // columns were in use up to here, before an erase
	width    int  // columns of a rawRow; -1 if not counted yet
	from     int  // where text begins in the input it aliases
	text     []byte
	own      []byte
	cells    []cell
	ext      [][]byte
	notes    []screenNote // full screens that were shown while the cursor was here
	behind   bool         // the notes stand behind the row's line, not before it
}

func (ro *row) reset() {
	ro.kind, ro.borrowed, ro.holes, ro.fresh = asciiRow, false, false, true
	ro.wrapped, ro.ended, ro.behind = false, false, false
	ro.extent, ro.width, ro.text, ro.notes = 0, 0, nil, nil
	if ro.ext != nil {
		ro.ext = nil
	}
}

// keep makes the row independent of the caller's input.
func (ro *row) keep() {
	if ro.borrowed {
		ro.own = append(ro.own[:0], ro.text...)
		ro.text, ro.borrowed = ro.own, false
	}
}

// used returns the number of columns up to the last one that is not empty.
func (ro *row) used() int {
	switch ro.kind {
	case asciiRow:
		return len(ro.text)
	case rawRow:
		return ro.columns()
	}
	n := len(ro.cells)
	for n > 0 && ro.cells[n-1] == 0 {
		n--
	}
	return n
}

// columns returns the width of a rawRow. One that is not counted was taken in as
// a whole and fits the screen.
func (ro *row) columns() int {
	if ro.width < 0 {
		x, joined := 0, false
		for _, c := range string(ro.text) {
			switch {
			case c == '\t':
				x = (x | 7) + 1
			case c < utf8.RuneSelf || !joined:
				x += runeWidth(c)
			}
			joined = c == zwj
		}
		ro.width = x
	}
	return ro.width
}

// putASCII writes p, printable ASCII that fits, at column cx. If from is not
// negative p is the input from there on and may be referred to until keep is
// called.
func (ro *row) putASCII(cx int, p []byte, cols, from int) {
	if ro.kind == asciiRow {
		ro.fresh = false
		n := len(ro.text)
		switch {
		case cx == n && ro.alias(p, from):
			return
		case n == 0:
			ro.text = ro.own[:0]
		}
		ro.keep()
		for len(ro.text) < cx {
			ro.text = append(ro.text, 0)
			ro.holes = true
		}
		ro.text = append(ro.text[:cx], p...)
		if len(ro.text) < n {
			ro.text = ro.text[:n]
		}
		ro.own = ro.text
		return
	}
	if ro.appendRaw(cx, p, len(p), from) {
		return
	}
	ro.toCells(cols)
	ro.breakWide(cx, len(p), true)
	for i, b := range p {
		ro.cells[cx+i] = cell(b)
	}
}

// alias makes the row refer to p, which is the input from there on, if it is
// empty or ends right before p.
func (ro *row) alias(p []byte, from int) bool {
	n := len(ro.text)
	switch {
	case from < 0:
		return false
	case n == 0:
		ro.text, ro.from, ro.borrowed = p, from, true
		return true
	case ro.borrowed && ro.from+n == from:
		ro.text = ro.text[:n+len(p)]
		return true
	}
	return false
}

// appendRaw adds printed bytes of width w at column cx to a row that keeps what
// was printed, and reports false when the row cannot. from is as for putASCII.
func (ro *row) appendRaw(cx int, p []byte, w, from int) bool {
	switch {
	case ro.kind == rawRow && cx == ro.columns():
	case ro.kind == asciiRow && cx == len(ro.text) && !ro.holes:
		ro.kind, ro.width = rawRow, cx
	default:
		return false
	}
	ro.fresh = false
	ro.width += w
	if ro.alias(p, from) {
		return true
	}
	if len(ro.text) == 0 {
		ro.text = ro.own[:0]
	}
	ro.keep()
	ro.text = append(ro.text, p...)
	ro.own = ro.text
	return true
}

// erase empties columns a to b.
func (ro *row) erase(a, b, cols int) {
	n := ro.used()
	if a >= n {
		return
	}
	ro.extent = max(ro.extent, n)
	switch ro.kind {
	case asciiRow:
		if b >= len(ro.text) {
			ro.text = ro.text[:a]
			for ro.holes && len(ro.text) > 0 && ro.text[len(ro.text)-1] == 0 {
				ro.text = ro.text[:len(ro.text)-1]
			}
			if !ro.borrowed {
				ro.own = ro.text
			}
			return
		}
		ro.keep()
		clear(ro.text[a:b])
		ro.holes = true
		return
	case rawRow:
		ro.toCells(cols)
	}
	clear(ro.cells[a:min(b, len(ro.cells))])
}

// move copies n cells from column from to column to and empties those of the
// source that the copy does not cover.
func (ro *row) move(to, from, n, cols int) {
	if n == 0 || to == from {
		return
	}
	ro.fresh = false
	ro.extent = max(ro.extent, ro.used(), to+n)
	ro.toCells(cols)
	copy(ro.cells[to:to+n], ro.cells[from:from+n])
	for i := from; i < from+n; i++ {
		if i < to || i >= to+n {
			ro.cells[i] = 0
		}
	}
}

// appendText appends the row as printed. If it wrapped, what was erased at its
// end stays as blanks, for more of the line follows.
func (ro *row) appendText(dst []byte) []byte {
	switch ro.kind {
	case asciiRow:
		start := len(dst)
		dst = append(dst, ro.text...)
		if ro.holes {
			for i, b := range dst[start:] {
				if b == 0 {
					dst[start+i] = ' '
				}
			}
		}
	case rawRow:
		dst = append(dst, ro.text...)
	case cellRow:
		dst = ro.appendCells(dst)
	}
	if ro.wrapped {
		for n := ro.used(); n < ro.extent; n++ {
			dst = append(dst, ' ')
		}
	}
	return dst
}

// line returns the row as printed, valid until the row changes or buf is used
// again.
func (ro *row) line(buf []byte) (line, scratch []byte) {
	if (ro.kind == rawRow || ro.kind == asciiRow && !ro.holes) && !ro.wrapped {
		return ro.text, buf
	}
	buf = ro.appendText(buf[:0])
	return buf, buf
}
