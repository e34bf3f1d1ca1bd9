package shape

// screen is the grid of rows with the cursor. The rows are a ring, so that
// scrolling by a line costs the same for every height.
type screen struct {
	cols, rows int
	ring       []*row // the screen shown now
	top        int    // ring index of its first row
	cx, cy     int    // cx is cols after a character in the last column
	upper      int    // scroll region, first and last row
	lower      int

	main, other []*row
	alternate   bool
	noted       *row // row of main where the alternate screen was entered
	savedTop    int
	borrow      bool // some row of ring aliases the caller's input
}

func (s *screen) init(cols, rows int) {
	s.cols, s.rows = cols, rows
	s.main = makeRows(rows)
	s.ring = s.main
	s.lower = rows - 1
}

func makeRows(n int) []*row {
	all := make([]row, n)
	ring := make([]*row, n)
	for i := range all {
		all[i].fresh = true
		ring[i] = &all[i]
	}
	return ring
}

// home is the cursor and the scroll region of an unused screen.
func (s *screen) home() {
	s.cx, s.cy, s.upper, s.lower = 0, 0, 0, s.rows-1
}

// at returns row y of the screen.
func (s *screen) at(y int) *row {
	y += s.top
	if y >= len(s.ring) {
		y -= len(s.ring)
	}
	return s.ring[y]
}

func (s *screen) slot(y int) **row {
	y += s.top
	if y >= len(s.ring) {
		y -= len(s.ring)
	}
	return &s.ring[y]
}

// keepAll makes the screen independent of the caller's input.
func (s *screen) keepAll() {
	if !s.borrow {
		return
	}
	s.borrow = false
	for _, ro := range s.ring {
		ro.keep()
	}
	if s.alternate {
		for _, ro := range s.main {
			ro.keep()
		}
	}
}

// moveTo places the cursor; what is beyond the edges is clamped as tmux does.
func (s *screen) moveTo(x, y int) {
	s.cx, s.cy = min(x, s.cols-1), min(y, s.rows-1)
}

// lineFeed moves the cursor down, scrolling when it is at the end of the
// region. wrapped says that the line goes on.
func (r *Renderer) lineFeed(wrapped bool) {
	ro := r.at(r.cy)
	if wrapped {
		ro.wrapped = true
	} else {
		ro.ended = true
	}
	if r.cy == r.lower {
		r.scrollUp()
	} else if r.cy < r.rows-1 {
		r.cy++
	}
}

// scrollUp moves the region up by a row. The row that leaves goes by, also when
// the region does not begin at the top: tmux puts it into its history.
func (r *Renderer) scrollUp() {
	if r.upper == 0 && r.lower == r.rows-1 {
		ro := r.ring[r.top]
		r.retire(ro)
		ro.reset()
		r.top++
		if r.top == r.rows {
			r.top = 0
		}
		return
	}
	ro := r.at(r.upper)
	r.retire(ro)
	ro.reset()
	for y := r.upper; y < r.lower; y++ {
		*r.slot(y) = *r.slot(y + 1)
	}
	*r.slot(r.lower) = ro
}

// moveRows copies n rows from row from to row to, as if over the whole grid,
// and empties those of the source that the copy does not cover. What they
// replace is lost.
func (r *Renderer) moveRows(to, from, n int) {
	if n <= 0 || to == from {
		return
	}
	r.unwrap(to - 1)
	moved := make([]*row, n)
	for i := range moved {
		moved[i] = *r.slot(from + i)
	}
	var spare []*row
	for y := to; y < to+n; y++ {
		if y < from || y >= from+n {
			spare = append(spare, *r.slot(y))
		}
	}
	for i, ro := range moved {
		*r.slot(to + i) = ro
	}
	for y := from; y < from+n; y++ {
		if y < to || y >= to+n {
			ro := spare[0]
			spare = spare[1:]
			ro.reset()
			*r.slot(y) = ro
		}
	}
	if from < to || from >= to+n {
		r.unwrap(from - 1)
	}
}

// unwrap ends the line of row y there; row -1 is the one that scrolled off.
func (r *Renderer) unwrap(y int) {
	switch {
	case y >= 0:
		r.at(y).wrapped = false
	case r.open && !r.alternate:
		r.finish()
	}
}

// clearRows empties n rows from y on.
func (r *Renderer) clearRows(y, n int) {
	if n <= 0 {
		return
	}
	for i := y; i < y+n; i++ {
		ro := r.at(i)
		notes := ro.notes
		ro.reset()
		ro.notes = notes
	}
	r.unwrap(y - 1)
}

