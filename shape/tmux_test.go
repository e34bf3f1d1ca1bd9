package shape

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// tmuxScreen renders programs by a private tmux server, in panes that have no
// process: what display-message -I is given goes straight to the pane's
// terminal emulation.
type tmuxScreen struct {
	t    *testing.T
	env  []string
	cols int
	rows int
}

func newTmuxScreen(t *testing.T, cols, rows int) *tmuxScreen {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "shp")
	if err != nil {
		t.Fatal(err)
	}
	s := &tmuxScreen{t: t, cols: cols, rows: rows}
	for _, kv := range os.Environ() {
		if name, _, _ := strings.Cut(kv, "="); name != "TMUX" && name != "TMUX_PANE" && name != "TMUX_TMPDIR" && name != "LC_ALL" {
			s.env = append(s.env, kv)
		}
	}
	s.env = append(s.env, "TMUX_TMPDIR="+dir, "LC_ALL=C.UTF-8")
	t.Cleanup(func() {
		s.command(nil, "kill-server").Run()
		os.RemoveAll(dir)
	})
	s.run(nil, "new-session", "-d", "-x", fmt.Sprint(cols), "-y", fmt.Sprint(rows), "cat", ";",
		"set", "-g", "default-size", fmt.Sprintf("%dx%d", cols, rows), ";",
		"set", "-g", "history-limit", "100000")
	return s
}

func (s *tmuxScreen) command(in []byte, args ...string) *exec.Cmd {
	cmd := exec.Command("tmux", append([]string{"-u", "-L", "shape", "-f", "/dev/null"}, args...)...)
	cmd.Env = s.env
	cmd.Stdin = bytes.NewReader(in)
	return cmd
}

func (s *tmuxScreen) run(in []byte, args ...string) string {
	s.t.Helper()
	cmd := s.command(in, args...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		s.t.Fatalf("tmux %q: %v: %s", args, err, errs.Bytes())
	}
	return string(out)
}

// render returns the lines tmux shows, history included, and the cursor.
func (s *tmuxScreen) render(program []byte) (lines []string, cursor string) {
	s.t.Helper()
	// RIS ends the implied carriage return of a pane without process.
	out := s.run(append([]byte("\x1bc"), program...),
		"split-window", "-d", "-t", ":0", "", ";",
		"break-pane", "-s", ":0.1", "-t", ":1", ";",
		"display-message", "-I", "-t", ":1", ";",
		"capture-pane", "-p", "-J", "-S", "-", "-t", ":1", ";",
		"display-message", "-p", "-t", ":1", "#{cursor_x},#{cursor_y} #{pane_width}x#{pane_height}", ";",
		"kill-window", "-t", ":1", ";", "select-window", "-t", ":0")
	lines = strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	last := len(lines) - 1
	cursor, size, _ := strings.Cut(lines[last], " ")
	if want := fmt.Sprintf("%dx%d", s.cols, s.rows); size != want {
		s.t.Fatalf("pane is %s, want %s", size, want)
	}
	return trimLines(lines[:last]), cursor
}

// trimLines drops blanks at line ends and empty lines at the end.
func trimLines(lines []string) []string {
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " \t")
	}
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// ours renders a program as tmux is asked to.
func ours(program []byte, cols, rows int) (lines []string, cursor string) {
	r := NewRenderer(Options{Cols: cols, Rows: rows}, func(line []byte) { lines = append(lines, string(line)) })
	r.strict = true
	r.Write(program)
	x, y := r.Cursor()
	r.Close()
	return trimLines(lines), fmt.Sprintf("%d,%d", x, y)
}

// generator makes random programs of everything the renderer models but screen
// clears and the alternate screen.
type generator struct {
	*rand.Rand
	cols, rows int
}

func (g generator) pick(s ...string) string { return s[g.IntN(len(s))] }

func (g generator) text() string {
	var b strings.Builder
	n := g.IntN(8)
	if g.IntN(6) == 0 {
		n = g.IntN(3 * g.cols)
	}
	wide := g.IntN(4) == 0
	for range n {
		if wide {
			b.WriteString(g.pick("日", "漢", "é", "a", "b", "😀", "e\u0301", "한", "─", " "))
		} else {
			b.WriteByte(" abcdefghijklmnopqrstuvwxyzABC"[g.IntN(30)])
		}
	}
	return b.String()
}

func (g generator) token() string {
	n := g.IntN(5)
	if g.IntN(8) == 0 {
		n = g.IntN(2 * g.cols)
	}
	arg := fmt.Sprint(n)
	if g.IntN(6) == 0 {
		arg = ""
	}
	switch g.IntN(20) {
	case 0, 1, 2, 3, 4, 5:
		return g.text()
	case 6, 7:
		return "\r\n"
	case 8:
		return g.pick("\r", "\n", "\b", "\b\b\b", "\t", "\t\t", "\v", "\x00")
	case 9, 10:
		return "\x1b[" + arg + g.pick("A", "B", "C", "D", "E", "F", "G", "d", "`")
	case 11:
		return fmt.Sprintf("\x1b[%d;%d%s", g.IntN(g.rows+2), g.IntN(g.cols+2), g.pick("H", "f"))
	case 12:
		return "\x1b[" + g.pick("", "0", "1", "2") + "K"
	case 13:
		return "\x1b[" + arg + g.pick("X", "@", "P", "L", "M")
	case 14:
		return "\x1b[" + g.pick("", "1", "2", "3") + g.pick("S", "T")
	case 15:
		return g.pick("\x1b7", "\x1b8", "\x1b[s", "\x1b[u", "\x1bD", "\x1bE", "\x1bM", "\x1bM")
	case 16:
		return g.pick("\x1b[31m", "\x1b[0;1m", "\x1b[m", "\x1b]0;title\a", "\x1b]8;;http://x\x1b\\", "\x1bPq#1\x1b\\", "\x1b_x\x1b\\", "\x1bkname\x1b\\", "\x1b[38:2::1:2:3m", "\x1b[>0q", "\x1b[?25l", "\x1b[>1;2")
	case 17:
		return g.pick("\x1b[4h", "\x1b[4l", "\x1b[4l", "\x1b[?7l", "\x1b[?7h", "\x1b[?7h", "\x1b[?6h", "\x1b[?6l", "\x1b(0", "\x1b(B", "\x1b(B", "\x0e", "\x0f", "\x1b)0")
	case 18:
		if g.IntN(2) == 0 {
			return "\x1b[r"
		}
		return fmt.Sprintf("\x1b[%d;%dr", g.IntN(g.rows+1), g.IntN(g.rows+2))
	default:
		return g.pick("x\x1b["+arg+"b", "\x1bH", "\x1b[g", "\x1b[3g", "\x1b["+arg+"Z", "\t", "\x1b[1J", "\x1b[5;5H\x1b[J")
	}
}

