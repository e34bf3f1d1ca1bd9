package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pairmux/pairmux/envelope"
)

var watchNoon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

func watchRows() []watchRow {
	row := func(name string, status envelope.Status, mode envelope.Mode, ago time.Duration, cmd string) watchRow {
		return watchRow{
			Terminal: envelope.Terminal{Name: name, Status: status, Mode: mode, Cmd: cmd},
			active:   watchNoon.Add(-ago),
		}
	}
	secret := row("deploy", envelope.StatusAwaitingInput, envelope.ModeHooks, 90*time.Second, "sudo make install")
	secret.prompt = &envelope.Prompt{Kind: envelope.KindSecret, Evidence: envelope.EvidenceTTY}
	build := row("build", envelope.StatusRunning, envelope.ModeHooks, 3*time.Second, "make -j8 all VERBOSE=1 CFLAGS='-O2 -g -Wall -Wextra' LDFLAGS=-static DESTDIR=/tmp/stage")
	build.LockPID = 22018
	build.Notes, build.notes = 2, []string{"use the staging token", "and hurry"}
	dead := row("old", envelope.StatusDead, envelope.ModeSentinel, 50*time.Hour, "")
	dead.ExitCode = envelope.Int(3)
	return []watchRow{
		secret, build,
		row("lost", envelope.StatusUnknown, "", time.Hour, ""),
		row("dev", envelope.StatusIdle, envelope.ModeHooks, 0, ""),
		dead,
	}
}

// watchScene is a dashboard with something selected.
func watchScene(cols, lines int, keys ...string) *dashboard {
	d := &dashboard{socket: "pairmux", cols: cols, lines: lines}
	d.setRows(watchRows())
	d.picture = picture{name: "deploy", lines: []string{"$ sudo make install", "[sudo] password for me: ", "", ""}, cursor: 1, column: 24}
	for _, k := range keys {
		if len(k) == 1 {
			d.press(keyPress{text: k})
		} else {
			d.press(keyPress{name: k})
		}
	}
	return d
}

func TestDashboardLooksAsRecorded(t *testing.T) {
	colored := watchScene(70, 12)
	colored.color = true
	news := watchScene(70, 12)
	news.notice = "E_DEAD: terminal \"old\" is dead\x1b[2J"
	long := watchScene(40, 10, "down", "n")
	for _, k := range "a note that is longer than the line is wide" {
		long.press(keyPress{text: string(k)})
	}
	scenes := []struct {
		name string
		d    *dashboard
	}{
		{"wide", watchScene(100, 16)},
		{"the second row and its notes", watchScene(100, 16, "j")},
		{"colors", colored},
		{"few lines: no preview", watchScene(60, 7)},
		{"scrolled to the end", watchScene(60, 6, "end")},
		{"narrow", watchScene(40, 12)},
		{"one column", watchScene(1, 4)},
		{"one line", watchScene(30, 1)},
		{"news", news},
		{"a note", long},
		{"no terminals", &dashboard{socket: "s", cols: 60, lines: 6, loaded: true}},
		{"before the first look", &dashboard{socket: "s", cols: 60, lines: 6}},
	}
	var got strings.Builder
	for _, s := range scenes {
		f := s.d.draw(watchNoon)
		fmt.Fprintf(&got, "== %s: %dx%d", s.name, s.d.cols, s.d.lines)
		if f.cursor {
			fmt.Fprintf(&got, ", cursor at %d,%d", f.col, f.line)
		}
		got.WriteByte('\n')
		if len(f.lines) != s.d.lines {
			t.Errorf("%s: %d lines, want %d", s.name, len(f.lines), s.d.lines)
		}
		for _, line := range f.lines {
			fmt.Fprintf(&got, "%s$\n", strings.ReplaceAll(line, "\x1b", `\e`))
			if plain := strip(line); width(plain) > s.d.cols {
				t.Errorf("%s: %q is wider than %d", s.name, plain, s.d.cols)
			}
		}
	}
	golden(t, "watch.txt", got.String())
}

