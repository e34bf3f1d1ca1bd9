package tmuxio

import (
	"strings"
	"testing"
)

func TestCapture(t *testing.T) {
	s := newServer(t)
	w := create(t, s, WindowSpec{
		Name: "a", Cols: 40, Rows: 10,
		Argv: []string{"/bin/sh", "-c", `printf 'one  \nä漢😀\n\033[1mbold\033[0m\n\n  x'; exec sleep 1000`},
	})
	eventually(t, "screen", func() bool { return screen(t, s, w.PaneID).CursorX == 3 })
	got := screen(t, s, w.PaneID)
	want := []string{"one", "ä漢😀", "bold", "", "  x", "", "", "", "", ""}
	if strings.Join(got.Lines, "|") != strings.Join(want, "|") {
		t.Errorf("lines: %q", got.Lines)
	}
	if got.CursorX != 3 || got.CursorY != 4 || got.Width != 40 || got.Height != 10 || got.AltScreen {
		t.Errorf("facts: %+v", got)
	}
	_, err := s.Capture(testContext(t), "%99")
	wantErr(t, err, ErrNoTarget)

	w = create(t, s, WindowSpec{Name: "c", Cols: 40, Rows: 10, Argv: []string{"/bin/sh", "-c", `printf '\033(0lqk\033(B \033[1;31;48;5;17m\033(0x\033(B  \033[0m\033]8;;http://a/\033\\link\033]8;;\033\\ .'; exec sleep 1000`}})
	eventually(t, "lines", func() bool { return screen(t, s, w.PaneID).CursorX == 13 })
	if got := screen(t, s, w.PaneID).Lines[0]; got != "┌─┐ │  link ." {
		t.Errorf("graphics: %q", got)
	}

	w = create(t, s, WindowSpec{Name: "b", Argv: []string{"/bin/sh", "-c", `printf 'below\033[?1049hon top'; exec sleep 1000`}})
	eventually(t, "alternate screen", func() bool { return screen(t, s, w.PaneID).AltScreen })
}

func TestPlainRow(t *testing.T) {
	for _, tc := range []struct{ in, want string }{
		{"plain ä", "plain ä"},
		{"\x1b[1ma\x1b[38;5;3mb\x1b[0m", "ab"},
		{"\x0e`afgjklmnopqrstuvwxyz{|}~\x0f`~", "◆▒°±┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·`~"},
		{"\x0e1 A\x0f", "1 A"},
		{"\x1b]8;;u\x1b\\l\x1b]8;;\x1b\\.", "l."},
		{"a\x1b", "a"}, {"a\x1b[", "a"}, {"a\x1b[12", "a"}, {"a\x1b]8;", "a"}, {"a\x1bcb", "ab"},
	} {
		if got := plainRow(tc.in); got != tc.want {
			t.Errorf("plainRow(%q) is %q, want %q", tc.in, got, tc.want)
		}
	}
}