func (g generator) program() []string {
	tokens := make([]string, 1+g.IntN(120))
	for i := range tokens {
		tokens[i] = g.token()
	}
	return tokens
}

// differ renders a program both ways and describes the difference, if any.
func differ(s *tmuxScreen, tokens []string) string {
	p := []byte(strings.Join(tokens, ""))
	want, wantAt := s.render(p)
	got, gotAt := ours(p, s.cols, s.rows)
	if strings.Join(got, "\n") == strings.Join(want, "\n") && gotAt == wantAt {
		return ""
	}
	return fmt.Sprintf("%q\ngot at %s\n%s$\nwant at %s\n%s$", tokens, gotAt, strings.Join(got, "$\n"), wantAt, strings.Join(want, "$\n"))
}

// shrink removes tokens as long as fails has something to say.
func shrink(tokens []string, fails func([]string) string) []string {
	for n := len(tokens) / 2; n > 0; {
		shorter := false
		for i := 0; i+n <= len(tokens); {
			if less := append(append([]string(nil), tokens[:i]...), tokens[i+n:]...); fails(less) != "" {
				tokens, shorter = less, true
			} else {
				i += n
			}
		}
		if !shorter || n > 1 {
			n /= 2
		}
	}
	return tokens
}

// TestRendersAsTmux holds the renderer against what tmux itself shows.
func TestRendersAsTmux(t *testing.T) {
	for _, size := range [][2]int{{20, 6}, {37, 11}} {
		s := newTmuxScreen(t, size[0], size[1])
		failed := 0
		for seed := range programs() {
			g := generator{rand.New(rand.NewPCG(seed, 1)), size[0], size[1]}
			tokens := g.program()
			if differ(s, tokens) == "" {
				continue
			}
			t.Errorf("%dx%d, seed %d: %s", size[0], size[1], seed, differ(s, shrink(tokens, func(t []string) string { return differ(s, t) })))
			if failed++; failed == 5 {
				break
			}
		}
	}
}

// programs is how many programs are tried; SHAPE_PROGRAMS asks for more.
func programs() uint64 {
	if n, err := strconv.ParseUint(os.Getenv("SHAPE_PROGRAMS"), 10, 32); err == nil {
		return n
	}
	return 100
}

// TestWidthsAsTmux: characters of the scripts and symbols that programs print
// take as many columns as in tmux. Each is printed over "zzz".
func TestWidthsAsTmux(t *testing.T) {
	s := newTmuxScreen(t, 20, 6)
	var p bytes.Buffer
	var chars []rune
	for _, block := range [][2]rune{
		{0xa0, 0x17f}, {0x300, 0x36f}, {0x391, 0x3a1}, {0x3a3, 0x44f}, {0x5d0, 0x5ea}, {0x621, 0x655}, {0x904, 0x94d}, {0xe01, 0xe3a}, {0xe3f, 0xe4e},
		{0x1100, 0x115f}, {0x2010, 0x2027}, {0x2030, 0x205e}, {0x20a0, 0x20bf}, {0x2100, 0x214f}, {0x2190, 0x23ff}, {0x2460, 0x26ff},
		{0x2701, 0x27bf}, {0x27e6, 0x28ff}, {0x2b00, 0x2b5f}, {0x3000, 0x3029}, {0x3041, 0x3096}, {0x309b, 0x30ff}, {0x4e00, 0x4e7f}, {0xac00, 0xac7f},
		{0xf900, 0xf91f}, {0xfe30, 0xfe4f}, {0xff01, 0xff60}, {0xffe0, 0xffe6}, {0x1f300, 0x1f64f}, {0x1f680, 0x1f6c5}, {0x1f910, 0x1f9ff}, {0x20000, 0x2001f},
	} {
		for c := block[0]; c <= block[1]; c++ {
			if c != 0xad { // the soft hyphen's width has changed between versions
				chars = append(chars, c)
				fmt.Fprintf(&p, "zzz\r%c\r\n", c)
			}
		}
	}
	want, _ := s.render(p.Bytes())
	got, _ := ours(p.Bytes(), s.cols, s.rows)
	if len(got) != len(chars) || len(want) != len(chars) {
		t.Fatalf("%d lines and tmux's %d for %d characters", len(got), len(want), len(chars))
	}
	for i, c := range chars {
		if got[i] != want[i] {
			t.Errorf("%U %c: %q, tmux %q", c, c, got[i], want[i])
		}
	}
}
