package main

import "bytes"

// addressed reports whether b puts the cursor at a place below the first line,
// as programs that draw the screen do.
func addressed(b []byte) bool {
	for {
		i := bytes.Index(b, []byte("\x1b["))
		if i < 0 {
			return false
		}
		b = b[i+2:]
		n := 0
		for n < len(b) && (b[n] >= '0' && b[n] <= '9' || b[n] == ';') {
			n++
		}
		if n > 1 && n < len(b) && (b[n] == 'H' || b[n] == 'f') && !bytes.HasPrefix(b, []byte("1;")) && b[0] != ';' {
			return true
		}
	}
}
