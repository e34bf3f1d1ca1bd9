package tmuxio

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
)

func TestCreateWindowColdAndWarm(t *testing.T) {
	s := newServer(t)
	file := filepath.Join(t.TempDir(), "umask")
	before := syscall.Umask(0o027)
	defer syscall.Umask(before)
	cold := create(t, s, WindowSpec{Name: "one", Argv: []string{"/bin/sh", "-c", "umask >" + ShellQuote(file) + "; pwd; exec sleep 1000"}})
	if now := syscall.Umask(0o027); now != 0o027 {
		t.Errorf("our umask became %o", now)
	}
	warm := create(t, s, WindowSpec{
		Name: "two", Argv: []string{"sleep", "1000"}, Cols: 100, Rows: 30,
		Options: map[string]string{"@a": "-x;", "@b": ""},
	})
	if cold.ServerPID != warm.ServerPID || cold.ServerStart != warm.ServerStart || cold.ServerStart == 0 || cold.PaneID == warm.PaneID || cold.PanePID == warm.PanePID {
		t.Errorf("cold %+v\nwarm %+v", cold, warm)
	}
	if st, err := os.Stat(warm.TTY); err != nil || st.Mode()&os.ModeCharDevice == 0 {
		t.Errorf("tty %q: %v, %v", warm.TTY, st, err)
	}
	panes, err := s.Panes(testContext(t))
	if err != nil || len(panes) != 2 {
		t.Fatalf("panes: %+v, %v", panes, err)
	}
	for i, want := range []Pane{
		{ID: cold.PaneID, WindowID: cold.WindowID, Name: "one", PID: cold.PanePID, Width: 200, Height: 50},
		{ID: warm.PaneID, WindowID: warm.WindowID, Name: "two", PID: warm.PanePID, Width: 100, Height: 30},
	} {
		got := panes[i]
		if got.ID != want.ID || got.WindowID != want.WindowID || got.Name != want.Name || got.PID != want.PID || got.Width != want.Width || got.Height != want.Height || got.ServerPID != cold.ServerPID {
			t.Errorf("pane %d is %+v, want %+v", i, got, want)
		}
		if got.Dead || got.PipeOn || got.InMode || got.InputOff || got.Touched || got.Attached != 0 || got.AltScreen {
			t.Errorf("pane %d is %+v", i, got)
		}
	}
	eventually(t, "name of the program", func() bool { return paneOf(t, s, warm.PaneID).CurrentCommand == "sleep" })
	if got := run(t, s, "display-message", "-p", "-t", warm.PaneID, "#{@a}|#{@b}|#{window_name}|#{session_name}"); got != "-x;||two|pairmux" {
		t.Errorf("options: %q", got)
	}
	eventually(t, "umask and directory", func() bool { return screen(t, s, cold.PaneID).Lines[0] == "/" })
	if got := fileNumber(t, file); got != 77 {
		t.Errorf("the server has umask %d", got)
	}
}

