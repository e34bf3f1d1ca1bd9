package shape

import (
	"bytes"
	"unicode/utf8"
)

// Selections read their input in blocks of whole lines. Most lines can be
// understood alone: they are printed, coloured and redrawn in place, and nothing
// that is said in them touches another line. A block of such lines is local: it
// can be turned into text apart from all others, on any core.

// block is a part of the input with what has been found out about it.
type block struct {
	raw   []byte
	local bool
	at    int64 // offset of raw in the input

	// Of a local block:
	text  []byte // its lines, each followed by CRs and an LF that are not part of it
	lines int    // in text
	// Where the last rows raw lines begin, in raw and in text, and how many
	// lines of text are in front of them. Nothing that follows the block can
	// change what is before.
	tailRaw, tailText, tailLines int
	roomy                        bool // raw has at least that many lines

	hits []hit
	buf  []byte // storage for text
	done chan struct{}
	err  error
}

// hit is a line that a selection wants.
type hit struct {
	start, end int // in block.text
	index      int // of the line in the block
}

// shaper turns blocks into text; one is used by one goroutine at a time.
type shaper struct {
	rows, cols int
	newLine    bool
	single     *Renderer // renders one line
	out        []byte
	made       int // lines that single has made
}

func newShaper(o Options) *shaper {
	s := &shaper{newLine: o.NewLine}
	s.single = NewRenderer(o, func(line []byte) {
		s.out = append(s.out, line...)
		if !s.single.more {
			s.out = append(s.out, '\n')
			s.made++
		}
	})
	s.rows, s.cols = s.single.rows, s.single.cols
	return s
}

// shape decides whether the block is local and if so fills in the rest.
func (s *shaper) shape(b *block) {
	raw := b.raw
	b.local, b.text, b.lines, b.hits = false, nil, 0, b.hits[:0]
	if len(raw) == 0 || raw[len(raw)-1] != '\n' {
		return
	}
	tail := len(raw)
	for n := 0; n < s.rows && tail > 0; n++ {
		tail = bytes.LastIndexByte(raw[:tail-1], '\n') + 1
	}
	b.roomy = tail > 0
	b.tailRaw, b.tailText, b.tailLines = 0, 0, 0
	s.out = b.buf[:0]
	from, lines := 0, 0 // out holds the lines up to from if that is not 0
	for i := 0; i < len(raw); {
		if i == tail {
			b.tailRaw, b.tailText, b.tailLines = i, len(s.out)+i-from, lines
		}
		start := i
		i += plain(raw[i:])
		if raw[i] == '\r' && raw[i+1] == '\n' {
			i += 2
			lines++
			continue
		}
		length, before := len(s.out), from
		end, kind := s.line(raw, start, i, &from)
		switch kind {
		case wideOpen:
			b.buf = s.out
			return
		case redrawn:
			s.out, from = append(s.out[:length], raw[before:start]...), end
			lines += s.redraw(raw[start:end])
		default:
			lines++
		}
		i = end
	}
	b.local, b.lines = true, lines
	b.text = raw
	if from > 0 {
		s.out = append(s.out, raw[from:]...)
		b.text = s.out
	}
	b.buf = s.out
}

// lineKind says what a line is.
type lineKind uint8

const (
	asPrinted lineKind = iota // the bytes are the line, but for sequences that show nothing
	redrawn                   // it has to be rendered, but touches no other line
	wideOpen                  // it may have to do with other lines
)

// line examines the line at raw[start:], printable ASCII up to i, and returns
// where it ends. What shows nothing is left out of s.out, which is complete up
// to *from.
func (s *shaper) line(raw []byte, start, i int, from *int) (end int, kind lineKind) {
	marks := 0
	for {
		switch c := raw[i]; {
		case c == 0x1b:
			n := colour(raw[i:])
			if n == 0 {
				var k lineKind
				if n, k = localSequence(raw[i:]); k == wideOpen {
					return 0, wideOpen
				}
				kind = max(kind, k)
			}
			s.out = append(s.out, raw[*from:i]...)
			i += n
			*from = i
		case c == '\n':
			if !s.newLine && (i == start || raw[i-1] != '\r') {
				return 0, wideOpen
			}
			return i + 1, kind
		case c == '\r':
			j := i
			for raw[j] == '\r' {
				j++
			}
			if raw[j] != '\n' {
				kind = redrawn
			}
			i = j
		case c == '\t':
			i++
		case c >= utf8.RuneSelf:
			r, n := utf8.DecodeRune(raw[i:])
			if n == 1 || r < 0xa0 {
				kind = redrawn // for want of a better way to replace it
			} else if r >= 0x300 && runeWidth(r) == 0 {
				// It joins what is left of it, if there is something with
				// room.
				if marks += n; i == start || marks > maxCluster/2 || *from > start {
					kind = redrawn
				}
			}
			i += n
		case c == 0x0b, c == 0x0c, c == 0x0e, c == 0x0f:
			return 0, wideOpen
		default:
			kind = redrawn
			i++
		}
		if raw[i]-0x20 <= 0x5e {
			i += plain(raw[i:]) // raw ends in LF
		}
	}
}

