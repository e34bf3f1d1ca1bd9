package detect

import "strings"

// unquote undoes the quoting of bash's printf %q and zsh's (q+): backslashes,
// '…' and $'…' pieces. Text that is not quoted that way comes back as it is.
func unquote(s string) string {
	if !strings.ContainsAny(s, `\'"$`) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && i+1 < len(s):
			i++
			b.WriteByte(s[i])
		case c == '$' && i+1 < len(s) && s[i+1] == '\'':
			i = ansiC(&b, s, i+2)
		case c == '\'':
			end := strings.IndexByte(s[i+1:], '\'')
			if end < 0 {
				b.WriteString(s[i:])
				return b.String()
			}
			b.WriteString(s[i+1 : i+1+end])
			i += end + 1
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// ansiC copies the body of a $'…' string that begins at s[i] and returns the
// index of its closing quote.
func ansiC(b *strings.Builder, s string, i int) int {
	for ; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\'':
			return i
		case c != '\\' || i+1 == len(s):
			b.WriteByte(c)
		default:
			i++
			switch e := s[i]; e {
			case 'a':
				b.WriteByte(7)
			case 'b':
				b.WriteByte(8)
			case 'e', 'E':
				b.WriteByte(0x1b)
			case 'f':
				b.WriteByte(12)
			case 'n':
				b.WriteByte('\n')
			case 'r':
				b.WriteByte('\r')
			case 't':
				b.WriteByte('\t')
			case 'v':
				b.WriteByte(11)
			case 'x':
				n, v := digits(s[i+1:], 2, 16)
				b.WriteByte(byte(v))
				i += n
			case 'u', 'U':
				width := 4
				if e == 'U' {
					width = 8
				}
				n, v := digits(s[i+1:], width, 16)
				b.WriteRune(rune(v))
				i += n
			case '0', '1', '2', '3', '4', '5', '6', '7':
				n, v := digits(s[i:], 3, 8)
				b.WriteByte(byte(v))
				i += n - 1
			default:
				b.WriteByte(e)
			}
		}
	}
	return i
}

// digits reads up to limit digits of the base and returns how many there were
// and their value.
func digits(s string, limit, base int) (n, v int) {
	for n < limit && n < len(s) {
		d := strings.IndexByte("0123456789abcdef", s[n]|0x20)
		if s[n] >= '0' && s[n] <= '9' {
			d = int(s[n] - '0')
		}
		if d < 0 || d >= base {
			break
		}
		v = v*base + d
		n++
	}
	return n, v
}

// unescapeURL undoes percent-encoding; a stray % stays as it is.
func unescapeURL(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' {
			if n, v := digits(s[i+1:], 2, 16); n == 2 {
				b.WriteByte(byte(v))
				i += 2
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
