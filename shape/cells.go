package shape

import (
	"bytes"
	"unicode/utf8"
)

// cell is one column of a cellRow: 0 when empty, else a rune or one of the
// flags below.
type cell uint32

const (
	padCell   cell = 1 << 31 // right half of a wide character
	tabCell   cell = 1 << 30 // first column a TAB skipped; holds that column and the number of columns
	skipCell  cell = 1 << 29 // further column a TAB skipped
	extCell   cell = 1 << 28 // low bits index row.ext: a rune with combining marks
	wideCell  cell = 1 << 27 // two columns
	indexMask cell = 1<<26 - 1

	tabShift = 13
	maxCols  = 1<<tabShift - 1

	// maxCluster bounds what one column can hold, so that marks without end
	// take no memory. tmux keeps 21 to 32 bytes.
	maxCluster = 256
)

const zwj = '\u200d'

var zwjBytes = []byte(string(zwj))

// putRune writes a rune of width w at column cx of a cellRow.
func (ro *row) putRune(cx int, c rune, w int) {
	ro.fresh = false
	ro.breakWide(cx, w, false)
	ro.cells[cx] = cell(c)
	if w == 2 {
		ro.cells[cx] |= wideCell
		ro.cells[cx+1] = padCell
	}
}

// breakWide blanks the other halves of wide characters that a write of n
// columns at cx cuts. As in tmux a run of ASCII leaves the left half of a
// character in the first column, and other characters look right of themselves
// only if they are wide or stand on a wide one.
func (ro *row) breakWide(cx, n int, run bool) {
	behind := run || n != 1 || ro.cells[cx]&(wideCell|padCell) != 0
	if ro.cells[cx]&padCell != 0 {
		i := cx
		for i > 0 && ro.cells[i]&padCell != 0 {
			ro.cells[i] = ' '
			i--
		}
		if !run || i > 0 && ro.cells[i]&wideCell != 0 {
			ro.cells[i] = ' '
		}
	}
	for i := cx + n; behind && i < len(ro.cells) && ro.cells[i]&padCell != 0; i++ {
		ro.cells[i] = ' '
	}
}

// combine adds bytes to the character left of column cx, up to limit, and
// reports whether there is one.
func (ro *row) combine(cx int, p []byte, limit int) bool {
	i := cx - 1
	for i >= 0 && ro.cells[i]&padCell != 0 {
		i--
	}
	if i < 0 {
		return false
	}
	c := ro.cells[i]
	if p[0] == '\t' && (c == 0 || c&(tabCell|skipCell) != 0) {
		return true
	}
	ro.fresh = false
	if c&(tabCell|skipCell) != 0 {
		// Something zero wide inside the columns of a TAB: the TAB is
		// spaces from here on.
		c = 0
	}
	if c&extCell != 0 {
		e := ro.ext[c&indexMask]
		if len(e)+len(p) <= limit {
			ro.ext[c&indexMask] = append(e, p...)
		}
		return true
	}
	base := rune(c &^ wideCell)
	if base == 0 {
		base = ' '
	}
	ro.trimExt()
	e := append(utf8.AppendRune(make([]byte, 0, 4+len(p)), base), p...)
	ro.ext = append(ro.ext, e)
	ro.cells[i] = extCell | c&wideCell | cell(len(ro.ext)-1)
	return true
}

// trimExt drops clusters that no column refers to any more, so that a row that
// is redrawn for ever does not grow.
func (ro *row) trimExt() {
	if len(ro.ext) < 2*len(ro.cells)+16 {
		return
	}
	kept := make([][]byte, 0, len(ro.cells)+16)
	for i, c := range ro.cells {
		if c&extCell != 0 {
			kept = append(kept, ro.ext[c&indexMask])
			ro.cells[i] = c&^indexMask | cell(len(kept)-1)
		}
	}
	ro.ext = kept
}

// endsInJoiner reports whether the character left of column cx waits for the
// next one to join it.
func (ro *row) endsInJoiner(cx int) bool {
	switch ro.kind {
	case rawRow:
		return cx == ro.columns() && bytes.HasSuffix(ro.text, zwjBytes)
	case cellRow:
		i := cx - 1
		for i >= 0 && ro.cells[i]&padCell != 0 {
			i--
		}
		return i >= 0 && ro.cells[i]&extCell != 0 && bytes.HasSuffix(ro.ext[ro.cells[i]&indexMask], zwjBytes)
	}
	return false
}

// skipTab records that a TAB moved the cursor from column cx to column to, if
// it moved over nothing.
func (ro *row) skipTab(cx, to int) {
	for i := cx; i < to; i++ {
		if ro.cells[i] != 0 {
			return
		}
	}
	ro.fresh = false
	ro.cells[cx] = tabCell | cell(cx)<<tabShift | cell(to-cx)
	for i := cx + 1; i < to; i++ {
		ro.cells[i] = skipCell
	}
}

// toCells gives every column its own cell.
func (ro *row) toCells(cols int) {
	if ro.kind == cellRow {
		return
	}
	if cap(ro.cells) < cols {
		ro.cells = make([]cell, cols)
	} else {
		ro.cells = ro.cells[:cols]
		clear(ro.cells)
	}
	text, was := ro.text, ro.kind
	ro.kind, ro.text, ro.borrowed, ro.holes = cellRow, nil, false, false
	if was == asciiRow {
		for i, b := range text {
			ro.cells[i] = cell(b)
		}
		return
	}
	x := 0
	for len(text) > 0 {
		c, n := utf8.DecodeRune(text)
		w := 1
		if c >= 0x300 {
			w = clusterWidth(c, cols)
		}
		switch {
		case c == '\t' && x >= cols-1:
			ro.combine(x, text[:n], maxCluster)
		case c == '\t':
			to := nextTab(x, cols)
			ro.skipTab(x, to)
			x = to
		case w == 0 || n > 1 && ro.endsInJoiner(x):
			ro.combine(x, text[:n], maxCluster)
		default:
			ro.putRune(x, c, w)
			x += w
		}
		text = text[n:]
	}
}

// clusterWidth is runeWidth on a screen that may be too narrow.
func clusterWidth(c rune, cols int) int { return min(runeWidth(c), cols) }

// nextTab returns where a TAB at column x, which is left of the last one, goes
// while the tab stops are the default ones.
func nextTab(x, cols int) int { return min((x|7)+1, cols-1) }

func (ro *row) appendCells(dst []byte) []byte {
	cells := ro.cells[:ro.used()]
	for i := 0; i < len(cells); i++ {
		c := cells[i]
		switch {
		case c == 0 || c&skipCell != 0:
			dst = append(dst, ' ')
		case c&padCell != 0:
		case c&extCell != 0:
			dst = append(dst, ro.ext[c&indexMask]...)
		case c&tabCell != 0:
			if n := tabLength(cells, i); n > 0 {
				dst = append(dst, '\t')
				i += n - 1
			} else {
				dst = append(dst, ' ')
			}
		case c < utf8.RuneSelf:
			dst = append(dst, byte(c))
		default:
			dst = utf8.AppendRune(dst, rune(c&^wideCell))
		}
	}
	return dst
}

// tabLength returns the columns of the TAB that begins at cells[i], or 0 if
// something has changed one of them or moved it.
func tabLength(cells []cell, i int) int {
	at, n := int(cells[i]&indexMask>>tabShift), int(cells[i]&maxCols)
	if at != i || i+n > len(cells) {
		return 0
	}
	for _, c := range cells[i+1 : i+n] {
		if c != skipCell {
			return 0
		}
	}
	return n
}
