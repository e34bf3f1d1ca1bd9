package detect

import (
	"bytes"
	"strconv"
	"strings"
)

// Kind is the letter of a mark. The letters A to D are those of the FinalTerm
// semantic-prompt convention (OSC 133); Continuation and Exit are ours.
type Kind byte

// The kinds of marks.
const (
	PromptStart  Kind = 'A' // a prompt begins
	PromptEnd    Kind = 'B' // the prompt is complete, the line editor reads
	OutputStart  Kind = 'C' // a command line was accepted, its output follows
	CommandEnd   Kind = 'D' // the command ended
	Continuation Kind = 'S' // a secondary prompt: "A" with k=s
	Exit         Kind = 'X' // printed by the launcher after its child ended
)

// Mark is one OSC 133 sequence found in a pane's bytes.
type Mark struct {
	Kind Kind
	// Start and End are the journal offsets of the first byte of the sequence
	// and of the first byte after its terminator.
	Start, End int64
	// AID is the application id. Marks whose AID is not the terminal's own are
	// hints at best: anybody can print them.
	AID string
	// N is the prompt counter, -1 when the mark carries none.
	N int64
	// Status is the exit status of D and X marks (and of B marks that carry
	// one); it is meaningful only when HasStatus is set. Shells print values
	// over 255 (a signal in ksh93, a syntax error in bash 3.2), so it is not
	// clamped.
	Status    int64
	HasStatus bool
	// Micros is the shell's own clock in microseconds since the epoch, 0 when
	// the shell has none.
	Micros int64
	// Millis is the command's duration in milliseconds, where HasMillis is set:
	// fish reports that instead of a clock.
	Millis    int64
	HasMillis bool
	// Flags holds the letters of the f= attribute (see the integration files).
	Flags string
	// Run is the id that a sentinel line carries, empty in hooks mode.
	Run string
	// Cmdline is the command line as the shell reported it, unquoted.
	Cmdline string
}

const (
	markPrefix = "\x1b]133;"
	// maxMark bounds a sequence; a longer one is data that only looks like a
	// mark. The command line in a mark is capped at 4096 bytes by the shells,
	// which quoting may double.
	maxMark = 16 << 10
)

// Scanner finds marks in a stream that arrives in pieces. The result does not
// depend on where the stream was split. The zero value is ready to use. A
// Scanner is not safe for concurrent use.
type Scanner struct {
	pending []byte // an incomplete sequence, always a prefix of markPrefix or beginning with it
	at      int64  // offset of pending[0]
}

// Feed scans p, whose first byte stands at journal offset off, and calls yield
// for each complete mark in order. It does not keep p.
func (s *Scanner) Feed(p []byte, off int64, yield func(Mark)) {
	for len(p) > 0 {
		if len(s.pending) > 0 {
			used, mark, done := s.grow(p)
			p = p[used:]
			off += int64(used)
			if done {
				yield(mark)
			}
			continue
		}
		i := bytes.IndexByte(p, 0x1b)
		if i < 0 {
			return
		}
		p = p[i:]
		off += int64(i)
		if k := min(len(p), len(markPrefix)); string(p[:k]) != markPrefix[:k] {
			p = p[1:]
			off++
			continue
		}
		// The common case: the whole mark is in this piece.
		if n, ok := sequenceLen(p); ok {
			if m, ok := parseMark(p[:n], off); ok {
				yield(m)
			}
			p = p[n:]
			off += int64(n)
			continue
		}
		n := len(p)
		if n > maxMark {
			p = p[1:]
			off++
			continue
		}
		if j := abortAt(p); j > 0 {
			p = p[j:]
			off += int64(j)
			continue
		}
		s.pending = append(s.pending[:0], p...)
		s.at = off
		return
	}
}

// grow adds bytes of p to the pending sequence until it completes, turns out
// to be none, or p ends. It reports how many bytes of p it used up.
func (s *Scanner) grow(p []byte) (used int, m Mark, done bool) {
	for i, c := range p {
		s.pending = append(s.pending, c)
		k := len(s.pending)
		if k <= len(markPrefix) {
			if c != markPrefix[k-1] {
				return s.giveUp(i, c)
			}
			continue
		}
		switch {
		case c == 0x07, c == '\\' && s.pending[k-2] == 0x1b:
			m, ok := parseMark(s.pending, s.at)
			s.pending = s.pending[:0]
			return i + 1, m, ok
		case s.pending[k-2] == 0x1b, c == 0x18, c == 0x1a, k > maxMark:
			// An escape that is no terminator, or a cancel, ends the string;
			// the escape may itself begin the next sequence.
			return s.giveUp(i, c)
		}
	}
	return len(p), Mark{}, false
}

