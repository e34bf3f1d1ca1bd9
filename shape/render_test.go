package shape

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
)

// renderCases are rendered on a screen of 20 by 5.
var renderCases = []struct{ name, in, want string }{
	{"nothing", "", ""},
	{"one line", "abc\r\n", "abc"},
	{"no final line end", "abc\r\ndef", "abc\ndef"},
	{"only line ends", "\r\n\r\n\r\n", "\n\n"},
	{"empty line between", "a\r\n\r\nb\r\n", "a\n\nb"},
	{"bare line feed keeps the column", "ab\ncd", "ab\n  cd"},
	{"vertical tab and form feed are line feeds", "a\vb\fc", "a\n b\n  c"},
	{"more lines than rows", "1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n7\r\n", "1\n2\n3\n4\n5\n6\n7"},
	{"trailing blanks", "a  \r\nb", "a  \nb"},
	{"only blanks", "  \r\n", "  "},

	{"carriage return", "1%\r2%\r100%\r\n", "100%"},
	{"carriage return, shorter", "abcdef\rxy\r\n", "xycdef"},
	{"carriage return, erased", "abcdef\r\x1b[Kxy\r\n", "xy"},
	{"many carriage returns", "abc\r\r\r\n", "abc"},
	{"backspace", "abd\bc\r\n", "abc"},
	{"spinner", "|\b/\b-\b\\\b \bdone\r\n", "done"},
	{"backspace at the start", "\b\b\bx", "x"},
	{"backspace over a soft wrap", strings.Repeat("a", 21) + "\b\b\bxyz", strings.Repeat("a", 18) + "xyz"},
	{"man page bold", "N\bNA\bA", "NA"},

	{"tab", "a\tb\r\n", "a\tb"},
	{"tabs at the start", "\t\tb", "\t\tb"},
	{"trailing tab", "a\t\r\nb", "a\t\nb"},
	{"tab over text only moves", "abcdefghij\r\tX", "abcdefghXj"},
	{"tab drawn twice", "\tab\r\tcd", "\tcd"},
	{"tab cut by a later character", "\tab\x1b[4Gx", "   x    ab"},
	{"tab erased", "\tab\r\x1b[2K\rx", "x"},
	{"tab shifted by an insert", "\tab\r\x1b[@x", "x        ab"},
	{"tab at the right edge", strings.Repeat("a", 19) + "\tb", strings.Repeat("a", 19) + "\tb"},
	{"tab after the right edge", strings.Repeat("a", 20) + "\tb", strings.Repeat("a", 20) + "\tb"},
	{"tab near the right edge", strings.Repeat("a", 17) + "\tbc", strings.Repeat("a", 17) + "\tbc"},
	{"own tab stops", "\x1b[3g\x1b[4G\x1bH\rab\tc", "ab\tc"},
	{"back tab", "0123456789\x1b[Zx", "01234567x9"},

	{"soft wrap is joined", strings.Repeat("a", 45) + "\r\nb", strings.Repeat("a", 45) + "\nb"},
	{"exactly the width", strings.Repeat("a", 20) + "\r\nb", strings.Repeat("a", 20) + "\nb"},
	{"line longer than the screen", strings.Repeat("0123456789", 20) + "\r\nb", strings.Repeat("0123456789", 20) + "\nb"},
	{"wrap off", "\x1b[?7l" + strings.Repeat("a", 25) + "z\x1b[?7h\r\nb", strings.Repeat("a", 19) + "z\nb"},
	{"wrapped row erased is no longer joined", strings.Repeat("a", 25) + "\r\x1b[Kb", strings.Repeat("a", 20) + "\nb"},
	{"progress over two rows", strings.Repeat("x", 25) + "\x1b[A\r\x1b[Jdone\r\n", "done"},

	{"cursor up redraw", "one\r\ntwo\r\n\x1b[2A\x1b[Knew\r\n\x1b[K2\r\n", "new\n2"},
	{"cursor up clamps at the first row", "one\r\n\x1b[9Atwo", "two"},
	{"cursor up over scrolled lines", "1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n\x1b[9Ax", "1\n2\nx\n4\n5\n6"},
	{"cursor right leaves blanks", "a\x1b[3Cb", "a   b"},
	{"cursor left", "abc\x1b[2DX", "aXc"},
	{"next and previous line", "a\x1b[Eb\x1b[Fc", "c\nb"},
	{"column", "abcdef\x1b[2GX\x1b[4`Y", "aXcYef"},
	{"row", "a\r\nb\x1b[1dX", "aX\nb"},
	{"position", "\x1b[3;4Hx\x1b[1;1Hy", "y\n\n   x"},
	{"position with leading zeros and blanks", "\x1b[02;03Hx", "\n  x"},
	{"save and restore", "ab\x1b7cd\x1b8X", "abXd"},
	{"save and restore, the other pair", "ab\x1b[scd\x1b[uX", "abXd"},
	{"restore without save", "ab\r\ncd\x1b8X", "Xb\ncd"},

	{"erase to the end", "abcdef\x1b[3D\x1b[K", "abc"},
	{"erase to the start", "abcdef\x1b[3D\x1b[1K", "    ef"},
	{"erase the line", "abcdef\x1b[2K\rx", "x"},
	{"erase characters", "abcdef\r\x1b[2X", "  cdef"},
	{"erase below", "a\r\nb\r\nc\x1b[2;1H\x1b[J", "a"},
	{"erase above", "a\r\nb\r\ncd\x1b[2;1H\x1b[1J", "\n\ncd"},
	{"insert characters", "abc\r\x1b[2@xy", "xyabc"},
	{"delete characters", "abcdef\r\x1b[2P", "cdef"},
	{"insert mode", "abc\r\x1b[4hxy\x1b[4l", "xyabc"},
	{"insert lines", "a\r\nb\r\n\x1b[2A\x1b[Lx", "x\na\nb"},
	{"delete lines", "a\r\nb\r\nc\r\n\x1b[3A\x1b[Mx", "x\nc"},
	{"repeat", "-\x1b[4b|", "-----|"},
	{"repeat a wide one", "日\x1b[2b|", "日日日|"},
	{"repeat nothing", "\x1b[4b|", "|"},
	{"index and reverse index", "a\x1bDb\x1bMc", "a c\n b"},
	{"reverse index at the top", "a\r\n\x1bM\x1bMb", "b\na"},
	{"next line", "a\x1bEb", "a\nb"},
	{"scroll up", "a\r\nb\x1b[Sx", "a\nb\n x"},
	{"scroll region", "top\x1b[2;3r\x1b[2;1H1\r\n2\r\n3\r\n4\x1b[r\x1b[5;1Hend", "1\n2\ntop\n3\n4\n\nend"},
	{"alignment test", "a\x1b#8\x1b[1;1H\x1b[2Kx", "a\nx\n" + strings.Repeat(strings.Repeat("E", 20)+"\n", 3) + strings.Repeat("E", 20)},

	{"clear does not erase", "keep\r\n\x1b[H\x1b[2Jend\r\n", "keep\nend"},
	{"clear as terminfo has it", "keep\r\n\x1b[H\x1b[2J\x1b[3Jend\r\n", "keep\nend"},
	{"clear by erasing below", "keep\r\n\x1b[H\x1b[Jend\r\n", "keep\nend"},
	{"redraw up to the first row is no clear", "a\r\nb\r\n\x1b[2A\x1b[Jc\r\nd\r\n", "c\nd"},
	{"redraw at the top is no clear", "\x1b[Habc\r\x1b[Jd", "d"},
	{"clear after a colour", "a\r\n\x1b[H\x1b[m\x1b[Jb", "a\nb"},
	{"clear of the history only", "keep\r\n\x1b[3Jend\r\n", "keep\nend"},
	{"reset", "keep\r\n\x1bcend\r\n", "keep\nend"},
	{"clear with the cursor below", "a\r\nb\r\n\x1b[2Jc", "a\nb\n\n\nc"},

	{"colours", "\x1b[1;31mred\x1b[0m plain \x1b[38;5;1mx\x1b[m\x1b[38:2::1:2:3my", "red plain xy"},
	{"title", "\x1b]0;title\aa\x1b]2;title\x1b\\b\x1bktitle\x1b\\c", "abc"},
	{"link", "\x1b]8;;http://x/\x1b\\text\x1b]8;;\x1b\\", "text"},
	{"clipboard", "\x1b]52;c;aGVsbG8=\ax", "x"},
	{"marks", "\x1b]133;A\a$ \x1b]133;B\als\r\n\x1b]133;C\aout\r\n\x1b]133;D;0\a", "$ ls\nout"},
	{"device control", "a\x1bPq#0;2;0;0;0#0~~@@\x1b\\b", "ab"},
	{"passed through tmux", "a\x1bPtmux;\x1b\x1b]52;c;aGk=\a\x1b\\b", "ab"},
	{"application, privacy, start of string", "a\x1b_x\x1b\\b\x1b^y\x1b\\c\x1bXz\x1b\\d", "abcd"},
	{"queries", "a\x1b[c\x1b[>c\x1b[6n\x1b[?u\x1b[>q\x1b[18tb", "ab"},
	{"modes", "\x1b[?25l\x1b[?2004ha\x1b[?1000h\x1b[?25h\x1b=\x1b>b", "ab"},
	{"cursor shape", "a\x1b[2 qb", "ab"},
	{"line drawing", "\x1b(0lqk\x1b(B lqk", "┌─┐ lqk"},
	{"line drawing by shifting", "\x1b)0a\x0exqx\x0fa", "a│─│a"},
	{"unknown sequences", "a\x1b[1;2;3y\x1b[?9999h\x1b%G\x1b#3\x1b Fb", "ab"},
	{"control inside a sequence", "ab\x1b[\b1mc", "ac"},
	{"sequence cut off by another", "a\x1b[12\x1b[31mb", "ab"},
	{"cancelled sequences", "a\x1b[12\x18b\x1b[3\x1ac", "abc"},
	{"too many parameters", "a\x1b[" + strings.Repeat("1;", 40) + "Ab", "ab"},
	{"huge parameter", "abc\x1b[99999999999999999999Dd", "abcd"},

	{"unterminated at the end", "abc\x1b[3", "abc"},
	{"unterminated title at the end", "abc\x1b]0;tit", "abc"},
	{"lone escape at the end", "abc\x1b", "abc"},
	{"unterminated title, lines follow", "a\x1b]0;title\r\nb\r\nc\r\n", "a\nb\nc"},
	{"unterminated title, colours follow", "a\x1b]0;title\r\nb\r\n\x1b[31mc\r\n", "a\nb\nc"},
	{"title with a line feed", "a\x1b]0;two\nlines\ab", "ab"},
	{"clipboard with line ends", "a\x1b]52;c;aGVs\r\nbG8=\ab", "ab"},

	{"NUL", "a\x00b", "ab"},
	{"other controls", "a\x01\x02\x05\x06\x07\x10\x11\x1c\x1fb\x7fc", "abc"},
	{"C1 as UTF-8", "a\u009b31mb\u0085c", "a31mbc"},
	{"C1 as bytes", "a\x9b31mb", "a\ufffd31mb"},
	{"invalid UTF-8", "a\xffb\xe2\x82c\xc3(\xf0\x9f\x98", "a\ufffdb\ufffdc\ufffd(\ufffd"},
	{"overlong and surrogates", "\xc0\xaf\xed\xa0\x80\xf4\x90\x80\x80", strings.Repeat("\ufffd", 9)},
	{"character cut by a sequence", "\xe6\x97\x1b[m\xa5", "\ufffd\ufffd"},

	{"wide characters", "漢字 😀\r\n", "漢字 😀"},
	{"wide soft wrap", strings.Repeat("漢", 25), strings.Repeat("漢", 25)},
	{"wide soft wrap, odd", "x" + strings.Repeat("漢", 25), "x" + strings.Repeat("漢", 25)},
	{"half of a wide one overwritten", "a漢字\r\x1b[2Cx", "a x字"},
	{"combining marks", "e\u0301a\u0308\u0323x", "e\u0301a\u0308\u0323x"},
	{"combining mark on a redrawn row", "xy\re\u0301", "e\u0301y"},
	{"combining mark at the start", "\u0301x", "x"},
	{"emoji joined", "👩\u200d👩\u200d👧\u200d👦!", "👩\u200d👩\u200d👧\u200d👦!"},
	{"emoji with selectors and tones", "❤\ufe0f 👍🏽 🇩🇪", "❤\ufe0f 👍🏽 🇩🇪"},
	{"redraw of wide characters", "漢字漢字\rab\r\n", "ab字漢字"},
	{"Hangul letters", "\u1112\u1161\u11ab", "\u1112\u1161\u11ab"},
	{"redraw with marks", "日本\r\n\x1b[Ae\u0301\u0302", "e\u0301\u0302 本"},

	{"full screen", "a\r\n\x1b[?1049h\x1b[H\x1b[2Jxyz\x1b[?1049lb\r\n", "a\n[full screen: 18 B]\nb"},
	{"full screen in mid-line", "a\x1b[?1049hxyz\x1b[?1049lb\r\n", "ab\n[full screen: 11 B]"},
	{"full screen at the end", "a\r\n\x1b[?47hxyz\x1b[?47l", "a\n[full screen: 9 B]"},
	{"full screen not left", "a\r\n\x1b[?1049hxyz", "a\n[full screen: 3 B]"},
	{"full screen twice", "\x1b[?1049h1\x1b[?1049l\x1b[?1047h22\x1b[?1047lx", "[full screen: 9 B]\n[full screen: 10 B]\n  x"},
	{"full screen, a line follows", "\x1b[?1049h1\x1b[?1049l\r\nx", "[full screen: 9 B]\n\nx"},
	{"cleared inside a full screen", "a\r\n\x1b[?1049h\x1b[2J\x1b[3J\x1bc\x1b[?1049l\r\nb", "a\n[full screen: 18 B]\n\nb"},
	{"left without entering", "a\x1b[?1049lb", "ab"},
}

