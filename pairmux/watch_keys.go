package main

import (
	"strings"
	"unicode/utf8"
)

// A keyPress is one key, or one paste, that the human gave to the dashboard.
type keyPress struct {
	name string // "" for text
	text string // a character, or what was pasted
}

const (
	pasteBegin = "\x1b[200~"
	pasteEnd   = "\x1b[201~"
	// maxPaste bounds what is kept of a paste whose end does not come.
	maxPaste = 64 << 10
)

// decodeKeys takes the keys from what the terminal sent and returns what is not
// complete yet. With final set nothing more will come soon: a lone Escape is
// the key.
func decodeKeys(in string, final bool) (keys []keyPress, rest string) {
	for in != "" {
		key, n := decodeKey(in, final)
		if n == 0 {
			return keys, in
		}
		if key != (keyPress{}) {
			keys = append(keys, key)
		}
		in = in[n:]
	}
	return keys, ""
}

// decodeKey reads the first key; 0 bytes means that it is not complete.
func decodeKey(in string, final bool) (keyPress, int) {
	c := in[0]
	switch {
	case strings.HasPrefix(in, pasteBegin):
		text, _, whole := strings.Cut(in[len(pasteBegin):], pasteEnd)
		if !whole && !final && len(text) < maxPaste {
			return keyPress{}, 0
		}
		n := len(pasteBegin) + len(text)
		if whole {
			n += len(pasteEnd)
		}
		return keyPress{name: "paste", text: text}, n
	case c == 0x1b:
		return decodeEscape(in, final)
	case c < ' ' || c == 0x7f:
		return keyPress{name: controlKeys[c]}, 1
	}
	if !utf8.FullRuneInString(in) && !final {
		return keyPress{}, 0
	}
	r, n := utf8.DecodeRuneInString(in)
	if r == utf8.RuneError && n == 1 {
		return keyPress{}, 1
	}
	return keyPress{text: in[:n]}, n
}

var controlKeys = map[byte]string{
	'\r': "enter", '\n': "enter", 0x7f: "backspace", 0x08: "backspace",
	0x01: "home", 0x05: "end", 0x02: "pgup", 0x06: "pgdn", 0x0e: "down", 0x10: "up",
	0x03: "quit", 0x0c: "redraw", 0x15: "kill", 0x17: "word",
}

// decodeEscape reads a sequence of ECMA-48 (CSI) or of the keypad (SS3), whose
// parameters, such as modifiers, make no difference here.
func decodeEscape(in string, final bool) (keyPress, int) {
	if len(in) == 1 {
		if final {
			return keyPress{name: "escape"}, 1
		}
		return keyPress{}, 0
	}
	if in[1] != '[' && in[1] != 'O' {
		if in[1] == 0x1b {
			return keyPress{name: "escape"}, 1
		}
		return keyPress{}, 2 // with Alt: nothing
	}
	for i := 2; i < len(in); i++ {
		if c := in[i]; c >= 0x40 && c <= 0x7e {
			return keyPress{name: sequenceKey(in[2:i], c)}, i + 1
		}
	}
	if final || len(in) > 64 {
		return keyPress{}, len(in)
	}
	return keyPress{}, 0
}

func sequenceKey(params string, last byte) string {
	switch last {
	case 'A':
		return "up"
	case 'B':
		return "down"
	case 'H':
		return "home"
	case 'F':
		return "end"
	case 'M':
		return "enter" // the keypad's
	case '~':
		number, _, _ := strings.Cut(params, ";")
		switch number {
		case "1", "7":
			return "home"
		case "4", "8":
			return "end"
		case "5":
			return "pgup"
		case "6":
			return "pgdn"
		}
	}
	return ""
}
