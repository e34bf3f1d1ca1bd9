package tmuxio

import (
	"context"
	"strings"
)

// A Screen is what a pane shows.
type Screen struct {
	Lines            []string // one a row, without colours and trailing blanks
	CursorX, CursorY int      // from 0
	Width, Height    int
	AltScreen        bool
}

// Capture takes the pane's viewport. In copy mode it is the live screen, not
// what the human scrolled to. A missing pane is [ErrNoTarget].
func (s *Server) Capture(ctx context.Context, pane string) (Screen, error) {
	out, err := s.Run(ctx, Chain(
		[]string{"display-message", "-p", "-t", pane, "#{cursor_x}\t#{cursor_y}\t#{pane_width}\t#{pane_height}\t#{alternate_on}"},
		// Only with -e does it say which letters stand for lines.
		[]string{"capture-pane", "-p", "-e", "-t", pane},
	)...)
	if err != nil {
		return Screen{}, err
	}
	facts, rows, _ := strings.Cut(out, "\n")
	f := strings.Split(facts, "\t")
	if len(f) != 5 {
		return Screen{}, &Error{Op: "capture-pane", Stderr: facts, Err: ErrNoTarget}
	}
	lines := strings.Split(strings.TrimSuffix(rows, "\n"), "\n")
	for i, row := range lines {
		lines[i] = strings.TrimRight(plainRow(row), " ")
	}
	return Screen{
		Lines:   lines,
		CursorX: number(f[0]), CursorY: number(f[1]),
		Width: number(f[2]), Height: number(f[3]), AltScreen: f[4] == "1",
	}, nil
}

// plainRow takes the colours and links out of a captured row and draws the
// lines of the VT100's graphics set, between SO and SI, with the characters
// that the terminal showed.
func plainRow(row string) string {
	if !strings.ContainsAny(row, "\x1b\x0e") {
		return row
	}
	var b strings.Builder
	graphics := false
	for i := 0; i < len(row); i++ {
		switch c := row[i]; {
		case c == 0x1b:
			i += escapeLen(row[i:]) - 1
		case c == 0x0e:
			graphics = true
		case c == 0x0f:
			graphics = false
		case graphics && c >= '`' && c <= '~':
			b.WriteRune([]rune("◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·")[c-'`'])
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// escapeLen is the length of the escape sequence that s begins with: CSI, OSC,
// or two bytes.
func escapeLen(s string) int {
	if len(s) < 2 {
		return len(s)
	}
	switch s[1] {
	case '[':
		for i := 2; i < len(s); i++ {
			if s[i] >= '@' && s[i] <= '~' {
				return i + 1
			}
		}
		return len(s)
	case ']':
		if end := strings.Index(s, "\x1b\\"); end >= 0 {
			return end + 2
		}
		return len(s)
	}
	return 2
}