// giveUp drops the pending bytes. When what broke the sequence may begin a new
// one, it stays pending.
func (s *Scanner) giveUp(i int, c byte) (int, Mark, bool) {
	k := len(s.pending)
	s.at += int64(k)
	s.pending = s.pending[:0]
	if c == 0x1b {
		s.at--
		s.pending = append(s.pending, c)
	} else if k >= 2 && k > len(markPrefix) && c == ']' {
		// ESC ] right inside an unterminated mark: a new sequence.
		s.at -= 2
		s.pending = append(s.pending, 0x1b, c)
	}
	return i + 1, Mark{}, false
}

// sequenceLen returns the length of the terminated OSC at the start of p.
func sequenceLen(p []byte) (int, bool) {
	for i := len(markPrefix); i < len(p) && i <= maxMark; i++ {
		switch p[i] {
		case 0x07:
			return i + 1, true
		case 0x1b:
			if i+1 < len(p) && p[i+1] == '\\' {
				return i + 2, true
			}
			return 0, false
		case 0x18, 0x1a:
			return 0, false
		}
	}
	return 0, false
}

// abortAt returns where an unterminated OSC at the start of p is cut short by
// a byte that cannot belong to it, or 0.
func abortAt(p []byte) int {
	for i := len(markPrefix); i < len(p); i++ {
		switch p[i] {
		case 0x18, 0x1a:
			return i + 1
		case 0x1b:
			if i+1 < len(p) && p[i+1] != '\\' {
				return i
			}
		}
	}
	return 0
}

// parseMark reads one complete sequence. Unknown letters and attributes are
// ignored, as the convention asks of readers.
func parseMark(seq []byte, off int64) (Mark, bool) {
	body := string(seq[len(markPrefix):])
	body = strings.TrimSuffix(strings.TrimSuffix(body, "\x07"), "\x1b\\")
	m := Mark{Start: off, End: off + int64(len(seq)), N: -1}
	letter, rest, _ := strings.Cut(body, ";")
	if len(letter) != 1 {
		return m, false
	}
	switch k := Kind(letter[0]); k {
	case PromptStart, PromptEnd, OutputStart, CommandEnd, Exit:
		m.Kind = k
	default:
		return m, false
	}
	if m.Kind == CommandEnd || m.Kind == Exit {
		first, more, _ := strings.Cut(rest, ";")
		if !strings.Contains(first, "=") {
			m.Status, m.HasStatus = parseStatus(first)
			rest = more
		}
	}
	for rest != "" {
		// The command line is opaque up to the terminator: it may hold
		// anything, also something that looks like an attribute.
		if v, ok := strings.CutPrefix(rest, "cmdline="); ok {
			m.Cmdline = unquote(v)
			break
		}
		if v, ok := strings.CutPrefix(rest, "cmdline_url="); ok {
			m.Cmdline = unescapeURL(v)
			break
		}
		var attr string
		attr, rest, _ = strings.Cut(rest, ";")
		key, value, _ := strings.Cut(attr, "=")
		switch key {
		case "aid":
			m.AID = value
		case "n":
			if n, err := strconv.ParseInt(value, 10, 64); err == nil {
				m.N = n
			}
		case "k":
			if value == "s" && m.Kind == PromptStart {
				m.Kind = Continuation
			}
		case "t":
			m.Micros = parseMicros(value)
		case "s":
			m.Status, m.HasStatus = parseStatus(value)
		case "d":
			if n, err := strconv.ParseInt(value, 10, 64); err == nil && n >= 0 {
				m.Millis, m.HasMillis = n, true
			}
		case "f":
			m.Flags = value
		case "r":
			m.Run = value
		}
	}
	return m, true
}

// parseStatus accepts digits only: a mark that a prompt string printed without
// expanding it ("D;$?") is not an end.
func parseStatus(s string) (int64, bool) {
	if s == "" {
		return 0, false
	}
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
	}
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil
}

// parseMicros reads a clock, seconds with a fraction, as microseconds. Shells
// print it with their locale's decimal sign.
func parseMicros(s string) int64 {
	var n int64
	decimals := -1 // not in the fraction yet
	for i := range len(s) {
		switch c := s[i]; {
		case c >= '0' && c <= '9':
			if decimals < 6 {
				n = n*10 + int64(c-'0')
			}
			if decimals >= 0 {
				decimals++
			}
		case (c == '.' || c == ',') && decimals < 0:
			decimals = 0
		default:
			return 0
		}
	}
	for ; decimals < 6; decimals++ {
		if decimals < 0 {
			decimals = 0
		}
		n *= 10
	}
	return n
}