// An index wins over a name where tmux takes either.
func TestNamesThatLookLikeIndexes(t *testing.T) {
	s := newServer(t)
	want := map[string]string{}
	for _, name := range []string{"3", "1", "0", "2", "t", "-", "1"} {
		w := create(t, s, WindowSpec{Name: name, Argv: []string{"sleep", "1000"}})
		want[w.PaneID] = name
	}
	// A hole among the indexes.
	if err := s.KillPane(testContext(t), "%2"); err != nil {
		t.Fatal(err)
	}
	delete(want, "%2")
	w := create(t, s, WindowSpec{Name: "4", Argv: []string{"sleep", "1000"}})
	want[w.PaneID] = "4"
	panes, err := s.Panes(testContext(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range panes {
		if p.Name != want[p.ID] {
			t.Errorf("pane %s is called %q, want %q", p.ID, p.Name, want[p.ID])
		}
		delete(want, p.ID)
	}
	if len(want) != 0 {
		t.Errorf("missing: %v", want)
	}
}

func TestOneWordArgvNeedsNoShell(t *testing.T) {
	s := newServer(t)
	program := filepath.Join(t.TempDir(), "a program; with 'quotes'")
	if err := os.WriteFile(program, []byte("#!/bin/sh\necho \"run as $0\"\nexec sleep 1000\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	w := create(t, s, WindowSpec{Name: "a", Argv: []string{program}})
	eventually(t, "output", func() bool {
		return strings.HasPrefix(strings.Join(screen(t, s, w.PaneID).Lines, ""), "run as "+program)
	})
}

func TestConcurrentColdCreation(t *testing.T) {
	s := newServer(t)
	ctx := testContext(t)
	const n = 12
	windows := make([]Window, n)
	errs := make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			windows[i], errs[i] = s.CreateWindow(ctx, WindowSpec{Name: fmt.Sprint("w", i), Argv: []string{"sleep", "1000"}})
		})
	}
	wg.Wait()
	for i := range n {
		if errs[i] != nil {
			t.Fatal(errs[i])
		}
		if p := paneOf(t, s, windows[i].PaneID); p.Name != fmt.Sprint("w", i) {
			t.Errorf("window %d is called %q", i, p.Name)
		}
		if windows[i].ServerPID != windows[0].ServerPID {
			t.Errorf("two servers: %d and %d", windows[i].ServerPID, windows[0].ServerPID)
		}
	}
	if got := run(t, s, "list-sessions", "-F", "#{session_name} #{session_windows}"); got != "pairmux 12" {
		t.Errorf("sessions: %q", got)
	}
}

// The server ends with its last window; a creation at that moment starts it
// anew.
func TestCreationRacesTheLastExit(t *testing.T) {
	s := newServer(t)
	ctx := testContext(t)
	last := create(t, s, WindowSpec{Name: "a", Argv: []string{"sleep", "1000"}})
	for round := range 15 {
		var wg sync.WaitGroup
		wg.Go(func() { s.KillPane(ctx, last.PaneID) })
		w, err := s.CreateWindow(ctx, WindowSpec{Name: "a", Argv: []string{"sleep", "1000"}})
		wg.Wait()
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		// The kill may have hit the new server's pane of the same id.
		panes, err := s.Panes(ctx)
		if err != nil || len(panes) > 1 {
			t.Fatalf("round %d: %+v, %v", round, panes, err)
		}
		last = w
	}
}

// The pipe is there before the pane's first byte.
func TestPipeGetsTheFirstByte(t *testing.T) {
	s := newServer(t)
	for i := range 8 {
		log := filepath.Join(t.TempDir(), "log")
		create(t, s, WindowSpec{
			Name: "a", Argv: []string{"/bin/sh", "-c", "printf first; echo last; exec sleep 1000"},
			PipeCmd: "exec cat >" + ShellQuote(log),
		})
		var got []byte
		eventually(t, "output in the pipe", func() bool {
			got, _ = os.ReadFile(log)
			return strings.HasSuffix(string(got), "last\r\n")
		})
		if string(got) != "firstlast\r\n" {
			t.Fatalf("round %d: the pipe got %q", i, got)
		}
	}
}

func TestPanesWithoutServerAndWithoutSession(t *testing.T) {
	s := newServer(t)
	if panes, err := s.Panes(testContext(t)); err != nil || len(panes) != 0 {
		t.Errorf("no server: %v, %v", panes, err)
	}
	// Only someone else's session, and a server without any.
	run(t, s, "start-server", ";", "set", "-g", "exit-empty", "off", ";", "new-session", "-d", "-s", "other", "--", "sleep", "1000")
	if panes, err := s.Panes(testContext(t)); err != nil || len(panes) != 0 {
		t.Errorf("other session: %v, %v", panes, err)
	}
	run(t, s, "kill-session", "-t", "=other:")
	if panes, err := s.Panes(testContext(t)); err != nil || len(panes) != 0 {
		t.Errorf("no session: %v, %v", panes, err)
	}
}

// A human may split, rename and move.
func TestPanesKnowsOursAmongAHumans(t *testing.T) {
	s := newServer(t)
	w := create(t, s, WindowSpec{Name: "a", Argv: []string{"sleep", "1000"}})
	run(t, s, Chain(
		[]string{"split-window", "-d", "-t", w.PaneID, "--", "sleep", "1000"},
		[]string{"rename-window", "-t", w.PaneID, "mine"},
		[]string{"new-session", "-d", "-t", "=pairmux", "-s", "second"},
		[]string{"rename-session", "-t", "=pairmux", "renamed"},
	)...)
	second := create(t, s, WindowSpec{Name: "b", Argv: []string{"sleep", "1000"}})
	panes, err := s.Panes(testContext(t))
	if err != nil || len(panes) != 2 || panes[0].Name == panes[1].Name {
		t.Fatalf("panes: %+v, %v", panes, err)
	}
	for _, p := range panes {
		if want := map[string]string{w.PaneID: "a", second.PaneID: "b"}[p.ID]; p.Name != want {
			t.Errorf("pane %s is called %q, want %q", p.ID, p.Name, want)
		}
	}
}

func TestKillPane(t *testing.T) {
	s := newServer(t)
	w := create(t, s, WindowSpec{Name: "a", Argv: []string{"sleep", "1000"}})
	create(t, s, WindowSpec{Name: "b", Argv: []string{"sleep", "1000"}})
	if err := s.KillPane(testContext(t), w.PaneID); err != nil {
		t.Fatal(err)
	}
	wantErr(t, s.KillPane(testContext(t), w.PaneID), ErrNoTarget)
}
