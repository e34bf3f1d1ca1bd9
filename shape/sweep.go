package shape

import "unicode/utf8"

// Most output is whole lines that nothing comes back to. While the cursor is at
// the start of an empty last row, such lines push the others out at the top one
// by one; those that will have been pushed out by the end of the input need not
// be put on the screen at all.

// canSweep reports whether whole lines can go past the screen: the cursor is
// known to be at the start of the last row.
func (r *Renderer) canSweep() bool {
	return !r.unusual && !r.alternate && r.upper == 0 && r.lower == r.rows-1 && r.rows > 1 && r.stops.usual() && !r.strict &&
		r.at(r.cy).fresh && r.at(r.cy).notes == nil && !r.at(r.cy-1).wrapped
}

// extentOf is a line in the input.
type extentOf struct {
	start, end int
	ascii      bool
}

// sweep takes the whole lines at p[i:] that are printed as they stand, and
// returns where the first other one begins and how many bytes of it are
// printable ASCII.
func (r *Renderer) sweep(p []byte, i int) (next, ascii int) {
	held := r.rows - 1 // rows above the cursor
	if r.swept == nil {
		r.swept = make([]extentOf, held)
	}
	swept := r.swept
	count, slot, n := 0, 0, 0
	for {
		var end int
		n = plain(p[i:])
		end = i + n
		isASCII := true
		if end < len(p) && p[end] != '\r' && p[end] != '\n' {
			if end, isASCII = r.simpleEnd(p, i, end), false; end < 0 {
				break
			}
		}
		after := end
		if after < len(p) && p[after] == '\r' {
			after++
		} else if !r.newLine {
			break
		}
		if after >= len(p) || p[after] != '\n' || end-i > r.cols {
			break
		}
		if count < held {
			ro := r.at(count)
			r.retire(ro)
			ro.reset()
		} else {
			r.emit(p[swept[slot].start:swept[slot].end])
		}
		swept[slot] = extentOf{i, end, isASCII}
		count++
		if slot++; slot == held {
			slot = 0
		}
		i = after + 1
	}
	if count == 0 {
		return i, n
	}
	m := min(count, held)
	if r.top += m; r.top >= r.rows {
		r.top -= r.rows
	}
	if slot -= m; slot < 0 {
		slot += held
	}
	for y := held - m; y < held; y++ {
		e := swept[slot]
		ro := r.at(y)
		ro.text, ro.from, ro.borrowed = p[e.start:e.end], e.start, true
		ro.fresh, ro.ended = false, true
		if len(ro.text) == 0 {
			ro.fresh, ro.borrowed = true, false
		}
		if !e.ascii {
			ro.kind, ro.width = rawRow, -1
		}
		if slot++; slot == held {
			slot = 0
		}
	}
	r.borrow = true
	r.last = 0
	return i, n
}

// simpleEnd returns where the line at p[start:] ends if it holds nothing but
// characters that are printed as they stand and certainly fits the screen, else
// -1. Up to end it is known to be printable ASCII.
func (r *Renderer) simpleEnd(p []byte, start, end int) int {
	tabs := 0
	for end < len(p) {
		switch b := p[end]; {
		case b == '\r' || b == '\n':
			if end-start+7*tabs >= r.cols-1 {
				return -1
			}
			return end
		case b == '\t':
			tabs++
			end++
		case b >= utf8.RuneSelf:
			c, n := utf8.DecodeRune(p[end:])
			if n == 1 || c < 0xa0 || c >= 0x300 && runeWidth(c) == 0 {
				return -1
			}
			end += n
		case b < 0x20 || b == 0x7f:
			return -1
		}
		if end < len(p) && p[end]-0x20 <= 0x5e {
			end += plain(p[end:])
		}
		if end-start > r.cols {
			return -1
		}
	}
	return -1
}
