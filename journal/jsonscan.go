package journal

import "bytes"

// A validating scanner for JSON text (RFC 8259). It reads each byte once, which
// is what makes a look at the index's tail cheap in a process that just started.

// maxDepth bounds the recursion into the values of unknown fields.
const maxDepth = 1000

func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\n' || b[i] == '\r') {
		i++
	}
	return i
}

// eachMember calls f for the members of the object that begins at i, and returns
// the index behind it, or -1 if it is not valid JSON (RFC 8259).
func eachMember(b []byte, i, depth int, f func(key, val []byte)) int {
	i = skipSpace(b, i+1)
	if i < len(b) && b[i] == '}' {
		return i + 1
	}
	for {
		keyEnd := skipString(b, i)
		if keyEnd < 0 {
			return -1
		}
		key := b[i:keyEnd]
		i = skipSpace(b, keyEnd)
		if i >= len(b) || b[i] != ':' {
			return -1
		}
		i = skipSpace(b, i+1)
		end := skipValue(b, i, depth+1)
		if end < 0 {
			return -1
		}
		f(key, b[i:end])
		i = skipSpace(b, end)
		switch {
		case i < len(b) && b[i] == '}':
			return i + 1
		case i < len(b) && b[i] == ',':
			i = skipSpace(b, i+1)
		default:
			return -1
		}
	}
}

// skipValue returns the index behind the value that begins at i, or -1.
func skipValue(b []byte, i, depth int) int {
	if i >= len(b) || depth > maxDepth {
		return -1
	}
	switch c := b[i]; {
	case c == '"':
		return skipString(b, i)
	case c == '{':
		return eachMember(b, i, depth, func(_, _ []byte) {})
	case c == '[':
		i = skipSpace(b, i+1)
		if i < len(b) && b[i] == ']' {
			return i + 1
		}
		for {
			if i = skipValue(b, i, depth+1); i < 0 {
				return -1
			}
			i = skipSpace(b, i)
			switch {
			case i < len(b) && b[i] == ']':
				return i + 1
			case i < len(b) && b[i] == ',':
				i = skipSpace(b, i+1)
			default:
				return -1
			}
		}
	case c == '-' || c >= '0' && c <= '9':
		return skipNumber(b, i)
	}
	for _, word := range [...]string{"null", "true", "false"} {
		if len(b)-i >= len(word) && string(b[i:i+len(word)]) == word {
			return i + len(word)
		}
	}
	return -1
}

func skipString(b []byte, i int) int {
	if i >= len(b) || b[i] != '"' {
		return -1
	}
	for i++; i < len(b); i++ {
		switch c := b[i]; {
		case c == '"':
			return i + 1
		case c < ' ':
			return -1
		case c == '\\':
			i++
			switch {
			case i < len(b) && b[i] == 'u':
				for range 4 {
					if i++; i >= len(b) || !isHex(b[i]) {
						return -1
					}
				}
			case i >= len(b) || bytes.IndexByte([]byte(`"\/bfnrt`), b[i]) < 0:
				return -1
			}
		}
	}
	return -1
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

func skipNumber(b []byte, i int) int {
	digits := func() bool {
		start := i
		for i < len(b) && b[i] >= '0' && b[i] <= '9' {
			i++
		}
		return i > start
	}
	if b[i] == '-' {
		i++
	}
	if i < len(b) && b[i] == '0' {
		i++
	} else if !digits() {
		return -1
	}
	if i < len(b) && b[i] == '.' {
		if i++; !digits() {
			return -1
		}
	}
	if i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		if i++; i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		if !digits() {
			return -1
		}
	}
	return i
}

// validValue reports whether b is one JSON value.
func validValue(b []byte) bool {
	i := skipSpace(b, 0)
	i = skipValue(b, i, 0)
	return i >= 0 && skipSpace(b, i) == len(b)
}
