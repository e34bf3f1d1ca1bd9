package main

import (
	"strings"
	"testing"
)

// Only what differs is sent, in one piece, and nothing when nothing does.
func TestPaintSendsWhatDiffers(t *testing.T) {
	lines := []string{"one", "two", "three"}
	for _, c := range []struct {
		name  string
		shown []string
		f     frame
		want  string
	}{
		{"same", lines, frame{lines: lines}, ""},
		{"first", nil, frame{lines: []string{"one", "", "three"}}, `\e[m\e[2J\e[1;1H\e[m\e[Kone\e[3;1H\e[m\e[Kthree`},
		{"another size", lines[:2], frame{lines: lines}, `\e[m\e[2J\e[1;1H\e[m\e[Kone\e[2;1H\e[m\e[Ktwo\e[3;1H\e[m\e[Kthree`},
		{"one line", lines, frame{lines: []string{"one", "2", "three"}}, `\e[2;1H\e[m\e[K2`},
		{"an empty line", lines, frame{lines: []string{"one", "", "three"}}, `\e[2;1H\e[m\e[K`},
		{"a cursor", lines, frame{lines: lines, cursor: true, col: 4, line: 2}, `\e[3;5H\e[?25h`},
	} {
		got := strings.ReplaceAll(string(paint(c.shown, c.f)), "\x1b", `\e`)
		want := c.want
		if want != "" {
			want = `\e[?2026h\e[?25l` + want + `\e[?2026l`
		}
		if got != want {
			t.Errorf("%s: %s, want %s", c.name, got, want)
		}
	}
}

// While nothing happens only the clock and the ages are drawn anew.
func TestClockDrawsOneLine(t *testing.T) {
	d := watchScene(100, 24)
	before := d.draw(watchNoon)
	if b := paint(before.lines, d.draw(watchNoon)); b != nil {
		t.Errorf("drawn again: %q", b)
	}
	b := string(paint(before.lines, d.draw(watchNoon.Add(1e9))))
	if !strings.Contains(b, "12:00:01") || strings.Contains(b, "password") || len(b) > 600 {
		t.Errorf("%d bytes: %q", len(b), b)
	}
}
