package shape

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// state is where in the grammar of escape sequences the input stands. The
// transitions follow tmux's input parser.
type state uint8

const (
	ground state = iota
	escape
	escapeMid // intermediates of an escape sequence
	csiEnter
	csiParam
	csiMid
	csiIgnore
	text      // inside OSC, DCS, APC, PM, SOS or a title
	textEsc   // ESC inside such a string
	maxParams = 24
)

// maxString is how much of an unterminated string is held; tmux gives up at the
// same size.
const maxString = 1 << 20

type parser struct {
	state   state
	mid     [4]byte // intermediates and private markers
	midLen  int
	param   [64]byte
	paraLen int
	discard bool // the sequence is longer than tmux takes: no effect

	char    [4]byte // incomplete UTF-8
	charLen int

	str  []byte // a string's content from its first line feed on
	last rune   // the character REP repeats; 0 after anything but a character

	seen   int64 // bytes consumed by earlier calls
	offset int64 // position behind the sequence being executed
}

func (p *parser) reset() {
	str := p.str[:0]
	*p = parser{str: str}
}

// plain returns how many bytes at the start of p are printable ASCII.
func plain(p []byte) int {
	const (
		high = 0x8080808080808080
		low  = 0x2020202020202020
		one  = 0x0101010101010101
	)
	// In x-low a byte below 0x20 borrows, in x+one DEL carries, others beyond
	// have the bit set; borrow and carry only run towards later bytes.
	i := 0
	for ; i+32 <= len(p); i += 32 {
		q := p[i : i+32]
		a := binary.LittleEndian.Uint64(q)
		b := binary.LittleEndian.Uint64(q[8:])
		c := binary.LittleEndian.Uint64(q[16:])
		d := binary.LittleEndian.Uint64(q[24:])
		if ((a-low)|(a+one)|a|(b-low)|(b+one)|b|(c-low)|(c+one)|c|(d-low)|(d+one)|d)&high != 0 {
			break
		}
	}
	for ; i+8 <= len(p); i += 8 {
		x := binary.LittleEndian.Uint64(p[i:])
		if m := ((x - low) | (x + one) | x) & high; m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
	}
	for ; i < len(p); i++ {
		if p[i]-0x20 > 0x5e {
			break
		}
	}
	return i
}

// feed runs the input through the parser.
func (r *Renderer) feed(p []byte) {
	for i := 0; i < len(p); {
		switch {
		case r.state != ground:
			i = r.sequence(p, i)
			continue
		case r.charLen > 0:
			i = r.character(p, i)
			continue
		}
		var n int
		if r.cx == 0 && p[i] != 0x1b && r.cy == r.rows-1 && r.canSweep() {
			if i, n = r.sweep(p, i); i == len(p) {
				return
			}
		} else if p[i]-0x20 <= 0x5e {
			n = plain(p[i:])
		}
		if n > 0 {
			r.printASCII(p[i:i+n], i)
			r.last = rune(p[i+n-1])
			if i += n; i == len(p) {
				return
			}
		}
		switch b := p[i]; {
		case b >= utf8.RuneSelf:
			if n := r.printRunes(p[i:], i); n > 0 {
				i += n
			} else {
				i = r.character(p, i)
			}
		case b == '\n':
			r.lineFeed(false)
			r.last = 0
			if r.newLine {
				r.cx = 0
			}
			i++
		case b == '\r':
			r.cx, r.homed = 0, false
			r.last = 0
			i++
		case b == '\t':
			r.tab(p[i:i+1], i)
			r.last = 0
			i++
		case b == 0x1b:
			i = r.colour(p, i)
		default:
			r.control(b)
			i++
		}
	}
}

// colour skips an SGR sequence at p[i], the most frequent one by far, and
// otherwise begins an escape sequence.
func (r *Renderer) colour(p []byte, i int) int {
	if i+2 < len(p) && p[i+1] == '[' {
		for j := i + 2; j < len(p) && j < i+len(r.param); j++ {
			if c := p[j]; c == 'm' {
				r.last = 0
				return j + 1
			} else if c < '0' || c > ';' {
				break
			}
		}
	}
	r.beginEscape()
	return i + 1
}

func (r *Renderer) beginEscape() {
	r.state, r.midLen, r.paraLen, r.discard = escape, 0, 0, false
}

