package shape

import (
	"bytes"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// matcher finds lines that match a pattern. What every match must contain is
// looked for first, in the whole text at once.
type matcher struct {
	re    *regexp.Regexp
	any   [][]byte // a match contains one of these; nil: nothing is known
	fold  bool     // any is lower case and ASCII letters match either case
	exact bool     // any line that contains one matches
}

func newMatcher(re *regexp.Regexp) *matcher {
	m := &matcher{re: re}
	if re == nil {
		return m
	}
	tree, err := syntax.Parse(re.String(), syntax.Perl)
	if err != nil {
		return m // compiled by POSIX rules
	}
	need := required(tree.Simplify())
	if need.any == nil {
		return m
	}
	m.exact = need.exact && !need.fold
	m.fold = need.fold
	for _, s := range need.any {
		m.any = append(m.any, []byte(s))
	}
	return m
}

func (m *matcher) match(line []byte) bool { return m.re == nil || m.re.Match(line) }

// find appends the lines of text that match. Each ends in LF, and CRs in front
// of it do not count.
func (m *matcher) find(text []byte, hits []hit) []hit {
	if m.any == nil {
		return m.each(text, hits)
	}
	hay := text
	if m.fold {
		hay = lower(text)
	}
	next := make([]int, len(m.any)) // where each literal is, from at on
	for i, lit := range m.any {
		next[i] = index(hay, lit, 0)
	}
	index0, counted := 0, 0
	for {
		at := len(text)
		for _, n := range next {
			at = min(at, n)
		}
		if at == len(text) {
			return hits
		}
		start := bytes.LastIndexByte(text[:at], '\n') + 1
		end := at + bytes.IndexByte(text[at:], '\n')
		if line := trimCR(text[start:end]); m.exact || m.re.Match(line) {
			index0 += bytes.Count(text[counted:start], newline)
			counted = start
			hits = append(hits, hit{start, end, index0})
		}
		for i, lit := range m.any {
			if next[i] <= end {
				next[i] = index(hay, lit, end+1)
			}
		}
	}
}

var newline = []byte{'\n'}

// index returns where lit is in text from from on, len(text) if nowhere.
func index(text, lit []byte, from int) int {
	if i := bytes.Index(text[from:], lit); i >= 0 {
		return from + i
	}
	return len(text)
}

func (m *matcher) each(text []byte, hits []hit) []hit {
	for at, i := 0, 0; at < len(text); i++ {
		line, next := nextLine(text[at:])
		if m.match(line) {
			hits = append(hits, hit{at, at + next - 1, i})
		}
		at += next
	}
	return hits
}

// lower returns text with ASCII letters in lower case.
func lower(text []byte) []byte {
	out := make([]byte, len(text))
	for i, b := range text {
		if b-'A' < 26 {
			b |= 0x20
		}
		out[i] = b
	}
	return out
}

// needed says what a match contains: at least one of any.
type needed struct {
	any   []string // nil: nothing is known
	fold  bool
	exact bool // and whatever contains one of any matches
}

const maxLiterals = 8

// score prefers long literals, and few.
func (n needed) score() int {
	if n.any == nil {
		return 0
	}
	short := len(n.any[0])
	for _, s := range n.any {
		short = min(short, len(s))
	}
	return 100*min(short, 20) - 10*len(n.any) + 1000
}

func required(t *syntax.Regexp) needed {
	switch t.Op {
	case syntax.OpLiteral:
		return literal(t)
	case syntax.OpCapture:
		return required(t.Sub[0])
	case syntax.OpPlus:
		n := required(t.Sub[0])
		n.exact = false
		return n
	case syntax.OpConcat:
		var best needed
		for _, sub := range t.Sub {
			if n := required(sub); n.score() > best.score() {
				best = n
			}
		}
		best.exact = best.exact && len(t.Sub) == 1
		return best
	case syntax.OpAlternate:
		all := needed{exact: true}
		for i, sub := range t.Sub {
			n := required(sub)
			if n.any == nil || i > 0 && n.fold != all.fold || len(all.any)+len(n.any) > maxLiterals {
				return needed{}
			}
			all.any = append(all.any, n.any...)
			all.fold = n.fold
			all.exact = all.exact && n.exact
		}
		return all
	case syntax.OpCharClass:
		var all needed
		for i := 0; i < len(t.Rune); i += 2 {
			for c := t.Rune[i]; c <= t.Rune[i+1]; c++ {
				if len(all.any) == 4 || c < 0x20 || c == utf8.RuneError {
					return needed{}
				}
				all.any = append(all.any, string(c))
			}
		}
		return all
	}
	return needed{}
}

func literal(t *syntax.Regexp) needed {
	s := string(t.Rune)
	if !utf8.ValidString(s) || strings.ContainsRune(s, utf8.RuneError) {
		return needed{}
	}
	n := needed{any: []string{s}, exact: true}
	for _, c := range t.Rune {
		if c < 0x20 {
			n.exact = false
		}
	}
	if t.Flags&syntax.FoldCase != 0 {
		for _, c := range t.Rune {
			// Some letters beyond ASCII fold to k and s.
			if c >= utf8.RuneSelf || c|0x20 == 'k' || c|0x20 == 's' {
				return foldPart(t.Rune)
			}
		}
		n.any[0] = strings.ToLower(s)
		n.fold = true
	}
	return n
}

// foldPart takes the longest part of a literal whose case is that of ASCII.
func foldPart(runes []rune) needed {
	best, begin := "", 0
	for i, c := range append(runes[:len(runes):len(runes)], 'k') {
		if c >= utf8.RuneSelf || c|0x20 == 'k' || c|0x20 == 's' {
			if i-begin > len(best) {
				best = string(runes[begin:i])
			}
			begin = i + 1
		}
	}
	if best == "" {
		return needed{}
	}
	return needed{any: []string{strings.ToLower(best)}, fold: true}
}
