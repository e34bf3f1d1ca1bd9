package tmuxio

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestTypedTextArrivesExactly(t *testing.T) {
	s := newServer(t)
	k := newSink(t, s, "a")
	for _, text := range hostile {
		r := typeAndReport(t, s, TypeSpec{Pane: k.PaneID, Name: "a", ServerPID: k.ServerPID, Text: []byte(text), Enter: true})
		k.got(t, text+"\r")
		if !r.Typed || r.Refused || r.Late || r.Dead || r.CurrentCommand != "cat" || r.PanePID != k.PanePID || r.Width != 200 || r.Height != 50 || r.CursorX != 5 {
			t.Errorf("report of %q: %+v", text, r)
		}
	}
	var all []byte
	for i := range 256 {
		all = append(all, byte(i))
	}
	typeAndReport(t, s, TypeSpec{Pane: k.PaneID, Text: all})
	k.got(t, string(all))
	typeAndReport(t, s, TypeSpec{Pane: k.PaneID, Text: all[1:]})
	k.got(t, string(all[1:]))
	typeAndReport(t, s, TypeSpec{Pane: k.PaneID, Text: []byte("y"), Keys: []string{"Up", "C-c", "M-;"}, Enter: true})
	k.got(t, "y\x1b[A\x03\x1b;\r")
}

// Around the size of a message, and far above it.
func TestTextOfAnySize(t *testing.T) {
	s := newServer(t)
	k := newSink(t, s, "a")
	for _, n := range []int{15000, 15300, 15500, 15700, 15999, 16000, 16001, 17000, 100 << 10} {
		text := strings.Repeat("0123456'; ä\n", n/12+1)[:n-1] + ";"
		r := typeAndReport(t, s, TypeSpec{Pane: k.PaneID, Text: []byte(text), Keys: []string{"Tab"}, Enter: true})
		k.got(t, text+"\t\r")
		if !r.Typed {
			t.Errorf("%d bytes: %+v", n, r)
		}
	}
	if got := run(t, s, "list-buffers"); got != "" {
		t.Errorf("left behind: %q", got)
	}
}

func TestBracketedPasteIsForWhoAsksForIt(t *testing.T) {
	s := newServer(t)
	k := newSink(t, s, "a")
	typeAndReport(t, s, TypeSpec{Pane: k.PaneID, Text: []byte("a\nb"), Bracketed: true, Enter: true})
	k.got(t, "a\nb\r")
	file := filepath.Join(t.TempDir(), "got")
	w := create(t, s, WindowSpec{Name: "b", Argv: []string{"/bin/sh", "-c", `stty raw -echo; printf '\033[?2004hready'; exec cat >"$0"`, file}})
	eventually(t, "ready", func() bool { return screen(t, s, w.PaneID).Lines[0] == "ready" })
	k = &sink{Window: w, file: file}
	typeAndReport(t, s, TypeSpec{Pane: k.PaneID, Text: []byte("a\nb"), Bracketed: true, Enter: true})
	k.got(t, "\x1b[200~a\nb\x1b[201~\r")
	typeAndReport(t, s, TypeSpec{Pane: k.PaneID, Text: []byte(strings.Repeat("x", 20000))})
	k.got(t, strings.Repeat("x", 20000))
}

func TestCopyModeIsLeft(t *testing.T) {
	s := newServer(t)
	k := newSink(t, s, "a")
	for _, text := range []string{"short", strings.Repeat("x", 20000)} {
		run(t, s, "copy-mode", "-t", k.PaneID)
		r := typeAndReport(t, s, TypeSpec{Pane: k.PaneID, Text: []byte(text)})
		k.got(t, text)
		if !r.InMode || !r.Typed {
			t.Errorf("report: %+v", r)
		}
	}
	if paneOf(t, s, k.PaneID).InMode {
		t.Error("still in copy mode")
	}
}

func TestNothingIsTypedIntoADeadPane(t *testing.T) {
	s := newServer(t)
	w := create(t, s, WindowSpec{Name: "a", Argv: []string{"/bin/sh", "-c", "exit 3"}, Options: map[string]string{"remain-on-exit": "on"}})
	eventually(t, "dead pane", func() bool { return paneOf(t, s, w.PaneID).Dead })
	for _, text := range []string{"short", strings.Repeat("x", 20000)} {
		r := typeAndReport(t, s, TypeSpec{Pane: w.PaneID, Text: []byte(text), Enter: true, Repipe: "cat >/dev/null"})
		if !r.Dead || r.Typed || r.Repiped {
			t.Errorf("report: %+v", r)
		}
	}
	if got := run(t, s, "list-buffers"); got != "" {
		t.Errorf("left behind: %q", got)
	}
}