func TestRender(t *testing.T) {
	for _, c := range renderCases {
		t.Run(c.name, func(t *testing.T) {
			o := Options{Cols: 20, Rows: 5}
			if got := Text([]byte(c.in), o); got != c.want {
				t.Fatalf("Text(%q)\n got %q\nwant %q", c.in, got, c.want)
			}
			if fault := check([]byte(c.in), 20, 5, 1); fault != "" {
				t.Errorf("%q: %s", c.in, fault)
			}
		})
	}
}

func TestNewLine(t *testing.T) {
	if got := Text([]byte("a\nb\r\nc\vd\n"), Options{NewLine: true}); got != "a\nb\nc\nd" {
		t.Fatalf("got %q", got)
	}
}

func TestDefaultSize(t *testing.T) {
	r := NewRenderer(Options{}, func([]byte) {})
	r.Write([]byte(strings.Repeat("a", 200)))
	if x, y := r.Cursor(); x != 200 || y != 0 {
		t.Fatalf("after 200 columns the cursor is at %d,%d", x, y)
	}
	r.Write([]byte("b\x1b[99B"))
	if x, y := r.Cursor(); x != 1 || y != 49 {
		t.Fatalf("at the bottom the cursor is at %d,%d", x, y)
	}
}

// TestLinesAreFinalWhenScrolledOff: nothing is handed on that could still
// change, and nothing is kept that could not.
func TestLinesAreFinalWhenScrolledOff(t *testing.T) {
	var got []string
	r := NewRenderer(Options{Cols: 20, Rows: 5}, func(line []byte) { got = append(got, string(line)) })
	for i := range 4 {
		fmt.Fprintf(r, "%d\r\n", i)
	}
	if len(got) != 0 {
		t.Fatalf("handed on before the screen was full: %q", got)
	}
	r.Write([]byte("4\r\n5\r\n"))
	if want := []string{"0", "1"}; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Fatalf("got %q, want %q", got, want)
	}
	var live []string
	r.Write([]byte("unfin"))
	r.Live(func(line []byte) bool { live = append(live, string(line)); return true })
	if want := []string{"2", "3", "4", "5", "unfin"}; fmt.Sprint(live) != fmt.Sprint(want) {
		t.Fatalf("live %q, want %q", live, want)
	}
	r.Live(func(line []byte) bool { live = append(live, string(line)); return false })
	if len(live) != 6 {
		t.Fatalf("Live went on after false: %q", live)
	}
	if got := string(r.CurrentLine()); got != "unfin" {
		t.Fatalf("current line %q", got)
	}
	r.Close()
	if want := []string{"0", "1", "2", "3", "4", "5", "unfin"}; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Fatalf("closed %q, want %q", got, want)
	}
}

