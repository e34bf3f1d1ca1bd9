package shape

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"
)

func window(l Limits, lines ...string) Result {
	w := NewWindow(l)
	for _, line := range lines {
		w.Add([]byte(line))
	}
	return w.Result()
}

func seq(a, b int) (lines []string) {
	for ; a <= b; a++ {
		lines = append(lines, fmt.Sprint(a))
	}
	return lines
}

func TestWindow(t *testing.T) {
	long := strings.Repeat("x", 100)
	for _, c := range []struct {
		name  string
		l     Limits
		lines []string
		text  string
		lost  int64
		cut   int64
	}{
		{"nothing", Limits{2, 2, 100}, nil, "", 0, 0},
		{"nothing, no limits", Limits{-1, -1, 0}, nil, "", 0, 0},
		{"one empty line", Limits{2, 2, 100}, []string{""}, "", 0, 0},
		{"empty lines", Limits{2, 2, 100}, []string{"", "", ""}, "\n\n", 0, 0},
		{"all fit", Limits{2, 3, 0}, seq(1, 5), "1\n2\n3\n4\n5", 0, 0},
		{"one too many", Limits{2, 3, 0}, seq(1, 6), "1\n2\n…\n4\n5\n6", 1, 0},
		{"many", Limits{2, 3, 0}, seq(1, 1000), "1\n2\n…\n998\n999\n1000", 995, 0},
		{"tail alone", Limits{0, 2, 0}, seq(1, 5), "…\n4\n5", 3, 0},
		{"head alone", Limits{2, 0, 0}, seq(1, 5), "1\n2\n…", 3, 0},
		{"neither", Limits{0, 0, 0}, seq(1, 5), "…", 5, 0},
		{"no limit on lines", Limits{-1, -1, 0}, seq(1, 9), "1\n2\n3\n4\n5\n6\n7\n8\n9", 0, 0},
		{"no limit on the tail", Limits{1, -1, 0}, seq(1, 4), "1\n2\n3\n4", 0, 0},
		{"bytes exactly", Limits{-1, -1, 9}, seq(1, 5), "1\n2\n3\n4\n5", 0, 0},
		{"bytes, one less", Limits{-1, -1, 8}, seq(1, 5), "…\n4\n5", 3, 0},
		{"bytes with both ends", Limits{3, 3, 14}, seq(1, 6), "1\n2\n3\n4\n5\n6", 0, 0},
		{"bytes after lines", Limits{2, 2, 11}, seq(1, 9), "1\n2\n…\n8\n9", 5, 0},
		{"bytes after lines, one less", Limits{2, 2, 10}, seq(1, 9), "1\n2\n…\n9", 6, 0},
		{"one long line", Limits{2, 2, 40}, []string{long}, strings.Repeat("x", 37) + "…", 0, 63},
		{"long line among short", Limits{5, 5, 40}, []string{"a", long, "b"}, "a\n" + strings.Repeat("x", 33) + "…\nb", 0, 67},
		{"long lines share", Limits{5, 5, 41}, []string{long, long}, strings.Repeat("x", 17) + "…\n" + strings.Repeat("x", 17) + "…", 0, 166},
		{"many long lines", Limits{1, 2, 40}, []string{long, long, long, long, long, long, "end"},
			strings.Repeat("x", 12) + "…\n…\n" + strings.Repeat("x", 12) + "…\nend", 4, 176},
		{"too many long lines", Limits{4, 4, 40}, []string{long, long, long, long, long, long, "end"},
			strings.Repeat("x", 7) + "…\n…\n" + strings.Repeat("x", 7) + "…\nend", 4, 186},
		{"characters are not split", Limits{1, 1, 10}, []string{strings.Repeat("日", 5)}, "日日…", 0, 9},
		{"no room for the mark", Limits{1, 1, 2}, []string{long}, "xx", 0, 98},
		{"no room for a character", Limits{1, 1, 2}, []string{"日本"}, "", 0, 6},
	} {
		got := window(c.l, c.lines...)
		if want := (Result{c.text, c.lost, c.cut}); got != want {
			t.Errorf("%s:\n got %#v\nwant %#v", c.name, got, want)
		}
	}
}