func TestDisabledInputIsReported(t *testing.T) {
	s := newServer(t)
	k := newSink(t, s, "a")
	run(t, s, "select-pane", "-d", "-t", k.PaneID)
	if r := typeAndReport(t, s, TypeSpec{Pane: k.PaneID, Text: []byte("lost")}); r.Typed || !r.InputOff {
		t.Errorf("report: %+v", r)
	}
	run(t, s, "select-pane", "-e", "-t", k.PaneID)
	run(t, s, "set", "-w", "-t", k.PaneID, "synchronize-panes", "on")
	if r := typeAndReport(t, s, TypeSpec{Pane: k.PaneID, Text: []byte("kept")}); !r.Typed || r.InputOff || !r.Sync {
		t.Errorf("report: %+v", r)
	}
	k.got(t, "kept")
}

func TestGuard(t *testing.T) {
	s := newServer(t)
	for i, tc := range []struct {
		shown string // by the program; then the cursor goes back by `back`
		back  int
		guard int
		typed bool
	}{
		{"$ ", 0, 2, true},
		{"$ ", 0, 1, false},
		{"$ ls", 0, 2, false},
		{"$ ls", 2, 2, false}, // Home: the column is right, but something is under the cursor
		{"$ ,", 1, 2, false},
		{"$ }", 1, 2, false},
		{"$ #", 1, 2, false},
		{"$  x", 2, 2, true}, // begins with a blank: not seen
		{"", 0, 0, true},
		{"ä漢> ", 0, 5, true},
	} {
		file := filepath.Join(t.TempDir(), "got")
		script := `stty raw -echo; printf '%s' "$1"; [ "$2" = 0 ] || printf '\033[%sD' "$2"; printf '\033[?1049h\033[?1049l'; exec cat >"$0"`
		w := create(t, s, WindowSpec{Name: "a", Argv: []string{"/bin/sh", "-c", script, file, tc.shown, strconv.Itoa(tc.back)}})
		eventually(t, "prompt", func() bool { _, err := os.Stat(file); return err == nil })
		want := len(strings.NewReplacer("ä", "x", "漢", "xx").Replace(tc.shown)) - tc.back
		eventually(t, "cursor", func() bool { return screen(t, s, w.PaneID).CursorX == want })
		k := &sink{Window: w, file: file}
		r := typeAndReport(t, s, TypeSpec{Pane: w.PaneID, Text: []byte("typed"), Guard: &Guard{CursorX: tc.guard}})
		if r.Typed != tc.typed || r.Refused == tc.typed || r.CursorX != want {
			t.Errorf("case %d %+v: %+v", i, tc, r)
		}
		big := strings.Repeat("x", 20000)
		if r := typeAndReport(t, s, TypeSpec{Pane: w.PaneID, Text: []byte(big), Guard: &Guard{CursorX: tc.guard}}); r.Typed != tc.typed {
			t.Errorf("case %d by buffer: %+v", i, r)
		}
		typeAndReport(t, s, TypeSpec{Pane: w.PaneID, Text: []byte(".")})
		if tc.typed {
			k.got(t, "typed"+big+".")
		} else {
			k.got(t, ".")
		}
	}
	if got := run(t, s, "list-buffers"); got != "" {
		t.Errorf("left behind: %q", got)
	}
}

// Ids begin anew with a new server, and a human can move panes.
func TestAnothersPaneIsLeftAlone(t *testing.T) {
	s := newServer(t)
	k := newSink(t, s, "a")
	run(t, s, "copy-mode", "-t", k.PaneID)
	for _, spec := range []TypeSpec{
		{Pane: k.PaneID, Name: "b"},
		{Pane: k.PaneID, Name: "a", ServerPID: k.ServerPID + 1},
		{Pane: k.PaneID, ServerPID: k.ServerPID + 1},
		{Pane: "%99", Name: "a"},
		{Pane: "%99"},
	} {
		for _, text := range []string{"stray", strings.Repeat("x", 20000)} {
			spec.Text, spec.ClearTouched, spec.Repipe = []byte(text), true, "cat >/dev/null"
			c, err := s.Type(spec)
			if err != nil {
				t.Fatal(err)
			}
			_, err = c.Report(testContext(t))
			wantErr(t, err, ErrNoTarget)
		}
	}
	if p := paneOf(t, s, k.PaneID); !p.InMode || p.PipeOn {
		t.Errorf("changed: %+v", p)
	}
	typeAndReport(t, s, TypeSpec{Pane: k.PaneID, Name: "a", ServerPID: k.ServerPID, Text: []byte(".")})
	k.got(t, ".")
}

