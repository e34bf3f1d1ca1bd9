package tmuxio

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// A human is a tmux client on a terminal of its own.
type human struct {
	master *os.File
	pid    int
	mu     sync.Mutex
	seen   bytes.Buffer
	gone   chan struct{}
}

// attach starts what AttachCommand says on a new terminal of 80x24.
func attach(t *testing.T, s *Server, spec AttachSpec) *human {
	t.Helper()
	// Keys in one burst would be taken for a paste, in which none is a command.
	run(t, s, "set", "-g", "assume-paste-time", "0")
	argv, env := s.AttachCommand(spec)
	name := argv[slices.Index(argv, "-s")+1]
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	fd := int(master.Fd())
	unlock := 0
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, unlock); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	slave, err := os.OpenFile("/dev/pts/"+strconv.Itoa(n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer slave.Close()
	if err := unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 80}); err != nil {
		t.Fatal(err)
	}
	pid, err := syscall.ForkExec(argv[0], argv, &syscall.ProcAttr{
		Env:   env,
		Files: []uintptr{slave.Fd(), slave.Fd(), slave.Fd()},
		Sys:   &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 0},
	})
	if err != nil {
		t.Fatal(err)
	}
	h := &human{master: master, pid: pid, gone: make(chan struct{})}
	go func() {
		chunk := make([]byte, 4096)
		for {
			n, err := master.Read(chunk)
			h.mu.Lock()
			h.seen.Write(chunk[:n])
			h.mu.Unlock()
			if err != nil {
				break
			}
		}
		var ws syscall.WaitStatus
		syscall.Wait4(pid, &ws, 0, nil)
		close(h.gone)
	}()
	t.Cleanup(func() {
		select {
		case <-h.gone:
		default:
			syscall.Kill(pid, syscall.SIGKILL)
		}
		<-h.gone
		master.Close()
	})
	eventually(t, "attached client", func() bool {
		return strings.Contains(run(t, s, "list-clients", "-F", "#{client_session}\t"), name+"\t")
	})
	return h
}

func (h *human) screen() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.seen.String()
}

// wait waits for the client's end.
func (h *human) wait(t *testing.T) {
	t.Helper()
	eventually(t, "end of the client", func() bool {
		select {
		case <-h.gone:
			return true
		default:
			return false
		}
	})
}

func (h *human) press(t *testing.T, keys string) {
	t.Helper()
	if _, err := h.master.WriteString(keys); err != nil {
		t.Fatal(err)
	}
}

func paneSize(p Pane) string { return fmt.Sprintf("%dx%d", p.Width, p.Height) }

func wantSizes(t *testing.T, s *Server, want map[Window]string) {
	t.Helper()
	var got string
	defer func() {
		if t.Failed() {
			t.Logf("sizes: %s", got)
		}
	}()
	eventually(t, fmt.Sprint("sizes ", want), func() bool {
		got = ""
		ok := true
		for w, size := range want {
			p := paneOf(t, s, w.PaneID)
			got += fmt.Sprintf("%s %s, ", p.Name, paneSize(p))
			ok = ok && paneSize(p) == size
		}
		return ok
	})
}

// Only the window that a human looks at adapts, and it gets its size back.
func TestSizesFollowWhoLooks(t *testing.T) {
	s := newServer(t)
	a := create(t, s, WindowSpec{Name: "a", Argv: []string{"sleep", "1000"}})
	b := create(t, s, WindowSpec{Name: "b", Argv: []string{"sleep", "1000"}, Cols: 120, Rows: 40})
	leave := []func(*human){
		func(h *human) { h.press(t, "\x02d") },
		func(h *human) { syscall.Kill(h.pid, syscall.SIGKILL) },
		func(h *human) { syscall.Kill(h.pid, syscall.SIGHUP) },
	}
	for _, leave := range leave {
		h := attach(t, s, AttachSpec{PaneID: b.PaneID, WindowID: b.WindowID})
		wantSizes(t, s, map[Window]string{a: "200x50", b: "80x23"})
		c := create(t, s, WindowSpec{Name: "c", Argv: []string{"sleep", "1000"}})
		wantSizes(t, s, map[Window]string{a: "200x50", b: "80x23", c: "200x50"})
		h.press(t, "\x02p")
		wantSizes(t, s, map[Window]string{a: "80x23", b: "120x40", c: "200x50"})
		h.press(t, "\x02n")
		wantSizes(t, s, map[Window]string{a: "200x50", b: "80x23", c: "200x50"})
		leave(h)
		h.wait(t)
		wantSizes(t, s, map[Window]string{a: "200x50", b: "120x40", c: "200x50"})
		eventually(t, "end of the human's session", func() bool {
			return run(t, s, "list-sessions", "-F", "#{session_name}") == SessionName
		})
		if err := s.KillPane(testContext(t), c.PaneID); err != nil {
			t.Fatal(err)
		}
	}
}

