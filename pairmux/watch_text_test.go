package main

import (
	"strings"
	"testing"
	"time"
	"unicode"
)

func TestTame(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"plain text", "plain text"},
		{"漢字 é ünï", "漢字 é ünï"},
		{"a\tb", "a       b"},
		{"漢\tb", "漢      b"},
		{"one\ntwo\r\nthree", "one two  three"},
		{"\x1b[2J\x07\x00\x7f", "\ufffd[2J\ufffd\ufffd\ufffd"},
		{"\u009b2J\u0085", "\ufffd2J\ufffd"},
		{"\xff\xfe", "\ufffd\ufffd"},
		{"\u202edesrever\u202c \u2067x\u2069 \u200f\u061c", "desrever x "},
		{"a\u2028b\u2029c", "a\ufffdb\ufffdc"},
		{"👨\u200d👩 ❤\ufe0f so\u00adft \ufeff", "👨👩 ❤ soft "},
		{"e\u0301", "e\u0301"},
	} {
		if got := tame(c.in); got != c.want {
			t.Errorf("tame(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

func TestClip(t *testing.T) {
	for _, c := range []struct {
		in         string
		cols       int
		head, tail string
	}{
		{"abc", 3, "abc", "abc"},
		{"abcd", 3, "ab…", "…cd"},
		{"abcd", 1, "…", "…"},
		{"abcd", 0, "", ""},
		{"abcd", -1, "", ""},
		{"", 0, "", ""},
		{"漢字漢字", 4, "漢…", "…字"},
		{"漢字漢字", 5, "漢字…", "…漢字"},
		{"ae\u0301iou", 3, "ae\u0301…", "…ou"},
	} {
		if got := clip(c.in, c.cols); got != c.head {
			t.Errorf("clip(%q, %d) = %q, want %q", c.in, c.cols, got, c.head)
		}
		if got := clipStart(c.in, c.cols); got != c.tail {
			t.Errorf("clipStart(%q, %d) = %q, want %q", c.in, c.cols, got, c.tail)
		}
	}
}

// Whatever a pane holds stays within its line and its columns.
func FuzzTame(f *testing.F) {
	for _, s := range []string{"", "text", "\x1b]52;c;eA==\x07", "漢\u202e\t\u0301", "\xf0\x9f\x91\xa8\u200d\xf0\x9f"} {
		f.Add(s, 10)
	}
	f.Fuzz(func(t *testing.T, s string, cols int) {
		tamed := tame(s)
		for _, r := range tamed {
			if unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
				t.Fatalf("%q holds %U", tamed, r)
			}
		}
		if again := tame(tamed); again != tamed {
			t.Errorf("%q, and again %q", tamed, again)
		}
		cols = max(0, cols%300)
		if got := clip(tamed, cols); width(got) > cols {
			t.Errorf("clip(%q, %d) = %q", tamed, cols, got)
		}
		if got := clipStart(tamed, cols); width(got) > cols {
			t.Errorf("clipStart(%q, %d) = %q", tamed, cols, got)
		}
	})
}

func TestAge(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second: "0s", 0: "0s", 59 * time.Second: "59s", time.Minute: "1m", 59*time.Minute + 59*time.Second: "59m",
		99 * time.Hour: "99h", 100 * time.Hour: "4d", 1000 * time.Hour: "41d",
	} {
		if got := age(d); got != want {
			t.Errorf("age(%v) = %s, want %s", d, got, want)
		}
	}
}

// The part of the screen around its end is shown, and of the cursor's line the
// part where the cursor is.
func TestPictureWindow(t *testing.T) {
	rows := strings.Split("one|two|three|a long question? [y/N] |||", "|")
	for _, c := range []struct {
		name string
		p    picture
		n    int
		want string
	}{
		{"end", picture{lines: rows, cursor: 3, column: 22}, 2, "three|…question? [y/N]"},
		{"all", picture{lines: rows[:3], cursor: 0}, 9, "one|two|three"},
		{"cursor below the text", picture{lines: rows, cursor: 5}, 3, "a long question…||"},
		{"cursor at the top", picture{lines: rows, cursor: 0}, 2, "one|two"},
		{"nothing", picture{}, 3, ""},
		{"no room", picture{lines: rows, cursor: 5}, 0, ""},
	} {
		if got := strings.Join(c.p.window(c.n, 16), "|"); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