// redraw appends the line or lines that a redrawn line comes to, and returns
// their number.
func (s *shaper) redraw(line []byte) int {
	if out, ok := redrawASCII(s.out, line, s.cols); ok {
		s.out = out
		return 1
	}
	s.made = 0
	s.single.feed(line)
	s.single.keepAll()
	s.single.Close()
	return s.made
}

// redrawASCII does what the Renderer does for a line of ASCII that moves and
// erases within one row, as progress displays do.
func redrawASCII(dst, line []byte, cols int) ([]byte, bool) {
	begin, x, holes := len(dst), 0, false
	for i := 0; i < len(line); {
		switch c := line[i]; {
		case c-0x20 <= 0x5e:
			n := plain(line[i:])
			if x+n > cols {
				return dst[:begin], false
			}
			for len(dst)-begin < x {
				dst = append(dst, 0)
				holes = true
			}
			over := min(n, len(dst)-begin-x)
			copy(dst[begin+x:], line[i:i+over])
			dst = append(dst, line[i+over:i+n]...)
			x += n
			i += n
		case c == '\r':
			x = 0
			i++
		case c == '\b':
			x = max(x-1, 0)
			i++
		case c == '\n':
			i++
		case c == 0x1b:
			n := colour(line[i:])
			if n == 0 {
				var k lineKind
				if n, k = localSequence(line[i:]); k == redrawn {
					if n != 3 || line[i+2] != 'K' {
						return dst[:begin], false
					}
					if x < cols && begin+x < len(dst) {
						dst = dst[:begin+x]
					}
				}
			}
			i += n
		default:
			return dst[:begin], false
		}
	}
	for holes && len(dst) > begin && dst[len(dst)-1] == 0 {
		dst = dst[:len(dst)-1]
	}
	if holes {
		for i, c := range dst[begin:] {
			if c == 0 {
				dst[begin+i] = ' '
			}
		}
	}
	return append(dst, '\n'), true
}

// colour returns the length of the SGR sequence at the start of p, 0 if there
// is something else.
func colour(p []byte) int {
	if p[1] != '[' {
		return 0
	}
	for i := 2; i < 60; i++ {
		if c := p[i]; c == 'm' {
			return i + 1
		} else if c < '0' || c > ';' {
			break
		}
	}
	return 0
}

// localSequence returns the length of the escape sequence at the start of p and
// whether it shows nothing, changes its own line, or does more; p ends in LF.
func localSequence(p []byte) (int, lineKind) {
	switch c := p[1]; c {
	case '[':
		return localCSI(p)
	case ']', 'P', '_', '^', 'X', 'k':
		return localString(p)
	case '=', '>', '\\':
		return 2, asPrinted
	case '(', ')':
		if p[2] == 'B' {
			return 3, asPrinted
		}
	}
	return 0, wideOpen
}

func localCSI(p []byte) (int, lineKind) {
	i := 2
	mark := byte(0)
	if p[i] >= '<' && p[i] <= '?' {
		mark = p[i]
		i++
	}
	begin := i
	for p[i] >= '0' && p[i] <= ';' {
		i++
	}
	params := p[begin:i]
	mid := i
	for p[i] >= ' ' && p[i] <= '/' {
		i++
	}
	final := p[i]
	switch {
	case i > 60 || final < 0x40 || final > 0x7e:
		return 0, wideOpen
	case mark == '?' && (final == 'h' || final == 'l'):
		if !harmlessModes(params) {
			return 0, wideOpen
		}
		return i + 1, asPrinted
	case mark != 0 || i > mid:
		return i + 1, asPrinted
	}
	switch final {
	case 'm', 'n', 'c', 't':
		return i + 1, asPrinted
	case 'J':
		switch string(params) {
		case "", "0":
			return i + 1, redrawn
		case "3":
			return i + 1, asPrinted
		}
	case 'K', 'C', 'D', 'G', '`', 'X', 'P', '@', 'b':
		return i + 1, redrawn
	}
	return 0, wideOpen
}

// harmlessModes reports whether none of the private modes has to do with what
// is on the screen.
func harmlessModes(params []byte) bool {
	switch string(params) {
	case "1", "12", "25", "1000", "1002", "1003", "1004", "1005", "1006", "1015", "2004", "2026", "2031":
		return true
	}
	return false
}

func localString(p []byte) (int, lineKind) {
	for i := 2; ; i++ {
		switch p[i] {
		case 0x07:
			return i + 1, asPrinted
		case 0x1b:
			if p[i+1] == '\\' {
				return i + 2, asPrinted
			}
			return 0, wideOpen
		case '\n', '\r', 0x18, 0x1a:
			return 0, wideOpen
		}
	}
}

// nextLine returns the line at the start of text, without its end, and where the
// next one begins.
func nextLine(text []byte) (line []byte, next int) {
	n := bytes.IndexByte(text, '\n')
	return trimCR(text[:n]), n + 1
}

func trimCR(line []byte) []byte {
	for len(line) > 0 && line[len(line)-1] == '\r' {
		line = line[:len(line)-1]
	}
	return line
}
