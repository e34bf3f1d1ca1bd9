package shape

// tabStops holds the tab stops. They are every eighth column until a program
// changes them, which hardly any does.
type tabStops struct {
	at []bool
}

func (t *tabStops) usual() bool { return t.at == nil }

// own makes the stops changeable.
func (t *tabStops) own(cols int) {
	if t.at == nil {
		t.at = make([]bool, cols)
		for i := 8; i < cols; i += 8 {
			t.at[i] = true
		}
	}
}

func (t *tabStops) isStop(x int) bool {
	if t.at == nil {
		return x&7 == 0
	}
	return t.at[x]
}

// next returns the stop after column x, at most the last column.
func (t *tabStops) next(x, cols int) int {
	for x++; x < cols-1 && !t.isStop(x); x++ {
	}
	return x
}

func (t *tabStops) set(x, cols int) {
	if x < cols {
		t.own(cols)
		t.at[x] = true
	}
}

func (t *tabStops) clear(x, cols int) {
	if x < cols {
		t.own(cols)
		t.at[x] = false
	}
}

func (t *tabStops) clearAll(cols int) { t.at = make([]bool, cols) }

// backTab is CBT: n stops to the left.
func (r *Renderer) backTab(n int) {
	r.cx = min(r.cx, r.cols-1)
	for ; r.cx > 0 && n > 0; n-- {
		for r.cx--; r.cx > 0 && !r.stops.isStop(r.cx); r.cx-- {
		}
	}
}