func TestTwoHumansDoNotDragEachOther(t *testing.T) {
	s := newServer(t)
	a := create(t, s, WindowSpec{Name: "a", Argv: []string{"sleep", "1000"}})
	b := create(t, s, WindowSpec{Name: "b", Argv: []string{"sleep", "1000"}})
	c := create(t, s, WindowSpec{Name: "c", Argv: []string{"sleep", "1000"}})
	one := attach(t, s, AttachSpec{PaneID: a.PaneID, WindowID: a.WindowID})
	attach(t, s, AttachSpec{PaneID: b.PaneID, WindowID: b.WindowID})
	wantSizes(t, s, map[Window]string{a: "80x23", b: "80x23", c: "200x50"})
	if n, m := paneOf(t, s, a.PaneID).Attached, paneOf(t, s, b.PaneID).Attached; n != 1 || m != 1 {
		t.Errorf("%d look at a, %d at b", n, m)
	}
	one.press(t, "\x02d")
	one.wait(t)
	wantSizes(t, s, map[Window]string{a: "200x50", b: "80x23", c: "200x50"})
	attach(t, s, AttachSpec{PaneID: b.PaneID, WindowID: b.WindowID})
	eventually(t, "two at one window", func() bool { return paneOf(t, s, b.PaneID).Attached == 2 })
}

// The mark that a human could have typed: set by looking at the window, kept
// for as long as he looks, cleared only by who types.
func TestTouchedTellsWhoCouldHaveTyped(t *testing.T) {
	s := newServer(t)
	a, b := newSink(t, s, "a"), newSink(t, s, "b")
	look := func(k *sink) Report {
		return typeAndReport(t, s, TypeSpec{Pane: k.PaneID})
	}
	clear := func(k *sink) { typeAndReport(t, s, TypeSpec{Pane: k.PaneID, ClearTouched: true}) }
	if look(a).Touched || look(b).Touched {
		t.Fatal("touched by nobody")
	}
	h := attach(t, s, AttachSpec{PaneID: a.PaneID, WindowID: a.WindowID})
	if r := look(a); !r.Touched || r.Attached != 1 {
		t.Errorf("while a human looks: %+v", r)
	}
	if look(b).Touched {
		t.Error("b was never looked at")
	}
	clear(a)
	if !look(a).Touched {
		t.Error("cleared although a human looks")
	}
	h.press(t, "\x02n")
	eventually(t, "b touched", func() bool { return paneOf(t, s, b.PaneID).Touched })
	clear(a)
	if look(a).Touched {
		t.Error("not cleared although nobody looks")
	}
	h.press(t, "typed\x02d")
	h.wait(t)
	b.got(t, "typed")
	if r := look(b); !r.Touched || r.Attached != 0 {
		t.Errorf("after the human left: %+v", r)
	}
	clear(b)
	if look(b).Touched {
		t.Error("not cleared")
	}
	// From a split of his own a human reaches ours without another event.
	run(t, s, "split-window", "-t", a.PaneID, "--", "sleep", "1000")
	attach(t, s, AttachSpec{PaneID: a.PaneID, WindowID: a.WindowID})
	if !look(a).Touched {
		t.Error("not touched beside a split")
	}
}