// clearScreen empties the screen; what was on it has been seen and goes by.
func (r *Renderer) clearScreen() {
	if r.alternate {
		r.clearRows(0, r.rows)
		return
	}
	r.flush()
	r.clearRows(0, r.rows)
}

// insertLines opens n empty rows at the cursor, pushing the rest of the region
// down and out. Outside of the region it pushes the rest of the screen, and as
// in tmux rows that are not pushed stay.
func (r *Renderer) insertLines(n int) {
	end, within := r.rows, r.cy >= r.upper && r.cy <= r.lower
	if within {
		end = r.lower + 1
	}
	n = min(n, end-r.cy)
	moved := end - r.cy - n
	r.moveRows(r.cy+n, r.cy, moved)
	if within && moved < n {
		r.clearRows(r.cy+moved, n-moved)
	} else if within && moved > n {
		r.unwrap(r.cy + moved - 1)
	}
}

// deleteLines removes n rows at the cursor and pulls up the rest.
func (r *Renderer) deleteLines(n int) {
	end := r.rows
	if r.cy >= r.upper && r.cy <= r.lower {
		end = r.lower + 1
	}
	n = min(n, end-r.cy)
	r.moveRows(r.cy, r.cy+n, end-r.cy-n)
	r.clearRows(end-n, n)
}

// reverseIndex moves the cursor up, scrolling down at the top of the region.
func (r *Renderer) reverseIndex() {
	if r.cy == r.upper {
		r.scrollDown()
	} else if r.cy > 0 {
		r.cy--
	}
}

func (r *Renderer) scrollDown() {
	if r.upper < r.lower {
		r.moveRows(r.upper+1, r.upper, r.lower-r.upper)
	} else {
		r.clearRows(r.upper, 1)
	}
}

// eraseLine empties columns a to b of the cursor's row. A row emptied as a
// whole is no longer joined to its neighbours.
func (r *Renderer) eraseLine(a, b int) {
	if !r.at(r.cy).fresh {
		r.erase(a, b)
	}
}

// erase is eraseLine for a row that need not hold anything.
func (r *Renderer) erase(a, b int) {
	if a >= r.cols {
		return
	}
	if a == 0 && b >= r.cols {
		r.clearRows(r.cy, 1)
		return
	}
	r.at(r.cy).erase(a, min(b, r.cols), r.cols)
}

// eraseBelow is ED 0. After a move to the top left corner it clears the screen,
// and what was on it goes by. Whoever came there by going up from below is
// redrawing: in the pane that may have been any row, and nothing goes by.
func (r *Renderer) eraseBelow() {
	if r.homed && r.cx == 0 && r.cy == 0 {
		r.clearScreen()
		return
	}
	r.eraseLine(r.cx, r.cols)
	r.clearRows(r.cy+1, r.rows-r.cy-1)
}

// eraseAbove is ED 1.
func (r *Renderer) eraseAbove() {
	r.clearRows(0, r.cy)
	r.eraseLine(0, r.cx+1)
}

// tab moves the cursor to the next tab stop and leaves a trace of having done
// so, for the line is given as printed. p is a TAB, the input from from on.
func (r *Renderer) tab(p []byte, from int) {
	ro := r.at(r.cy)
	if r.cx >= r.cols-1 {
		if !r.strict && !ro.appendRaw(r.cx, p, 0, from) && r.cx > 0 {
			ro.toCells(r.cols)
			ro.combine(r.cx, p, maxCluster)
		}
		r.borrow = true
		return
	}
	if r.stops.usual() {
		to := nextTab(r.cx, r.cols)
		if !r.strict && !ro.appendRaw(r.cx, p, to-r.cx, from) {
			ro.toCells(r.cols)
			ro.skipTab(r.cx, to)
		}
		r.borrow = true
		r.cx = to
		return
	}
	to := r.stops.next(r.cx, r.cols)
	if !r.strict {
		ro.toCells(r.cols)
		ro.skipTab(r.cx, to)
	}
	r.cx = to
}

// backspace moves left, and over the edge into a row that wrapped here.
func (r *Renderer) backspace() {
	switch {
	case r.cx > 0:
		r.cx--
	case r.cy > 0 && r.at(r.cy-1).wrapped:
		r.cy--
		r.cx = r.cols - 1
	}
}
