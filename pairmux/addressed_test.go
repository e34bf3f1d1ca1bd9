package main

import "testing"

func TestAddressedTellsDrawingFromPrinting(t *testing.T) {
	for text, want := range map[string]bool{
		"":                                       false,
		"plain \x1b[31mred\x1b[m\n":              false,
		"\x1b[H\x1b[2J$ ":                        false,
		"\x1b[1;1H":                              false,
		"\x1b[;5H":                               false,
		"\x1b[5;1H":                              true,
		"\x1b[12f":                               true,
		"\x1b[?25l\x1b[H\x1b[2Jtop - 10:00":      true,
		"\x1b[?25l\x1b[H\x1b[2Jtop\x1b[?25h\n$ ": false,
		"\x1b[?25lworking":                       false,
		"\x1b[1":                                 false,
	} {
		if got := addressed([]byte(text)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
