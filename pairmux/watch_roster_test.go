package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/pairmux/pairmux/detect"
	"github.com/pairmux/pairmux/envelope"
	"github.com/pairmux/pairmux/journal"
)

// rosterIn is a roster of an empty state directory and a maker of terminals
// whose pane is this process, or nobody.
func rosterIn(t *testing.T) (*roster, func(name string, change func(*journal.Meta)) *journal.Journal) {
	t.Helper()
	t.Setenv("TMUX_TMPDIR", t.TempDir())
	env, problem := newEnvironment(map[string]string{"state-dir": t.TempDir()})
	if problem != nil {
		t.Fatal(problem.reply.Error.Message)
	}
	start, _, _ := detect.Process(os.Getpid())
	return newRoster(env, time.Hour), func(name string, change func(*journal.Meta)) *journal.Journal {
		t.Helper()
		m := journal.Meta{
			Name: name, Kind: kindProgram, Mode: string(envelope.ModeSentinel), Cmd: "run " + name, Size: "80x24",
			PanePID: os.Getpid(), PaneStart: start, ServerPID: os.Getpid(), ServerStart: start,
		}
		if change != nil {
			change(&m)
		}
		j, err := journal.Create(filepath.Join(journal.Namespace(env.root, env.endpoint), name), m)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = j.Close() })
		return j
	}
}

func buried(m *journal.Meta) { m.PanePID, m.CreatedAt = 0, time.Now().Add(-time.Hour) }

// rosterText is the roster after a round, a word a row.
func rosterText(t *testing.T, r *roster) string {
	t.Helper()
	if _, err := r.round(context.Background()); err != nil {
		t.Fatal(err)
	}
	var words []string
	for _, row := range r.rows() {
		words = append(words, row.Name+":"+string(row.Status))
	}
	return strings.Join(words, " ")
}

