package main

import (
	"slices"
	"strings"
	"testing"
)

func TestDecodeKeys(t *testing.T) {
	for _, c := range []struct {
		in   string
		want string // names, or texts in quotes
	}{
		{"jk漢", `'j' 'k' '漢'`},
		{"\x1b[A\x1bOB\x1b[1;5A\x1b[H\x1b[F\x1b[5~\x1b[6~\x1b[1~\x1b[4~\x1b[7;2~", "up down up home end pgup pgdn home end home"},
		{"\r\n\x03\x0c\x15\x17\x7f\x08", "enter enter quit redraw kill word backspace backspace"},
		{"\x1bOM\x1b[2~\x1bx\x1b[I", "enter"},
		{"\x1b\x1b[A", "escape up"},
		{"\x1b[200~q\r\x1b[A\x1b[201~j", "paste<q\r\x1b[A> 'j'"},
		{"\xff\x00a", `'a'`},
		{"\x1b", "escape"},
		{"\x1b[1;", ""},
		{"\x1b[200~abc", "paste<abc>"},
		{"\xe6\xbc", ""},
	} {
		show := func(keys []keyPress) string {
			var words []string
			for _, k := range keys {
				switch k.name {
				case "":
					words = append(words, "'"+k.text+"'")
				case "paste":
					words = append(words, "paste<"+k.text+">")
				default:
					words = append(words, k.name)
				}
			}
			return strings.Join(words, " ")
		}
		keys, rest := decodeKeys(c.in, true)
		if got := show(keys); got != c.want || rest != "" {
			t.Errorf("%q: %s and %q, want %s", c.in, got, rest, c.want)
		}
		// However it arrives it is the same.
		for cut := range c.in {
			first, rest := decodeKeys(c.in[:cut], false)
			second, left := decodeKeys(rest+c.in[cut:], true)
			if got := show(slices.Concat(first, second)); got != c.want || left != "" {
				t.Errorf("%q cut at %d: %s and %q, want %s", c.in, cut, got, left, c.want)
			}
		}
	}
}

func TestEndlessSequencesEnd(t *testing.T) {
	if keys, rest := decodeKeys("\x1b["+strings.Repeat("1", 100), false); len(keys) != 0 || rest != "" {
		t.Errorf("%v, %d bytes kept", keys, len(rest))
	}
	if keys, rest := decodeKeys(pasteBegin+strings.Repeat("x", maxPaste), false); len(keys) != 1 || rest != "" {
		t.Errorf("%d keys, %d bytes kept", len(keys), len(rest))
	}
}