// TestWindowIsExact: whatever the lines and limits, the text is within its
// bounds, made of the lines, and all that is missing is counted.
func TestWindowIsExact(t *testing.T) {
	for seed := range uint64(3000) {
		rng := rand.New(rand.NewPCG(seed, 11))
		l := Limits{rng.IntN(8) - 1, rng.IntN(8) - 1, int64(rng.IntN(400))}
		var lines []string
		total := 0
		for i := range rng.IntN(40) {
			line := fmt.Sprintf("%d:%s", i, strings.Repeat("é", rng.IntN([]int{5, 5, 300}[rng.IntN(3)])))
			lines = append(lines, line)
			total += len(line)
		}
		res := window(l, lines...)
		fail := func(format string, args ...any) {
			t.Helper()
			t.Fatalf("seed %d, %+v, %d lines: %s\n%#v\nof %q", seed, l, len(lines), fmt.Sprintf(format, args...), res, lines)
		}
		if l.MaxBytes > 0 && int64(len(res.Text)) > l.MaxBytes {
			fail("%d bytes", len(res.Text))
		}
		if !utf8.ValidString(res.Text) {
			fail("a character is split")
		}
		var shown []string
		if len(lines) > 0 {
			shown = strings.Split(res.Text, "\n")
		}
		if int64(len(lines)) == res.OmittedLines {
			shown = nil
		}
		gaps, next, kept, missing := 0, 0, 0, 0
		for _, s := range shown {
			if s == ellipsis && res.OmittedLines > 0 && gaps == 0 {
				gaps++
				next += int(res.OmittedLines)
				continue
			}
			if l.MaxBytes == 0 || l.MaxBytes > 40 {
				if next >= len(lines) || s != lines[next] && !strings.HasPrefix(lines[next], strings.TrimSuffix(s, ellipsis)) {
					fail("%q at %d", s, next)
				}
				if s != lines[next] {
					s = strings.TrimSuffix(s, ellipsis)
					missing += len(lines[next]) - len(s)
				}
			}
			next++
			kept++
		}
		if gaps > 1 && (l.MaxBytes == 0 || l.MaxBytes > 40) {
			fail("%d gaps", gaps)
		}
		if int64(kept)+res.OmittedLines != int64(len(lines)) {
			fail("%d lines shown", kept)
		}
		if l.Head >= 0 && l.Tail >= 0 && kept > l.Head+l.Tail {
			fail("%d lines", kept)
		}
		if (l.MaxBytes == 0 || l.MaxBytes > 40) && int64(missing) != res.OmittedBytes {
			fail("%d bytes missing", missing)
		}
	}
}

// TestWindowMemory: neither many lines nor long ones are kept beyond a small
// multiple of MaxBytes.
func TestWindowMemory(t *testing.T) {
	const limit = 1000
	for name, l := range map[string]Limits{"lines": {50, 200, limit}, "no lines": {-1, -1, limit}} {
		w := NewWindow(l)
		for i := range 5000 {
			w.Add(bytes.Repeat([]byte("x"), 1+i%300*20))
		}
		for range 1000 {
			w.Extend(bytes.Repeat([]byte("y"), 5000))
		}
		held := 0
		for _, s := range append(w.head, w.tail[w.first:]...) {
			held += cap(s.text)
		}
		if held > 20*limit {
			t.Errorf("%s: %d bytes held for %d", name, held, limit)
		}
		if res := w.Result(); int64(len(res.Text)) > limit || !strings.Contains(res.Text, "x") {
			t.Errorf("%s: %#v", name, res)
		}
	}
}

func TestWindowExtend(t *testing.T) {
	w := NewWindow(Limits{1, 1, 0})
	w.Extend([]byte("nothing to extend"))
	for _, s := range []string{"a", "b", "c"} {
		w.Add([]byte(s))
		w.Extend([]byte("1"))
		w.Extend([]byte("2"))
	}
	if got, want := w.Result(), (Result{"a12\n…\nc12", 1, 0}); got != want {
		t.Fatalf("got %#v", got)
	}
	w = NewWindow(Limits{1, 1, 10})
	w.Add(bytes.Repeat([]byte("x"), 8))
	w.Extend(bytes.Repeat([]byte("y"), 8))
	if got, want := w.Result(), (Result{"xxxxxxx…", 0, 9}); got != want {
		t.Fatalf("got %#v", got)
	}
}

func TestRenderFunc(t *testing.T) {
	in := strings.Repeat("line\r\n", 100) + strings.Repeat("z", 3<<20) + "\r\nlast"
	got, err := Render(strings.NewReader(in), Options{}, Limits{Head: 1, Tail: 2, MaxBytes: 100})
	if err != nil || got.OmittedLines != 99 || !strings.HasPrefix(got.Text, "line\n…\nzzz") || !strings.HasSuffix(got.Text, "z…\nlast") || len(got.Text) != 100 {
		t.Fatalf("got %#v, %v", got, err)
	}
	if kept := strings.Count(got.Text, "z"); got.OmittedBytes != int64(3<<20-kept) {
		t.Fatalf("%d bytes omitted, %d kept", got.OmittedBytes, kept)
	}
	bad := errors.New("bad")
	got, err = Render(io.MultiReader(strings.NewReader("a\r\nb"), iotest.ErrReader(bad)), Options{}, Limits{Head: -1})
	if err != bad || got.Text != "a\nb" {
		t.Fatalf("got %#v, %v", got, err)
	}
}
