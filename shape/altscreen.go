package shape

import (
	"fmt"
	"time"
)

// screenNote stands for what was written to the alternate screen.
type screenNote struct {
	size  int64
	took  time.Duration
	timed bool
	open  bool // it is being shown; the rest is not known yet
}

func (n screenNote) String() string {
	if n.timed {
		return fmt.Sprintf("[full screen: %s, %s]", sizeText(n.size), timeText(n.took))
	}
	return fmt.Sprintf("[full screen: %s]", sizeText(n.size))
}

func sizeText(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 999_500:
		return fmt.Sprintf("%d KB", (n+500)/1000)
	case n < 999_500_000:
		return fmt.Sprintf("%d MB", (n+500_000)/1_000_000)
	}
	return fmt.Sprintf("%.1f GB", float64(n)/1e9)
}

func timeText(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%d s", d.Round(time.Second)/time.Second)
	case d < time.Hour:
		return fmt.Sprintf("%d min", d.Round(time.Minute)/time.Minute)
	}
	return fmt.Sprintf("%.1f h", d.Hours())
}

// maxNotes is how many notes a row keeps apart; programs that open and leave
// the alternate screen without printing anything are summed up from there on.
const maxNotes = 8

// enterAlternate shows the alternate screen, which begins empty with the cursor
// where it was. There a note is left.
func (r *Renderer) enterAlternate(saveCursor bool) {
	if r.alternate {
		return
	}
	if saveCursor {
		r.altX, r.altY, r.altSaved = r.cx, r.cy, true
	}
	ro := r.at(r.cy)
	if len(ro.notes) == 0 {
		ro.behind = ro.used() > 0 || r.cy > 0 && r.at(r.cy-1).wrapped || r.cy == 0 && r.open
	}
	ro.notes = append(ro.notes, screenNote{open: true})
	r.noted = ro
	if r.other == nil {
		r.other = makeRows(r.rows)
	}
	for _, ro := range r.other {
		ro.reset()
	}
	r.savedTop = r.top
	r.ring, r.top = r.other, 0
	r.alternate = true
	r.altStart = r.offset
}

// leaveAlternate shows the main screen again as it was left.
func (r *Renderer) leaveAlternate(restoreCursor bool) {
	if !r.alternate {
		return
	}
	if restoreCursor && r.altSaved {
		r.cx, r.cy = r.altX, r.altY
	}
	r.altSaved = false
	notes := r.noted.notes
	note, n := r.currentNote(), len(notes)-1
	if notes[n] = note; n == maxNotes {
		l := &notes[n-1]
		l.size += note.size
		l.took += note.took
		l.timed = l.timed && note.timed
		r.noted.notes = notes[:n]
	}
	r.ring, r.top = r.main, r.savedTop
	r.alternate, r.noted = false, nil
}

func (r *Renderer) currentNote() screenNote {
	n := screenNote{size: r.offset - r.altStart}
	if r.elapsed != nil {
		n.took, n.timed = r.elapsed(r.altStart, r.offset)
	}
	return n
}

// bareNote reports whether the row holds nothing but notes.
func (ro *row) bareNote() bool { return ro.used() == 0 && !ro.ended && !ro.wrapped }

func (r *Renderer) emitNotes(notes []screenNote) {
	for _, n := range notes {
		r.emit([]byte(n.String()))
	}
}
