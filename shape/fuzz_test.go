package shape

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// trace is everything that can be seen of a renderer.
type trace struct {
	lines, live []string
	current     string
	x, y        int
	rest        []string
	whole       bool // nothing is held back
}

// observe renders p, cut at the given positions.
func observe(p []byte, o Options, cuts ...int) trace {
	var t trace
	r := NewRenderer(o, func(line []byte) { t.lines = append(t.lines, string(line)) })
	at := 0
	for _, c := range cuts {
		own := slices.Clone(p[at:c])
		r.Write(own)
		clear(own) // nothing may refer to what was written before
		at = c
	}
	own := slices.Clone(p[at:])
	r.Write(own)
	clear(own)
	r.Live(func(line []byte) bool {
		t.live = append(t.live, string(line))
		return true
	})
	t.current = string(r.CurrentLine())
	t.x, t.y = r.Cursor()
	t.whole = r.state == ground && r.charLen == 0
	n := len(t.lines)
	r.Close()
	t.rest = slices.Clone(t.lines[n:])
	t.lines = t.lines[:n]
	return t
}

func (t trace) String() string {
	return fmt.Sprintf("%+q", [][]string{t.lines, t.live, {t.current}, t.rest}) + fmt.Sprint(t.x, t.y)
}

// check holds p to what must be true of every input, and says what is not.
func check(p []byte, cols, rows int, seed uint64) string {
	o := Options{Cols: cols, Rows: rows}
	whole := observe(p, o)
	single := make([]int, len(p))
	for i := range single {
		single[i] = i
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	var random []int
	for i := range p {
		if rng.IntN(9) == 0 {
			random = append(random, i)
		}
	}
	for _, cuts := range [][]int{single, random} {
		if got := observe(p, o, cuts...); got.String() != whole.String() {
			return fmt.Sprintf("cut in %d\n%v\nwhole\n%v", len(cuts), got, whole)
		}
	}
	if whole.whole && !slices.Equal(whole.live, whole.rest) {
		return fmt.Sprintf("live\n%q\nhanded on at the end\n%q", whole.live, whole.rest)
	}
	text := Text(p, o)
	for _, c := range text {
		if c < 0x20 && c != '\t' && c != '\n' || c >= 0x7f && c < 0xa0 {
			return fmt.Sprintf("control %q in %q", c, text)
		}
	}
	if !utf8.ValidString(text) {
		return fmt.Sprintf("not UTF-8: %q", text)
	}
	again := Text([]byte(text), Options{Cols: cols, Rows: rows, NewLine: true})
	if strings.TrimRight(again, "\n") != strings.TrimRight(text, "\n") {
		return fmt.Sprintf("text\n%q\nrendered again\n%q", text, again)
	}
	return ""
}

// wild adds to the programs that tmux is compared on what it is not.
func (g generator) wild() string {
	switch g.IntN(12) {
	case 0:
		return g.pick("\x1b[2J", "\x1b[H\x1b[J", "\x1b[3J", "\x1bc", "\x1b#8", "\x1b[?3h", "\x1b[J")
	case 1:
		return g.pick("\x1b[?1049h", "\x1b[?1049l", "\x1b[?47h", "\x1b[?47l", "\x1b[?1047h", "\x1b[?1047l", "\x1b[?1049l")
	case 2:
		return g.pick("\xff", "\xe2\x82", "\xc3", "\xf0\x9f\x98", "\xed\xa0\x80", "\xc2\x9b31m", "\xe0\x80\x80", "\u200d", "\u200b", "\ufe0f", "👩\u200d👩\u200d👧")
	case 3:
		return g.pick("\x1b]0;open", "\x1bPopen", "\x1b_open\r\nmore", "\x1b]2;a\r\nb\a", "\x1b", "\x1b[", "\x1b[12;", "\x18", "\x1a", "\x9c", "\x1b\\")
	case 4:
		return g.pick("\t", "\t\t\t\t", "\x1b[2C\t", "a\tb\tc", "\r\ta", "\x7f", "\x1b[999999999999A", "\x1b[2147483647C", "\x1b[;;;;;;;;;;;;;;;;;;;;;;;;;;;;;A")
	}
	return g.token()
}

func (g generator) wildProgram() []string {
	tokens := make([]string, 1+g.IntN(80))
	for i := range tokens {
		tokens[i] = g.wild()
	}
	return tokens
}

func TestAnySplitGivesTheSame(t *testing.T) {
	failed := 0
	for seed := range programs() * 15 {
		rng := rand.New(rand.NewPCG(seed, 7))
		g := generator{rng, 2 + rng.IntN(30), 1 + rng.IntN(8)}
		tokens := g.wildProgram()
		fails := func(t []string) string { return check([]byte(strings.Join(t, "")), g.cols, g.rows, seed) }
		if fails(tokens) == "" {
			continue
		}
		tokens = shrink(tokens, fails)
		t.Errorf("%dx%d, seed %d: %q\n%s", g.cols, g.rows, seed, tokens, fails(tokens))
		if failed++; failed == 5 {
			break
		}
	}
}

func FuzzRender(f *testing.F) {
	for seed := range uint64(40) {
		g := generator{rand.New(rand.NewPCG(seed, 9)), 20, 6}
		f.Add([]byte(strings.Join(g.wildProgram(), "")), uint8(20), uint8(6), seed)
	}
	f.Fuzz(func(t *testing.T, p []byte, cols, rows uint8, seed uint64) {
		if len(p) > 4096 {
			t.Skip("longer inputs only cost time")
		}
		if fault := check(p, int(cols), int(rows), seed); fault != "" {
			t.Fatal(fault)
		}
	})
}