func TestCurrentLineIsJoined(t *testing.T) {
	r := NewRenderer(Options{Cols: 10, Rows: 3}, func([]byte) {})
	long := strings.Repeat("0123456789", 5) + "tail"
	r.Write([]byte("first\r\n" + long + "\x1b[A\r"))
	if got := string(r.CurrentLine()); got != long {
		t.Fatalf("got %q", got)
	}
	r.Write([]byte("\r\n\r\nx"))
	if got := string(r.CurrentLine()); got != "x" {
		t.Fatalf("got %q", got)
	}
}

func TestFullScreenDuration(t *testing.T) {
	in := "a\r\n\x1b[?1049h" + strings.Repeat("x", 41000) + "\x1b[?1049lb"
	var from, to int64
	o := Options{Elapsed: func(f, t int64) (time.Duration, bool) {
		from, to = f, t
		return 12300 * time.Millisecond, true
	}}
	if got, want := Text([]byte(in), o), "a\n[full screen: 41 KB, 12 s]\nb"; got != want {
		t.Fatalf("got %q, want %q", got, want)
	}
	if from != 11 || to != int64(len(in)-1) {
		t.Fatalf("asked about %d to %d of %d", from, to, len(in))
	}
	o.Elapsed = func(int64, int64) (time.Duration, bool) { return 0, false }
	if got, want := Text([]byte(in), o), "a\n[full screen: 41 KB]\nb"; got != want {
		t.Fatalf("got %q, want %q", got, want)
	}
}

