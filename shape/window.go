package shape

import (
	"strings"
	"unicode/utf8"
)

// Limits says how much of the lines a [Window] keeps.
type Limits struct {
	// Head and Tail are how many lines are kept from the beginning and from
	// the end. If either is negative the number of lines is not limited.
	Head, Tail int
	// MaxBytes is the most that Result.Text may hold; 0 sets no limit.
	MaxBytes int64
}

// Result is what a [Window] has kept.
type Result struct {
	// Text is the kept lines joined by LF, without a final one. Where lines
	// were left out one line "…" stands for them; a line that was cut ends
	// in "…".
	Text string
	// OmittedLines counts the lines that are not in Text at all.
	OmittedLines int64
	// OmittedBytes counts the bytes cut out of lines that are in Text.
	OmittedBytes int64
}

const ellipsis = "…"

// Window collects lines and keeps the first and the last of them. Its memory is
// bounded by a small multiple of MaxBytes, if that is set, whatever is added;
// otherwise by the lines that it has to keep. It is not safe for concurrent use.
type Window struct {
	l      Limits
	all    bool // any number of lines
	total  int64
	head   []*stored
	tail   []*stored // tail[first:] in order
	first  int
	used   int64 // bytes of head or tail, long lines counted as a quarter of MaxBytes
	filled bool  // head takes no more
	latest *stored
	free   *stored
}

// stored is a line, or the beginning of it.
type stored struct {
	text []byte
	size int64 // of the whole line
}

// NewWindow returns an empty Window.
func NewWindow(l Limits) *Window {
	w := &Window{l: l, all: l.Head < 0 || l.Tail < 0}
	w.filled = !w.all && l.Head == 0
	return w
}

// Add adds a line, which is copied.
func (w *Window) Add(line []byte) {
	w.total++
	w.latest = nil
	if !w.filled {
		s := w.store(line)
		w.head = append(w.head, s)
		w.used += w.weight(s)
		if !w.all && len(w.head) == w.l.Head || w.l.MaxBytes > 0 && w.used >= w.l.MaxBytes {
			w.filled = true
			w.used = 0
		}
		return
	}
	if !w.all && w.l.Tail == 0 {
		return
	}
	if !w.all && len(w.tail)-w.first == w.l.Tail {
		w.dropOldest()
	}
	s := w.store(line)
	w.tail = append(w.tail, s)
	w.used += w.weight(s)
	w.trim()
}

// Extend adds to the line added last; see [Renderer.Continues].
func (w *Window) Extend(piece []byte) {
	s := w.latest
	if s == nil {
		return
	}
	before := w.weight(s)
	s.size += int64(len(piece))
	s.text = append(s.text, piece[:w.room(len(s.text), len(piece))]...)
	if w.filled && len(w.tail) > w.first && s == w.tail[len(w.tail)-1] {
		w.used += w.weight(s) - before
		w.trim()
	}
}

// store copies as much of the line as could ever be shown.
func (w *Window) store(line []byte) *stored {
	s := w.free
	if s == nil {
		s = new(stored)
	}
	w.free = nil
	s.text = append(s.text[:0], line[:w.room(0, len(line))]...)
	s.size = int64(len(line))
	w.latest = s
	return s
}

func (w *Window) room(have, add int) int {
	if w.l.MaxBytes <= 0 {
		return add
	}
	return int(min(int64(add), max(w.l.MaxBytes-int64(have), 0)))
}

// weight is what a line takes of MaxBytes when there are many.
func (w *Window) weight(s *stored) int64 {
	n := s.size + 1
	if w.l.MaxBytes > 0 {
		n = min(n, w.l.MaxBytes/4+1)
	}
	return n
}

// trim drops lines at the front of the tail that the newer ones leave no room
// for.
func (w *Window) trim() {
	for w.l.MaxBytes > 0 && len(w.tail)-w.first > 1 && w.used-w.weight(w.tail[w.first]) >= w.l.MaxBytes {
		w.dropOldest()
	}
}

func (w *Window) dropOldest() {
	s := w.tail[w.first]
	w.used -= w.weight(s)
	w.tail[w.first] = nil
	w.free = s
	if w.first++; w.first >= 64 && w.first*2 >= len(w.tail) {
		n := copy(w.tail, w.tail[w.first:])
		clear(w.tail[n:])
		w.tail, w.first = w.tail[:n], 0
	}
}

