package shape

import (
	"bytes"
	"regexp"
	"regexp/syntax"
)

// matcher finds lines that match a pattern. What every match must contain is
// looked for first, in the whole text at once; only lines that have it are
// matched.
type matcher struct {
	re       *regexp.Regexp
	literals [][]byte // a match contains one of these
	exact    bool     // any line that contains one of them matches
	set      *runSet  // or ends one of these runs
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
	tree = tree.Simplify()
	runs := required(tree)
	if runs == nil {
		return m
	}
	for _, r := range runs {
		lit := r.literal()
		if lit == nil || len(runs) > maxLiterals {
			m.literals = nil
			m.set = newRunSet(runs)
			return m
		}
		m.literals = append(m.literals, lit)
	}
	m.exact = isLiteral(tree)
	return m
}

const maxLiterals = 4

func (m *matcher) match(line []byte) bool { return m.re == nil || m.re.Match(line) }

// find notes the lines of the block that match. Each ends in LF, and CRs in
// front of it do not count.
func (m *matcher) find(b *block) {
	b.hits = b.hits[:0]
	switch {
	case m.literals != nil:
		m.findLiterals(b)
	case m.set != nil:
		m.findRuns(b)
	default:
		for at, i := 0, 0; at < len(b.text); i++ {
			line, next := nextLine(b.text[at:])
			if m.match(line) {
				b.hits = append(b.hits, hit{at, at + next - 1, i})
			}
			at += next
		}
	}
}

func (m *matcher) findLiterals(b *block) {
	next := make([]int, len(m.literals)) // where each is, at or behind end
	c := counter{text: b.text}
	for end := 0; ; end++ {
		at := len(b.text)
		for i, lit := range m.literals {
			if next[i] < end || end == 0 {
				next[i] = index(b.text, lit, end)
			}
			at = min(at, next[i])
		}
		if at == len(b.text) {
			return
		}
		end = m.consider(b, &c, at)
	}
}

func (m *matcher) findRuns(b *block) {
	c := counter{text: b.text}
	for end := 0; ; end++ {
		at := m.set.index(b.text, end)
		if at < 0 {
			return
		}
		end = m.consider(b, &c, at)
	}
}

// consider matches the line that at is in and returns where it ends.
func (m *matcher) consider(b *block, c *counter, at int) (end int) {
	start := bytes.LastIndexByte(b.text[:at], '\n') + 1
	end = at + bytes.IndexByte(b.text[at:], '\n')
	if m.exact || m.re.Match(trimCR(b.text[start:end])) {
		b.hits = append(b.hits, hit{start, end, c.lineAt(start)})
	}
	return end
}

// counter counts lines as far as it is asked.
type counter struct {
	text     []byte
	at, line int
}

func (c *counter) lineAt(at int) int {
	c.line += bytes.Count(c.text[c.at:at], newline)
	c.at = at
	return c.line
}

var newline = []byte{'\n'}

// index returns where lit is in text from from on, len(text) if nowhere.
func index(text, lit []byte, from int) int {
	if i := bytes.Index(text[from:], lit); i >= 0 {
		return from + i
	}
	return len(text)
}