// Leaving while the server does other things, and a read-only viewer beside
// another human, are where destroy-unattached crashed 3.3a.
func TestServerSurvivesComingAndGoing(t *testing.T) {
	s := newServer(t)
	a := create(t, s, WindowSpec{Name: "a", Argv: []string{"sleep", "1000"}})
	b := create(t, s, WindowSpec{Name: "b", Argv: []string{"sleep", "1000"}})
	viewer := attach(t, s, AttachSpec{PaneID: a.PaneID, WindowID: a.WindowID, ReadOnly: true})
	for range 6 {
		h := attach(t, s, AttachSpec{PaneID: a.PaneID, WindowID: a.WindowID})
		h.press(t, "\x02n\x02d")
		for range 4 {
			typeAndReport(t, s, TypeSpec{Pane: b.PaneID, Text: []byte("x"), ClearTouched: true})
		}
		h.wait(t)
		if got := paneOf(t, s, a.PaneID); got.ServerPID != a.ServerPID {
			t.Fatalf("another server: %+v", got)
		}
	}
	select {
	case <-viewer.gone:
		t.Error("the read-only viewer was thrown out")
	default:
	}
	viewer.press(t, "\x02d")
	viewer.wait(t)
	wantSizes(t, s, map[Window]string{a: "200x50", b: "200x50"})
	eventually(t, "end of the humans' sessions", func() bool {
		return run(t, s, "list-sessions", "-F", "#{session_name}") == SessionName
	})
}

func TestReadOnlyHumanCannotType(t *testing.T) {
	s := newServer(t)
	k := newSink(t, s, "a")
	h := attach(t, s, AttachSpec{PaneID: k.PaneID, WindowID: k.WindowID, ReadOnly: true})
	h.press(t, "not this")
	h.press(t, "\x02d")
	h.wait(t)
	typeAndReport(t, s, TypeSpec{Pane: k.PaneID, Text: []byte(".")})
	k.got(t, ".")
}

func TestAttachTakesTheUsersKeys(t *testing.T) {
	s := newServer(t)
	k := newSink(t, s, "a")
	keys := KeySettings{}
	for name, value := range map[string]string{"prefix": "C-a", "mode-keys": "vi", "status-keys": "vi", "mouse": "on", "escape-time": "17"} {
		keys.add(name, value)
	}
	h := attach(t, s, AttachSpec{PaneID: k.PaneID, WindowID: k.WindowID, Keys: keys})
	other := attach(t, s, AttachSpec{PaneID: k.PaneID, WindowID: k.WindowID})
	h.press(t, "\x02b\x01\x01") // C-b is a key like any other, C-a C-a sends one
	k.got(t, "\x02b\x01")
	if got := run(t, s, "show", "-gv", "mode-keys", ";", "show", "-sv", "escape-time", ";", "show", "-gv", "prefix"); got != "vi\n17\nC-b" {
		t.Errorf("options: %q", got)
	}
	h.press(t, "\x01d")
	h.wait(t)
	other.press(t, "\x02d")
	other.wait(t)
}

func TestDisplayMessageReachesEveryHuman(t *testing.T) {
	s := newServer(t)
	w := create(t, s, WindowSpec{Name: "a", Argv: []string{"cat"}})
	if err := s.DisplayMessage(testContext(t), "to nobody"); err != nil {
		t.Errorf("nobody attached: %v", err)
	}
	humans := []*human{
		attach(t, s, AttachSpec{PaneID: w.PaneID, WindowID: w.WindowID}),
		attach(t, s, AttachSpec{PaneID: w.PaneID, WindowID: w.WindowID}),
	}
	text := `a "b" 'c' #{session_name} #[fg=red] ##x %H $HOME {d}, } ; ä`
	if err := s.DisplayMessage(testContext(t), text+"\n\x1b"); err != nil {
		t.Fatal(err)
	}
	for i, h := range humans {
		eventually(t, fmt.Sprint("message on screen ", i), func() bool { return strings.Contains(h.screen(), text+"  ") })
	}
	typeAndReport(t, s, TypeSpec{Pane: w.PaneID, Text: []byte("x"), Notice: "the agent types;"})
	for i, h := range humans {
		eventually(t, fmt.Sprint("notice on screen ", i), func() bool { return strings.Contains(h.screen(), "the agent types;") })
	}
}
