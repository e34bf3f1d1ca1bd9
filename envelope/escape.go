package envelope

import (
	"strconv"
	"unicode/utf8"
)

// unsafeRune reports whether r may never reach a reader as it is (SPEC 6): it
// could move a terminal's cursor, start a sequence, reorder what is shown, or
// end a line for a reader that knows more line ends than LF. LF and TAB are
// not among them.
func unsafeRune(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r < 0x20, 0x7f <= r && r <= 0x9f: // C0, DEL, C1 with NEL and CSI
		return true
	case 0x2028 <= r && r <= 0x202e: // line and paragraph separator, bidi embeddings and overrides
		return true
	case 0x2066 <= r && r <= 0x2069: // bidi isolates
		return true
	}
	return false
}

const hexDigits = "0123456789abcdef"

// appendJSON appends s as the inside of a JSON string. Invalid UTF-8 becomes
// U+FFFD, one for each byte; unsafe characters are escaped, so that the line
// holds nothing that a terminal acts upon while the value stays what it was.
func appendJSON(dst []byte, s string) []byte {
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if c >= 0x20 && c != '"' && c != '\\' && c != 0x7f {
				i++
				continue
			}
			dst = append(dst, s[start:i]...)
			switch c {
			case '"', '\\':
				dst = append(dst, '\\', c)
			case '\n':
				dst = append(dst, '\\', 'n')
			case '\t':
				dst = append(dst, '\\', 't')
			case '\r':
				dst = append(dst, '\\', 'r')
			case '\b':
				dst = append(dst, '\\', 'b')
			case '\f':
				dst = append(dst, '\\', 'f')
			default:
				dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
			}
			i++
			start = i
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 {
			dst = append(dst, s[start:i]...)
			dst = append(dst, "\uFFFD"...)
		} else if unsafeRune(r) {
			dst = append(dst, s[start:i]...)
			dst = append(dst, '\\', 'u', hexDigits[r>>12&15], hexDigits[r>>8&15], hexDigits[r>>4&15], hexDigits[r&15])
		} else {
			i += size
			continue
		}
		i += size
		start = i
	}
	return append(dst, s[start:]...)
}

// appendText appends s for the text form: each LF is followed by indent, CR LF
// counts as LF, every other unsafe character and every byte of invalid UTF-8
// becomes U+FFFD. It is replaced and not dropped, because a command in next or
// a name that silently lost a character would be another command or name.
func appendText(dst []byte, s string, indent string) []byte {
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if 0x20 <= c && c < 0x7f || c == '\t' {
			i++
			continue
		}
		size := 1
		put := "\uFFFD"
		switch {
		case c == '\n':
			put = "\n"
		case c == '\r' && i+1 < len(s) && s[i+1] == '\n':
			put = ""
		case c >= utf8.RuneSelf:
			var r rune
			if r, size = utf8.DecodeRuneInString(s[i:]); !(r == utf8.RuneError && size == 1) && !unsafeRune(r) {
				i += size
				continue
			}
		}
		dst = append(dst, s[start:i]...)
		dst = append(dst, put...)
		if c == '\n' {
			dst = append(dst, indent...)
		}
		i += size
		start = i
	}
	return append(dst, s[start:]...)
}

// cell returns s as it stands in a table or in line 1, where nothing may break
// the line or the columns: LF and TAB are shown by their symbols.
func cell(s string) string {
	plain := true
	for i := 0; i < len(s); i++ {
		if s[i] < 0x20 || s[i] >= 0x7f {
			plain = false
			break
		}
	}
	if plain {
		return s
	}
	shown := make([]byte, 0, len(s)+8)
	for _, c := range string(appendText(nil, s, "")) {
		switch c {
		case '\n':
			shown = append(shown, "␤"...)
		case '\t':
			shown = append(shown, "␉"...)
		default:
			shown = utf8.AppendRune(shown, c)
		}
	}
	return string(shown)
}

// word returns s as one of the words of line 1. The vocabulary and all names
// stand as they are; anything else, which only a foreign writer can have put
// there, is quoted, so that it cannot pass for several parts or for none.
func word[T ~string](v T) string {
	s := string(v)
	for i := range len(s) {
		c := s[i] | 0x20 // to lower case
		if !('a' <= c && c <= 'z' || '0' <= s[i] && s[i] <= '9' || s[i] == '-' || s[i] == '_') {
			return strconv.Quote(cell(s))
		}
	}
	return s
}

// unfinished returns the length of the rune at the end of p that more bytes
// could complete, or 0.
func unfinished(p []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(p); n++ {
		tail := p[len(p)-n:]
		if utf8.RuneStart(tail[0]) {
			if utf8.FullRune(tail) {
				return 0
			}
			return n
		}
	}
	return 0
}