func TestNoteTexts(t *testing.T) {
	for _, c := range []struct {
		note screenNote
		want string
	}{
		{screenNote{size: 0}, "[full screen: 0 B]"},
		{screenNote{size: 999}, "[full screen: 999 B]"},
		{screenNote{size: 1000}, "[full screen: 1 KB]"},
		{screenNote{size: 999_499}, "[full screen: 999 KB]"},
		{screenNote{size: 999_500}, "[full screen: 1 MB]"},
		{screenNote{size: 2_345_000_000}, "[full screen: 2.3 GB]"},
		{screenNote{size: 1, took: 340 * time.Millisecond, timed: true}, "[full screen: 1 B, 340 ms]"},
		{screenNote{size: 1, took: 59 * time.Second, timed: true}, "[full screen: 1 B, 59 s]"},
		{screenNote{size: 1, took: 90 * time.Second, timed: true}, "[full screen: 1 B, 2 min]"},
		{screenNote{size: 1, took: 90 * time.Minute, timed: true}, "[full screen: 1 B, 1.5 h]"},
	} {
		if got := c.note.String(); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

// TestNotesAreBounded: a program that flips screens for ever takes no memory.
func TestNotesAreBounded(t *testing.T) {
	r := NewRenderer(Options{}, func([]byte) {})
	for range 100 {
		r.Write([]byte("\x1b[?1049hx\x1b[?1049l"))
	}
	n := 0
	r.Live(func(line []byte) bool { n++; return true })
	if n != maxNotes {
		t.Fatalf("%d notes", n)
	}
}

// TestLongLineComesInPieces: the pieces are the line, and all but the last say
// that it goes on.
func TestLongLineComesInPieces(t *testing.T) {
	line := bytes.Repeat([]byte("0123456789abcdef"), 3<<20/16+1)
	var got []byte
	var pieces int
	var r *Renderer
	r = NewRenderer(Options{}, func(p []byte) {
		if pieces++; len(p) > maxPiece+200 {
			t.Errorf("piece of %d bytes", len(p))
		}
		got = append(got, p...)
		if !r.Continues() {
			got = append(got, '\n')
		}
	})
	r.Write(line)
	r.Write([]byte("\r\nnext\r\n"))
	r.Close()
	if want := string(line) + "\nnext\n"; string(got) != want {
		t.Fatalf("got %d bytes in %d pieces, want %d", len(got), pieces, len(want))
	}
	if pieces != 4 {
		t.Fatalf("%d pieces", pieces)
	}
	if got := Text(append(line, "\r\nnext"...), Options{}); got != string(line)+"\nnext" {
		t.Fatalf("Text has %d bytes", len(got))
	}
}

// TestMarksAreBounded: combining characters without end take no memory.
func TestMarksAreBounded(t *testing.T) {
	for _, begin := range []string{"a", "日", "xy\ra"} {
		text := Text([]byte(begin+strings.Repeat("\u0301", 20000)), Options{})
		if len(text) > 2*maxCluster {
			t.Errorf("%q and marks: %d bytes", begin, len(text))
		}
	}
	r := NewRenderer(Options{}, func([]byte) {})
	for range 20000 {
		r.Write([]byte("\rab\re\u0301"))
	}
	if n := len(r.at(0).ext); n > 1000 {
		t.Errorf("a row redrawn for ever holds %d clusters", n)
	}
}

// TestUnterminatedStringIsGivenUp: the lines behind it are not lost, and no more
// than maxString of them is held back.
func TestUnterminatedStringIsGivenUp(t *testing.T) {
	n := 0
	r := NewRenderer(Options{}, func([]byte) { n++ })
	r.Write([]byte("\x1b]0;never ended\r\n"))
	for range maxString / 10 {
		r.Write([]byte("a line\r\nb line\r\n"))
	}
	if n == 0 {
		t.Fatal("everything is held back")
	}
	r.Close()
	if want := maxString/10*2 + 1; n != want {
		t.Fatalf("%d lines, want %d", n, want)
	}
}

func TestCloseMakesNew(t *testing.T) {
	var got []string
	r := NewRenderer(Options{Cols: 20, Rows: 4}, func(line []byte) { got = append(got, string(line)) })
	r.Write([]byte("\x1b[2;3r\x1b[4h\x1b[?7l\x1b(0\x1b[3gabc\x1b7\x1b[?1049hzz\x1b[3"))
	r.Close()
	got = nil
	in := "q\x1b[Ax\ty\x1b8z"
	r.Write([]byte(in))
	r.Close()
	if want := Text([]byte(in), Options{Cols: 20, Rows: 4}); strings.Join(got, "\n") != want {
		t.Fatalf("got %q, want %q", got, want)
	}
}

// TestMemoryIsConstant: a line without end, and lines without end.
func TestMemoryIsConstant(t *testing.T) {
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	for name, piece := range map[string]string{
		"one line":   strings.Repeat("0123456789abcdef", 1000),
		"lines":      strings.Repeat("a line\r\n\tand\x1b[1m another\x1b[m\r\n", 500),
		"redraws":    strings.Repeat("\r\x1b[Kworking e\u0301\u0302 日", 500),
		"open title": "\x1b]0;" + strings.Repeat("never ended ", 1000),
	} {
		before := heap()
		size := 0
		r := NewRenderer(Options{}, func(line []byte) { size += len(line) })
		for range 12 << 20 / len(piece) {
			r.Write([]byte(piece))
		}
		if after := heap(); after > before+3*maxPiece {
			t.Errorf("%s: %d bytes held", name, after-before)
		}
		r.Close()
		runtime.KeepAlive(r)
	}
}