// Result returns what is kept so far.
func (w *Window) Result() Result {
	tail := w.tail[w.first:]
	c := &cutting{lines: append(w.head[:len(w.head):len(w.head)], tail...), gap: len(w.head)}
	c.dropped = w.total - int64(len(c.lines))
	c.front, c.back = c.gap, c.gap
	if c.dropped == 0 {
		c.front, c.back = len(c.lines), len(c.lines)
	}
	if w.l.MaxBytes > 0 {
		c.limit = w.l.MaxBytes
		c.fit(w.headShare())
	}
	return c.result()
}

// headShare returns how many bytes the first lines may take when not all fit.
func (w *Window) headShare() int64 {
	switch {
	case w.all:
		return w.l.MaxBytes / 5
	case w.l.Tail == 0:
		return w.l.MaxBytes
	}
	return int64(float64(w.l.MaxBytes) * float64(w.l.Head) / (float64(w.l.Head) + float64(w.l.Tail)))
}

// cutting decides which lines are shown, and how much of each: lines[:front]
// and lines[back:].
type cutting struct {
	lines       []*stored
	gap         int   // dropped lines stood before lines[gap]
	dropped     int64 // lines that were not even stored
	front, back int
	limit       int64 // of the text; 0: none
	most        int64 // bytes of a line shown; 0: all
}

// fit makes the text fit the limit: first by cutting long lines, then by
// leaving out lines of the middle.
func (c *cutting) fit(headShare int64) {
	if c.size(c.limit) <= c.limit && !c.cuts(c.limit) {
		return
	}
	// The largest cap for which everything fits is found by bisection.
	lo, hi := int64(0), c.limit
	for lo < hi {
		m := lo + (hi-lo+1)/2
		if c.size(m) <= c.limit {
			lo = m
		} else {
			hi = m - 1
		}
	}
	c.most = max(lo, c.limit/4, 1)
	if c.size(c.most) <= c.limit {
		return
	}
	room := c.limit - int64(len(ellipsis)) - 1
	front, used := 0, int64(0)
	end := len(c.lines)
	stop := end
	if c.dropped > 0 {
		stop = c.gap
	}
	take := func(i int, room int64) bool {
		n := c.shown(c.lines[i], c.most) + 1
		if used+n > room {
			return false
		}
		used += n
		return true
	}
	for front < stop && take(front, min(headShare, room)) {
		front++
	}
	back := end
	low := front
	if c.dropped > 0 {
		low = c.gap
	}
	for back > low && take(back-1, room) {
		back--
	}
	for front < min(stop, back) && take(front, room) {
		front++
	}
	c.front, c.back = front, back
}

// shown returns the bytes of a line when at most most are shown.
func (c *cutting) shown(s *stored, most int64) int64 { return min(s.size, most) }

func (c *cutting) cuts(most int64) bool {
	for _, s := range c.lines {
		if s.size > most {
			return true
		}
	}
	return false
}

// size returns the length of the text, every stored line shown up to most.
func (c *cutting) size(most int64) int64 {
	n := int64(-1)
	for _, s := range c.lines {
		n += c.shown(s, most) + 1
	}
	if c.dropped > 0 {
		n += int64(len(ellipsis)) + 1
	}
	return max(n, 0)
}

func (c *cutting) result() Result {
	var res Result
	var b strings.Builder
	started := false
	add := func(line []byte, mark string) {
		if started {
			b.WriteByte('\n')
		}
		started = true
		b.Write(line)
		b.WriteString(mark)
	}
	show := func(lines []*stored) {
		for _, s := range lines {
			line, mark := s.text, ""
			if c.most > 0 && s.size > c.most {
				line, mark = cut(line, int(c.most))
			}
			res.OmittedBytes += s.size - int64(len(line))
			add(line, mark)
		}
	}
	show(c.lines[:c.front])
	res.OmittedLines = c.dropped + int64(c.back-c.front)
	if res.OmittedLines > 0 && (c.limit == 0 || int64(b.Len()+len(ellipsis)+1) <= c.limit) {
		add(nil, ellipsis)
	}
	show(c.lines[c.back:])
	res.Text = b.String()
	return res
}

// cut shortens a line so that it takes at most n bytes with its mark. It does
// not split a character.
func cut(line []byte, n int) (kept []byte, mark string) {
	if n >= len(ellipsis) {
		n -= len(ellipsis)
		mark = ellipsis
	}
	n = min(n, len(line))
	for i := 1; i <= min(n, utf8.UTFMax-1); i++ {
		if b := line[n-i]; utf8.RuneStart(b) {
			if !utf8.FullRune(line[n-i : n]) {
				n -= i
			}
			break
		}
	}
	return line[:n], mark
}