func TestRosterFollowsWhatComesAndGoes(t *testing.T) {
	r, create := rosterIn(t)
	want := func(want string) {
		t.Helper()
		if got := rosterText(t, r); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	want("")
	create("b", nil)
	a := create("a", buried)
	want("b:running a:dead")
	create("c", nil)
	want("b:running c:running a:dead")

	// The name used again is another terminal.
	if err := journal.Retire(a.Dir()); err != nil {
		t.Fatal(err)
	}
	create("a", nil)
	want("a:running b:running c:running")

	// Gone altogether.
	if err := os.RemoveAll(a.Dir()); err != nil {
		t.Fatal(err)
	}
	want("b:running c:running")
}

// A terminal whose journal is there and whose pane is not yet known.
func TestRosterWaitsForATerminalInTheMaking(t *testing.T) {
	r, create := rosterIn(t)
	j := create("new", func(m *journal.Meta) { m.PanePID = 0 })
	if got := rosterText(t, r); got != "new:unknown" {
		t.Fatal(got)
	}
	if err := j.UpdateMeta(func(m *journal.Meta) { m.PanePID = os.Getpid(); m.PaneStart = 0 }); err != nil {
		t.Fatal(err)
	}
	if !until(10*time.Second, func() bool { return rosterText(t, r) == "new:running" }) {
		t.Error(rosterText(t, r))
	}
}

// Where nothing happens nothing is looked at, and an event is seen at once
// whatever the interval.
func TestRosterLooksOnlyAtWhatChanged(t *testing.T) {
	r, create := rosterIn(t)
	create("quiet", buried)
	j := create("other", buried)
	rosterText(t, r)
	for _, e := range r.entries {
		e.due = time.Now().Add(time.Hour)
	}
	for range 4 {
		if changed, err := r.round(context.Background()); changed || err != nil {
			t.Errorf("changed %v, %v", changed, err)
		}
	}
	if err := j.Append(journal.Event{Type: journal.Note, Text: "look"}); err != nil {
		t.Fatal(err)
	}
	for seen := 0; ; seen++ {
		changed, err := r.round(context.Background())
		if changed {
			break
		}
		if err != nil || seen == 1 {
			t.Fatalf("not seen in two rounds after a note, %v", err)
		}
	}
	rows := r.rows()
	if rows[0].Name != "other" || rows[0].Notes != 1 || rows[0].notes[0] != "look" || rows[1].Notes != 0 {
		t.Errorf("%+v", rows)
	}
}

// The more terminals run in silence, the less often each is looked at.
func TestSilentLooksAreBounded(t *testing.T) {
	r, _ := rosterIn(t)
	for range 200 {
		e := &watched{}
		e.row.Status = envelope.StatusRunning
		r.entries = append(r.entries, e)
	}
	if looks := 200 * float64(r.every) / float64(r.every+r.every*time.Duration(r.work())/silentWork); looks*runningWork > silentWork {
		t.Errorf("%.1f looks an interval", looks)
	}
}

// The rows that need a human are first, those that need nobody last.
func TestWhoNeedsYouIsFirst(t *testing.T) {
	r, _ := rosterIn(t)
	add := func(name string, status envelope.Status, kind envelope.PromptKind) {
		e := &watched{name: name}
		e.row.Name, e.row.Status = name, status
		if kind != "" {
			e.row.prompt = &envelope.Prompt{Kind: kind}
		}
		r.entries = append(r.entries, e)
	}
	add("a", envelope.StatusDead, "")
	add("b", envelope.StatusIdle, "")
	add("c", envelope.StatusRunning, "")
	add("d", envelope.StatusUnknown, "")
	add("e", envelope.StatusAwaitingInput, envelope.KindPager)
	add("f", envelope.StatusAwaitingInput, envelope.KindSecret)
	add("g", envelope.StatusAwaitingInput, envelope.KindConfirm)
	names := ""
	for _, row := range r.rows() {
		names += row.Name
	}
	if names != "fegdcba" {
		t.Error(names)
	}
}

// A journal that cannot be read makes its row unknown and hides no other.
func TestRosterShowsWhatCannotBeRead(t *testing.T) {
	r, create := rosterIn(t)
	create("good", buried)
	bad := create("newer", nil)
	if err := os.WriteFile(filepath.Join(bad.Dir(), "meta.json"), []byte(`{"format":99}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := rosterText(t, r); got != "newer:unknown good:dead" {
		t.Error(got)
	}
}

// A human's terminal is left alone by every start: a library that asks tmux
// for its colours would hang with it.
func TestStartRunsNoTmux(t *testing.T) {
	dir, err := os.MkdirTemp("/tmp", "pm")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	fake := "#!/bin/sh\necho \"$*\" >>" + dir + "/called\n"
	if err := os.WriteFile(filepath.Join(dir, "tmux"), []byte(fake), 0o755); err != nil {
		t.Fatal(err)
	}
	script := "export PATH=" + dir + ":$PATH TMUX=" + dir + "/socket,1,0 TERM=tmux-256color\nunset COLORTERM NO_COLOR\n" +
		"tmux proof; for c in version help 'history x' 'watch --interval 0' 'log x'; do " + binary + " --state-dir " + dir + "/state $c; done; test -t 1 && echo tty; echo end >" + dir + "/done\n"
	if err := os.WriteFile(filepath.Join(dir, "script"), []byte(script), 0o644); err != nil {
		t.Fatal(err)
	}
	desk := startDesk(t, 80, 40, "sh "+dir+"/script; exec cat")
	desk.shows(t, "^tty$")
	if !until(10*time.Second, func() bool { _, err := os.Stat(dir + "/done"); return err == nil }) {
		t.Fatal("never ended")
	}
	called, err := os.ReadFile(dir + "/called")
	if err != nil || string(called) != "proof\n" {
		t.Errorf("tmux was called: %s %v", called, err)
	}
}

// A desk is a human's terminal: the pane of a tmux server of its own.
type desk struct{ dir string }

func startDesk(t *testing.T, cols, lines int, command string) *desk {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "pm")
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{dir}
	t.Cleanup(func() {
		d.tmux("kill-server")
		os.RemoveAll(dir)
	})
	if out, err := d.tmux("new-session", "-d", "-x", itoa(int64(cols)), "-y", itoa(int64(lines)), command); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	return d
}

func (d *desk) tmux(args ...string) (string, error) {
	cmd := exec.Command("tmux", append([]string{"-u", "-f", "/dev/null", "-L", "human"}, args...)...)
	cmd.Env = []string{"TMUX_TMPDIR=" + d.dir, "HOME=" + d.dir, "PATH=" + os.Getenv("PATH"), "LC_ALL=C.UTF-8", "TERM=xterm-256color", "SHELL=/bin/sh"}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (d *desk) screen() string {
	out, _ := d.tmux("capture-pane", "-p")
	return out
}

func (d *desk) key(keys ...string) { _, _ = d.tmux(append([]string{"send-keys", "--"}, keys...)...) }

func (d *desk) shows(t *testing.T, pattern string) {
	t.Helper()
	re := regexp.MustCompile("(?m)" + pattern)
	if !until(10*time.Second, func() bool { return re.MatchString(d.screen()) }) {
		t.Fatalf("the screen never showed %q:\n%s", pattern, d.screen())
	}
}

// 200 terminals on a real screen: the list scrolls, and what is not shown any
// more leaves nothing behind.
func TestWatchManyTerminals(t *testing.T) {
	r, create := rosterIn(t)
	for i := range 200 {
		create(fmt.Sprintf("t%03d", i), buried)
	}
	d := startDesk(t, 90, 24, "exec env TMUX_TMPDIR="+os.Getenv("TMUX_TMPDIR")+" "+binary+" --state-dir "+r.env.root+" watch")
	d.shows(t, `CMD +1-10 of 200$`)
	d.shows(t, "^>xx t000 ")
	d.key("End")
	d.shows(t, `CMD +191-200 of 200$`)
	d.shows(t, "^>xx t199 ")
	d.shows(t, "^── t199  dead ")
	d.key("PPage")
	d.shows(t, `^>xx t190 `)
	d.key("Home")
	d.shows(t, "^── t000  dead ")
	if got := strings.Count(d.screen(), "xx t0"); got != 10 {
		t.Errorf("%d rows:\n%s", got, d.screen())
	}
	d.tmux("resize-window", "-x", "50", "-y", "40")
	d.shows(t, `1-18 of 200$`)
}
