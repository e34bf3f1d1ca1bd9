package main

import "bytes"

// addressed reports whether b puts the cursor at places of the screen, as
// programs that draw it do: below the first line, or at its start with the
// cursor hidden since. clear, which a shell's user types too, does neither.
func addressed(b []byte) bool {
	home := false
	for rest := b; ; {
		i := bytes.Index(rest, []byte("\x1b["))
		if i < 0 {
			break
		}
		rest = rest[i+2:]
		n := 0
		for n < len(rest) && (rest[n] >= '0' && rest[n] <= '9' || rest[n] == ';') {
			n++
		}
		if n == len(rest) || rest[n] != 'H' && rest[n] != 'f' {
			continue
		}
		home = true
		if n > 1 && rest[0] != ';' && !bytes.HasPrefix(rest, []byte("1;")) {
			return true
		}
	}
	return home && bytes.LastIndex(b, []byte("\x1b[?25l")) > bytes.LastIndex(b, []byte("\x1b[?25h"))
}