// strip removes the dashboard's own SGR sequences.
func strip(s string) string {
	for {
		from := strings.Index(s, "\x1b[")
		if from < 0 {
			return s
		}
		s = s[:from] + s[from+strings.IndexByte(s[from:], 'm')+1:]
	}
}

// What is selected stays selected when the order changes, and a neighbour is
// when it goes.
func TestSelectionFollowsTheTerminal(t *testing.T) {
	d := watchScene(80, 20, "j", "j", "j")
	if d.selected != "dev" {
		t.Fatalf("%q is selected", d.selected)
	}
	rows := watchRows()
	rows[0], rows[3] = rows[3], rows[0]
	d.setRows(rows)
	if d.selected != "dev" || d.index != 0 {
		t.Errorf("%q at %d", d.selected, d.index)
	}
	d.setRows(watchRows())
	d.press(keyPress{name: "end"})
	d.setRows(watchRows()[:3])
	if d.selected != "lost" {
		t.Errorf("after the end went: %q", d.selected)
	}
	d.setRows(nil)
	if a := d.press(keyPress{text: "n"}); a != doNothing || d.writing != nil || d.row() != nil {
		t.Errorf("a note to nobody: %v %v", a, d.writing)
	}
}

// The selected row is on the screen whatever the number of rows.
func TestListScrollsToTheSelectedRow(t *testing.T) {
	var rows []watchRow
	for i := range 200 {
		rows = append(rows, watchRow{Terminal: envelope.Terminal{Name: fmt.Sprintf("t%03d", i), Status: envelope.StatusIdle}})
	}
	for _, lines := range []int{3, 4, 5, 9, 24, 300} {
		d := &dashboard{cols: 80, lines: lines}
		d.setRows(rows)
		visible := func(step string) {
			t.Helper()
			n := 0
			for _, line := range d.draw(watchNoon).lines {
				if strings.HasPrefix(line, ">   "+d.selected+" ") {
					n++
				}
			}
			if want := min(1, max(0, lines-3)); n != want {
				t.Fatalf("%d lines, %s: %q is shown %d times", lines, step, d.selected, n)
			}
		}
		visible("at first")
		for _, key := range []string{"down", "pgdn", "pgdn", "up", "end", "up", "pgup", "home", "down"} {
			d.press(keyPress{name: key})
			visible(key)
		}
		d.press(keyPress{name: "end"})
		d.setRows(rows[:150])
		visible("fewer rows")
		d.lines = 8
		lines = 8
		visible("fewer lines")
	}
}

func TestKeysOfTheDashboard(t *testing.T) {
	d := watchScene(80, 20)
	for _, c := range []struct {
		key  keyPress
		want action
	}{
		{keyPress{name: "enter"}, doAttach},
		{keyPress{name: "quit"}, doQuit},
		{keyPress{text: "q"}, doQuit},
		{keyPress{name: "redraw"}, doRedraw},
		{keyPress{text: "x"}, doNothing},
		{keyPress{name: "paste", text: "q\n"}, doNothing},
		{keyPress{text: "n"}, doNothing},
		// From here on a note is written.
		{keyPress{name: "enter"}, doNothing},
		{keyPress{text: "n"}, doNothing},
		{keyPress{text: "q"}, doNothing},
		{keyPress{name: "paste", text: "two\n\tlines\x1b[2J"}, doNothing},
		{keyPress{name: "enter"}, doNote},
	} {
		if got := d.press(c.key); got != c.want {
			t.Errorf("%v: %v, want %v", c.key, got, c.want)
		}
	}
	if d.writing == nil || d.writing.name != "deploy" || d.writing.text != "qtwo lines\ufffd[2J" {
		t.Errorf("the note is %+v", d.writing)
	}
	d.press(keyPress{name: "word"})
	d.press(keyPress{name: "backspace"})
	if d.writing.text != "qtwo" {
		t.Errorf("corrected to %q", d.writing.text)
	}
	d.press(keyPress{name: "kill"})
	d.press(keyPress{name: "backspace"})
	if d.writing.text != "" {
		t.Errorf("cleared to %q", d.writing.text)
	}
	d.press(keyPress{name: "quit"})
	if d.writing != nil {
		t.Error("Ctrl-C does not leave the note")
	}
}
