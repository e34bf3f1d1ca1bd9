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
	rows    int
	newLine bool
	single  *Renderer // renders one line
	out     *[]byte
	made    int
}

func newShaper(o Options) *shaper {
	s := &shaper{newLine: o.NewLine}
	s.single = NewRenderer(o, func(line []byte) {
		*s.out = append(*s.out, line...)
		if !s.single.more {
			*s.out = append(*s.out, '\n')
			s.made++
		}
	})
	s.rows = s.single.rows
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
	var (
		out    = b.buf[:0]
		copied = false // text is out, and holds the lines up to from
		from   = 0
		lines  = 0
	)
	for i := 0; i < len(raw); {
		if i == tail {
			b.tailRaw, b.tailText, b.tailLines = i, i, lines
			if copied {
				b.tailText = len(out) + i - from
			}
		}
		end, kind := s.lineKind(raw, i)
		if kind == wideOpen {
			b.buf = out
			return
		}
		if kind == asPrinted {
			i = end
			lines++
			continue
		}
		out = append(out, raw[from:i]...)
		copied = true
		if kind == coloured {
			out = appendUncoloured(out, raw[i:end])
			lines++
		} else {
			s.out, s.made = &out, 0
			s.single.feed(raw[i:end])
			s.single.keepAll()
			s.single.Close()
			lines += s.made
		}
		i = end
		from = i
	}
	b.local, b.lines = true, lines
	if !copied {
		b.text = raw
		return
	}
	b.buf = append(out, raw[from:]...)
	b.text = b.buf
}

// lineKind says what a line is that begins at raw[i], and where it ends.
type lineKind uint8

const (
	asPrinted lineKind = iota // the bytes are the line
	coloured                  // they are but for sequences that show nothing
	redrawn                   // it has to be rendered, but touches no other line
	wideOpen                  // it may have to do with other lines
)

func (s *shaper) lineKind(raw []byte, i int) (end int, kind lineKind) {
	start, marks := i, 0
	for {
		i += plain(raw[i:]) // raw ends in LF
		switch c := raw[i]; {
		case c == '\n':
			if !s.newLine && (i == start || raw[i-1] != '\r') {
				return i + 1, wideOpen
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
		case c == '\b':
			kind = redrawn
			i++
		case c == 0x1b:
			n, k := localSequence(raw[i:])
			if k == wideOpen {
				return 0, wideOpen
			}
			kind = max(kind, k)
			i += n
		case c >= utf8.RuneSelf:
			r, n := utf8.DecodeRune(raw[i:])
			if n == 1 || r < 0xa0 {
				kind = redrawn // for want of a better way to replace it
			} else if r >= 0x300 && runeWidth(r) == 0 {
				if marks += n; i == start || marks > maxCluster/2 || kind != asPrinted {
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
	}
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
		return 2, coloured
	case '(', ')':
		if p[2] == 'B' {
			return 3, coloured
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
		return i + 1, coloured
	case mark != 0 || i > mid:
		return i + 1, coloured
	}
	switch final {
	case 'm', 'n', 'c', 't':
		return i + 1, coloured
	case 'J':
		switch string(params) {
		case "", "0":
			return i + 1, redrawn
		case "3":
			return i + 1, coloured
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
			return i + 1, coloured
		case 0x1b:
			if p[i+1] == '\\' {
				return i + 2, coloured
			}
			return 0, wideOpen
		case '\n', '\r', 0x18, 0x1a:
			return 0, wideOpen
		}
	}
}

// appendUncoloured appends a coloured line, with its end, without its sequences.
func appendUncoloured(dst, line []byte) []byte {
	for {
		i := bytes.IndexByte(line, 0x1b)
		if i < 0 {
			return append(dst, line...)
		}
		dst = append(dst, line[:i]...)
		n, _ := localSequence(line[i:])
		line = line[i+n:]
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
