package shape

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

// grepText writes what grep -n does, reading src in blocks of size bytes.
func grepText(t *testing.T, src io.Reader, size int, pattern string, c int, o Options) string {
	t.Helper()
	var b strings.Builder
	opts := GrepOptions{Options: o, Pattern: regexp.MustCompile(pattern), Context: c, Gap: func() error {
		b.WriteString("--\n")
		return nil
	}}
	err := grep(context.Background(), src, opts, size, func(n int64, line []byte, match bool) error {
		mark := '-'
		if match {
			mark = ':'
		}
		fmt.Fprintf(&b, "%d%c%s\n", n, mark, line)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// rendered returns all lines of p.
func rendered(p []byte, o Options) (lines []string) {
	r := NewRenderer(o, func(line []byte) { lines = append(lines, string(line)) })
	r.Write(p)
	r.Close()
	return lines
}

// plainGrep is the same, over all lines one by one.
func plainGrep(lines []string, pattern string, c int) string {
	re := regexp.MustCompile(pattern)
	show := make([]bool, len(lines))
	match := make([]bool, len(lines))
	for i, line := range lines {
		if match[i] = re.MatchString(line); match[i] {
			for j := max(0, i-c); j <= min(len(lines)-1, i+c); j++ {
				show[j] = true
			}
		}
	}
	var b strings.Builder
	last := -1
	for i, line := range lines {
		if !show[i] {
			continue
		}
		if c > 0 && last >= 0 && i != last+1 {
			b.WriteString("--\n")
		}
		last = i
		mark := '-'
		if match[i] {
			mark = ':'
		}
		fmt.Fprintf(&b, "%d%c%s\n", i+1, mark, line)
	}
	return b.String()
}

// localProgram makes output of whole lines, most of which touch no other line.
func (g generator) localProgram(wild int) []byte {
	var b bytes.Buffer
	for range 1 + g.IntN(60) {
		for range g.IntN(5) {
			switch g.IntN(9) {
			case 0:
				b.WriteString(g.pick("\x1b[1;31m", "\x1b[m", "\x1b]0;t\a", "\x1b]8;;u\x1b\\", "\x1b[?25l", "\x1b[?2004h", "\x1b(B", "\x1b=", "\x1b[2 q", "\x1b[>1u", "\x1b[3J"))
			case 1:
				b.WriteString(g.pick("\r", "\b", "\x1b[K", "\x1b[1K", "\x1b[2K", "\x1b[3D", "\x1b[2C", "\x1b[5G", "\x1b[2X", "\x1b[P", "\x1b[@", "x\x1b[3b", "\x1b[J"))
			case 2:
				b.WriteString(g.pick("\t", "\x00", "\x7f", "\a", "\xff", "\u0301", "\u009b", "日本", "👩\u200d👧", "\xe2\x82"))
			case 3:
				b.WriteString(g.pick("error", "FAIL", "err", "warning: Foo", "Kelvin"))
			default:
				b.WriteString(g.text())
			}
		}
		b.WriteString(g.pick("\r\n", "\r\n", "\r\n", "\r\r\n"))
		if wild > 0 && g.IntN(wild) == 0 {
			b.WriteString(g.pick("\x1b[2Aup\r\n", "\x1b[A\x1b[Jgone\r\n", "\x1b7\x1b[1;1Hhome\x1b8", "\x1b[?1049hfull\x1b[?1049l", "\x1b[2;3r\x1b[r", "\nbare", "\x1b[4hins\x1b[4l", "\x1b]0;unfinished\r\n", "\x1b[2J", "\x1b[Mdeleted\r\n", "\x1b[?7l0123456789\x1b[?7h", "\v", "\x1bM"))
		}
	}
	if g.IntN(2) == 0 {
		b.WriteString(g.text())
	}
	return b.Bytes()
}

var patterns = []string{
	"error", "FAIL", "error|FAIL", "err(or)?|warn", "(?i)fail", "(?i)kel", "^$", "^x", "[Ee]rr", "a.*b", "日", "e\u0301", "nothing", "[0-9]+ms", "(foo|x)+", "\t", "(?i)warning: foo",
}

// TestGrepEqualsRenderThenGrep: reading in blocks, on all cores, changes nothing.
func TestGrepEqualsRenderThenGrep(t *testing.T) {
	for seed := range uint64(600) {
		rng := rand.New(rand.NewPCG(seed, 3))
		g := generator{rng, 5 + rng.IntN(40), 2 + rng.IntN(6)}
		in := g.localProgram([]int{0, 4, 20}[rng.IntN(3)])
		o := Options{Cols: g.cols, Rows: g.rows}
		lines := rendered(in, o)
		c := rng.IntN(4)
		pattern := patterns[rng.IntN(len(patterns))]
		want := plainGrep(lines, pattern, c)
		if got := grepText(t, bytes.NewReader(in), 1+rng.IntN(200), pattern, c, o); got != want {
			t.Fatalf("seed %d, %dx%d, %q -C%d in %q\ngot\n%s\nwant\n%s\nlines\n%q", seed, g.cols, g.rows, pattern, c, in, got, want, lines)
		}
	}
}