// A server that was stopped does not type what its caller has given up.
func TestNotAfter(t *testing.T) {
	s := newServer(t)
	k := newSink(t, s, "a")
	if r := typeAndReport(t, s, TypeSpec{Pane: k.PaneID, Text: []byte("in time"), NotAfter: time.Now()}); !r.Typed || r.Late {
		t.Errorf("report: %+v", r)
	}
	k.got(t, "in time")

	if err := syscall.Kill(k.ServerPID, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	c, err := s.Type(TypeSpec{Pane: k.PaneID, Text: []byte("late"), NotAfter: time.Now().Add(-3 * time.Second)})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	_, err = c.Report(ctx)
	wantErr(t, err, ErrTimeout)
	syscall.Kill(k.ServerPID, syscall.SIGCONT)
	r := typeAndReport(t, s, TypeSpec{Pane: k.PaneID, Text: []byte("late"), Guard: &Guard{CursorX: 77}, NotAfter: time.Now().Add(-3 * time.Second)})
	if r.Typed || !r.Late || r.Refused {
		t.Errorf("report: %+v", r)
	}
	typeAndReport(t, s, TypeSpec{Pane: k.PaneID, Text: []byte(".")})
	k.got(t, ".")
}

func TestRepipe(t *testing.T) {
	s := newServer(t)
	dir := t.TempDir()
	pid := filepath.Join(dir, "pid")
	sinkTo := func(name string) string {
		return "echo $$ >" + ShellQuote(pid) + "; exec cat >" + ShellQuote(filepath.Join(dir, name))
	}
	w := create(t, s, WindowSpec{Name: "a", Argv: []string{"cat"}})
	for _, tc := range []struct {
		file           string
		force, repiped bool
	}{{"100% #S", false, true}, {"second", false, false}, {"third", true, true}} {
		os.Remove(pid)
		r := typeAndReport(t, s, TypeSpec{Pane: w.PaneID, Text: []byte(tc.file), Enter: true, Repipe: sinkTo(tc.file), RepipeForce: tc.force})
		if r.Repiped != tc.repiped || !r.Typed {
			t.Errorf("%s: %+v", tc.file, r)
		}
		if !paneOf(t, s, w.PaneID).PipeOn {
			t.Errorf("%s: no pipe", tc.file)
		}
		if tc.repiped {
			// Armed before typing, so that the echo is in it.
			eventually(t, "echo in the pipe", func() bool {
				got, _ := os.ReadFile(filepath.Join(dir, tc.file))
				return strings.Contains(string(got), tc.file)
			})
		}
	}
}

// What two clients type at the same time does not mix.
func TestTypingIsAtomic(t *testing.T) {
	s := newServer(t)
	k := newSink(t, s, "a")
	const n = 10
	var calls []*Call
	for i := range n {
		text := strings.Repeat(string(rune('a'+i)), 200+i%2*20000)
		c, err := s.Type(TypeSpec{Pane: k.PaneID, Text: []byte(text), Keys: []string{"Tab"}, Enter: true})
		if err != nil {
			t.Fatal(err)
		}
		calls = append(calls, c)
	}
	for _, c := range calls {
		if r, err := c.Report(testContext(t)); err != nil || !r.Typed {
			t.Fatalf("%+v, %v", r, err)
		}
	}
	total := n*202 + n/2*20000
	var data []byte
	eventually(t, "all text", func() bool {
		data, _ = os.ReadFile(k.file)
		return len(data) >= total
	})
	for line := range strings.SplitSeq(strings.TrimSuffix(string(data), "\t\r"), "\t\r") {
		if line != strings.Repeat(line[:1], len(line)) {
			t.Fatalf("mixed: %.60q", line)
		}
	}
}
