package shape

import (
	"math"
	"math/bits"
	"regexp/syntax"
	"unicode"
	"unicode/utf8"
)

// byteSet is a set of byte values.
type byteSet [4]uint64

func (s *byteSet) add(b byte)     { s[b>>6] |= 1 << (b & 63) }
func (s byteSet) has(b byte) bool { return s[b>>6]>>(b&63)&1 != 0 }

func (s byteSet) size() int {
	return bits.OnesCount64(s[0]) + bits.OnesCount64(s[1]) + bits.OnesCount64(s[2]) + bits.OnesCount64(s[3])
}

// run is a sequence of bytes, each out of a set, that stands in a match without
// a gap.
type run []byteSet

// literal returns the run as bytes, nil if it can be different ones.
func (r run) literal() []byte {
	lit := make([]byte, 0, len(r))
	for _, s := range r {
		if s.size() != 1 {
			return nil
		}
		for b := range 256 {
			if s.has(byte(b)) {
				lit = append(lit, byte(b))
			}
		}
	}
	return lit
}

// rarity says how rarely a run is found, in bits, were text random.
func (r run) rarity() float64 {
	total := 0.0
	for _, s := range r {
		total += math.Log2(96 / float64(max(min(s.size(), 96), 1)))
	}
	return total
}

// rarity of several runs is that of the most frequent one.
func rarity(runs []run) float64 {
	if len(runs) == 0 {
		return 0
	}
	least := math.Inf(1)
	for _, r := range runs {
		least = min(least, r.rarity())
	}
	return least - math.Log2(float64(len(runs)))
}

// minRarity is what makes looking for runs worth it, maxRuns how many there may
// be.
const (
	minRarity = 3
	maxRuns   = 16
)

// required returns runs of which every match of t contains at least one, nil if
// none are known.
func required(t *syntax.Regexp) []run {
	var best []run
	consider := func(runs []run) {
		if runs != nil && rarity(runs) > max(rarity(best), minRarity) {
			best = runs
		}
	}
	switch t.Op {
	case syntax.OpAlternate:
		var all []run
		for _, sub := range t.Sub {
			runs := required(sub)
			if runs == nil || len(all)+len(runs) > maxRuns {
				return nil
			}
			all = append(all, runs...)
		}
		consider(all)
		return best
	case syntax.OpCapture, syntax.OpPlus:
		return required(t.Sub[0])
	case syntax.OpConcat:
		for _, sub := range t.Sub {
			if sub.Op != syntax.OpLiteral && sub.Op != syntax.OpCharClass {
				consider(required(sub))
			}
		}
	}
	f := &flattener{}
	f.add(t)
	f.gap()
	for _, r := range f.runs {
		consider([]run{r})
	}
	return best
}

// flattener writes a pattern as runs with gaps between them.
type flattener struct {
	runs []run
	open run
}

func (f *flattener) gap() {
	if len(f.open) > 0 {
		f.runs = append(f.runs, f.open)
		f.open = nil
	}
}

func (f *flattener) add(t *syntax.Regexp) {
	switch t.Op {
	case syntax.OpLiteral:
		for _, c := range t.Rune {
			f.addRune(c, t.Flags&syntax.FoldCase != 0)
		}
	case syntax.OpCharClass:
		f.addClass(t.Rune)
	case syntax.OpConcat:
		for _, sub := range t.Sub {
			f.add(sub)
		}
	case syntax.OpCapture:
		f.add(t.Sub[0])
	case syntax.OpPlus:
		f.add(t.Sub[0])
		f.gap()
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText,
		syntax.OpWordBoundary, syntax.OpNoWordBoundary:
	default:
		f.gap()
	}
}

func (f *flattener) addRune(c rune, fold bool) {
	if !fold {
		if c == utf8.RuneError || !utf8.ValidRune(c) {
			f.gap() // also matches what is no UTF-8
			return
		}
		for _, b := range utf8.AppendRune(nil, c) {
			var s byteSet
			s.add(b)
			f.open = append(f.open, s)
		}
		return
	}
	var s byteSet
	for d := c; ; {
		if d >= utf8.RuneSelf {
			f.gap()
			return
		}
		s.add(byte(d))
		if d = unicode.SimpleFold(d); d == c {
			break
		}
	}
	f.open = append(f.open, s)
}

func (f *flattener) addClass(ranges []rune) {
	var s byteSet
	for i := 0; i < len(ranges); i += 2 {
		if ranges[i+1] >= utf8.RuneSelf {
			f.gap()
			return
		}
		for c := ranges[i]; c <= ranges[i+1]; c++ {
			if c >= ' ' || c == '\t' { // lines have no other control
				s.add(byte(c))
			}
		}
	}
	f.open = append(f.open, s)
}

// isLiteral reports whether the pattern matches whatever contains a literal, or
// one of several.
func isLiteral(t *syntax.Regexp) bool {
	switch t.Op {
	case syntax.OpLiteral:
		for _, c := range t.Rune {
			if c < ' ' || c == utf8.RuneError {
				return false
			}
		}
		return t.Flags&syntax.FoldCase == 0
	case syntax.OpCapture:
		return isLiteral(t.Sub[0])
	case syntax.OpAlternate:
		for _, sub := range t.Sub {
			if !isLiteral(sub) {
				return false
			}
		}
		return true
	}
	return false
}

// runSet looks for several runs at once, one bit of a word for each position in
// them (the Shift-And method of Baeza-Yates and Gonnet).
type runSet struct {
	mask        [256]uint64
	first, last uint64
}

func newRunSet(runs []run) *runSet {
	s := new(runSet)
	room := 64 / len(runs)
	bit := 0
	for _, r := range runs {
		r = r[:min(len(r), room)]
		s.first |= 1 << bit
		for _, set := range r {
			for b := range 256 {
				if set.has(byte(b)) {
					s.mask[b] |= 1 << bit
				}
			}
			bit++
		}
		s.last |= 1 << (bit - 1)
	}
	return s
}

// index returns where a run ends in text, from from on, -1 if none does.
func (s *runSet) index(text []byte, from int) int {
	state := uint64(0)
	for i, b := range text[from:] {
		state = (state<<1 | s.first) & s.mask[b]
		if state&s.last != 0 {
			return from + i
		}
	}
	return -1
}