// sequence consumes at least one byte at p[i] outside of the ground state and
// returns the next index.
func (r *Renderer) sequence(p []byte, i int) int {
	if r.state == text {
		return r.inString(p, i)
	}
	b := p[i]
	i++
	r.offset = r.seen + int64(i)
	if r.state == textEsc {
		if b == '\\' {
			r.endString()
			return i
		}
		r.dropString()
		r.beginEscape()
	}
	switch {
	case b == 0x1b:
		r.beginEscape()
		return i
	case b == 0x18 || b == 0x1a:
		r.state, r.last = ground, 0
		return i
	case b < 0x20:
		r.control(b)
		return i
	case b >= 0x7f:
		return i
	}
	switch r.state {
	case escape:
		switch {
		case b < 0x30:
			r.intermediate(b)
			r.state = escapeMid
		case b == '[':
			r.state = csiEnter
		case b == 'P', b == 'X', b == ']', b == '^', b == '_', b == 'k':
			r.state = text
			r.str = r.str[:0]
		default:
			r.state = ground
			r.escapeDispatch(b)
			r.last = 0
		}
	case escapeMid:
		if b < 0x30 {
			r.intermediate(b)
		} else {
			r.state = ground
			r.escapeDispatch(b)
			r.last = 0
		}
	case csiEnter, csiParam:
		switch {
		case b < 0x30:
			r.intermediate(b)
			r.state = csiMid
		case b < 0x3c:
			if r.paraLen < len(r.param)-1 {
				r.param[r.paraLen] = b
				r.paraLen++
			} else {
				r.discard = true
			}
			r.state = csiParam
		case b < 0x40:
			if r.state == csiParam {
				r.state = csiIgnore
			} else {
				r.intermediate(b)
				r.state = csiParam
			}
		default:
			r.csi(b)
		}
	case csiMid:
		switch {
		case b < 0x30:
			r.intermediate(b)
		case b < 0x40:
			r.state = csiIgnore
		default:
			r.csi(b)
		}
	case csiIgnore:
		if b >= 0x40 {
			r.state = ground
		}
	}
	return i
}

func (r *Renderer) intermediate(b byte) {
	if r.midLen < len(r.mid)-1 {
		r.mid[r.midLen] = b
		r.midLen++
	} else {
		r.discard = true
	}
}

// inString swallows the content of a string. From its first line end on it is
// held, for a string that is never ended must not take the lines that follow.
func (r *Renderer) inString(p []byte, i int) int {
	for ; i < len(p); i++ {
		switch b := p[i]; b {
		case 0x1b:
			r.state = textEsc
			return i + 1
		case 0x07:
			r.endString()
			return i + 1
		case 0x18, 0x1a:
			r.dropString()
			r.last = 0
			return i + 1
		default:
			if b != '\n' && b != '\r' && len(r.str) == 0 {
				continue
			}
			if r.str = append(r.str, b); len(r.str) >= maxString {
				r.dropString()
				return i + 1
			}
		}
	}
	return i
}

func (r *Renderer) endString() {
	r.state, r.last = ground, 0
	r.freeString()
}

// dropString leaves a string that was not terminated: what followed its first
// line is text.
func (r *Renderer) dropString() {
	held := r.str
	r.str = nil
	r.state, r.last = ground, 0
	r.feed(held)
	r.keepAll()
	r.state = ground
	r.str = held
	r.freeString()
}

func (r *Renderer) freeString() {
	if r.str = r.str[:0]; cap(r.str) > 1<<14 {
		r.str = nil
	}
}

// endInput settles what is incomplete at the end of the input.
func (r *Renderer) endInput() {
	if r.state == text || r.state == textEsc {
		r.dropString()
	}
	if r.charLen > 0 {
		r.badChar()
	}
	r.state = ground
}

// character consumes the bytes of one character beyond ASCII, or of what is not
// one, or what there is of it.
func (r *Renderer) character(p []byte, i int) int {
	for ; i < len(p); i++ {
		b := p[i]
		if r.charLen == 0 {
			if b < 0xc2 || b > 0xf4 {
				r.printRune(utf8.RuneError)
				return i + 1
			}
		} else if !continues(r.char[:r.charLen], b) {
			r.badChar()
			return i
		}
		r.char[r.charLen] = b
		r.charLen++
		if utf8.FullRune(r.char[:r.charLen]) {
			c, _ := utf8.DecodeRune(r.char[:r.charLen])
			r.charLen = 0
			r.printRune(c)
			return i + 1
		}
	}
	return i
}

// continues reports whether b can follow the beginning of a character.
func continues(begin []byte, b byte) bool {
	if len(begin) == 1 {
		switch begin[0] {
		case 0xe0:
			return b >= 0xa0 && b <= 0xbf
		case 0xed:
			return b >= 0x80 && b <= 0x9f
		case 0xf0:
			return b >= 0x90 && b <= 0xbf
		case 0xf4:
			return b >= 0x80 && b <= 0x8f
		}
	}
	return b&0xc0 == 0x80
}

func (r *Renderer) badChar() {
	r.charLen = 0
	r.printRune(utf8.RuneError)
}
