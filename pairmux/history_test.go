package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/matryer/is"
	"github.com/pairmux/pairmux/envelope"
	"github.com/pairmux/pairmux/journal"
	"github.com/pairmux/pairmux/shape"
)

// played is a terminal whose journal was written as a shell with hooks would.
type played struct {
	*terminal
	t  *testing.T
	n  int64 // prompt counter
	id int64
}

func newPlayed(t *testing.T) *played {
	t.Helper()
	j, err := journal.Create(filepath.Join(t.TempDir(), "t"), journal.Meta{Name: "t", Nonce: "secret", Mode: string(envelope.ModeHooks), Kind: kindShell})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.Close() })
	p := &played{terminal: (&environment{}).wrap("t", j), t: t}
	p.prompt()
	return p
}

// print appends to raw.log and returns where it now ends.
func (p *played) print(text string) int64 {
	p.t.Helper()
	f, err := os.OpenFile(filepath.Join(p.j.Dir(), "raw.log"), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		p.t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(text); err != nil {
		p.t.Fatal(err)
	}
	size, err := p.j.Size()
	if err != nil {
		p.t.Fatal(err)
	}
	return size
}

func (p *played) mark(what string) int64 {
	return p.print(fmt.Sprintf("\x1b]133;%s;aid=secret;n=%d\a", what, p.n))
}

func (p *played) prompt() {
	p.n++
	p.mark("A")
	p.print("$ ")
	p.mark("B")
}

// human enters a command, which prints output and ends with a code.
func (p *played) human(line, output string, code int) (start, end int64) {
	p.print(line + "\r\n")
	start = p.mark("C")
	end = p.print(output)
	p.mark(fmt.Sprintf("D;%d", code))
	p.prompt()
	return start, end
}

func (p *played) run(line, output string, code int) {
	p.t.Helper()
	p.id++
	at, err := p.j.Size()
	if err != nil {
		p.t.Fatal(err)
	}
	p.add(journal.Event{Type: journal.CmdStart, CmdID: p.id, Offset: at, N: p.n, Text: line})
	start, end := p.human(line, output, code)
	p.add(journal.Event{Type: journal.CmdEnd, CmdID: p.id, Start: start, Offset: end, ExitCode: envelope.Int(int64(code))})
}

func (p *played) add(e journal.Event) {
	p.t.Helper()
	if err := p.j.Append(e); err != nil {
		p.t.Fatal(err)
	}
}

func (p *played) rows(most int, failed bool) string {
	p.t.Helper()
	rows, err := (&history{t: p.terminal, most: most, failed: failed}).read()
	if err != nil {
		p.t.Fatal(err)
	}
	var list []string
	for _, r := range rows {
		code := "?"
		if r.ExitCode != nil {
			code = fmt.Sprint(*r.ExitCode)
		}
		list = append(list, fmt.Sprintf("%d %s %s %s", r.CmdID, r.By, code, r.Command))
	}
	return strings.Join(list, "\n")
}

func TestHistory(t *testing.T) {
	is := is.New(t)
	p := newPlayed(t)
	p.run("one", "1\r\n", 0)
	p.human("typed", "x\r\n", 4)
	p.run("two", "2\r\n", 1)
	// Forged marks in a large output, which is passed over.
	forged := "\x1b]133;D;9\a\x1b]133;C;aid=wrong;n=99\a"
	p.run("large", forged+strings.Repeat("line\r\n", largeOutput/3)+forged, 0)
	p.human("again", "", 0)
	const all = "1 run 0 one\n0 human 4 typed\n2 run 1 two\n3 run 0 large\n0 human 0 again"
	is.Equal(p.rows(50, false), all)
	is.Equal(p.rows(5, false), all)
	is.Equal(p.rows(2, false), "3 run 0 large\n0 human 0 again")
	is.Equal(p.rows(1, false), "0 human 0 again")
	is.Equal(p.rows(0, false), "")
	is.Equal(p.rows(50, true), "0 human 4 typed\n2 run 1 two")
	is.Equal(p.rows(1, true), "2 run 1 two")

	// A run that did not run, one whose end no reply has recorded, one that
	// goes on, and garbage between them.
	p.id++
	p.add(journal.Event{Type: journal.CmdStart, CmdID: p.id, Text: "refused", N: p.n})
	p.add(journal.Event{Type: journal.CmdEnd, CmdID: p.id, Text: notRun})
	size, err := p.j.Size()
	is.NoErr(err)
	p.add(journal.Event{Type: journal.CmdStart, CmdID: 9, Offset: size, N: p.n, Text: "unrecorded"})
	p.human("unrecorded", "u\r\n", 7)
	size, err = p.j.Size()
	is.NoErr(err)
	p.add(journal.Event{Type: journal.CmdStart, CmdID: 10, Offset: size, N: p.n, Text: "going on"})
	is.Equal(p.rows(3, false), "0 human 0 again\n9 run 7 unrecorded\n10 run ? going on")
	is.Equal(p.rows(50, true), "0 human 4 typed\n2 run 1 two\n9 run 7 unrecorded")
}

// Many commands: only what is asked for is kept.
func TestHistoryIsBounded(t *testing.T) {
	is := is.New(t)
	p := newPlayed(t)
	p.run("first", "", 0)
	var b strings.Builder
	for range 5000 {
		fmt.Fprintf(&b, "typed %d\r\n\x1b]133;C;aid=secret;n=%[1]d\a\x1b]133;D;1;aid=secret;n=%[1]d\a", p.n)
		p.n++
		fmt.Fprintf(&b, "\x1b]133;A;aid=secret;n=%d\a$ \x1b]133;B;aid=secret;n=%[1]d\a", p.n)
	}
	p.print(b.String())
	h := &history{t: p.terminal, most: 3}
	rows, err := h.read()
	is.NoErr(err)
	is.Equal(len(rows), 3)
	is.Equal(rows[2].Command, "typed 5001")
	is.True(cap(h.humans) < 500)
}

func TestFullScreenTime(t *testing.T) {
	is := is.New(t)
	p := newPlayed(t)
	screen := "\x1b[?1049h" + strings.Repeat("inside\r\n", 500) + "\x1b[?1049l"
	show := func() string {
		t.Helper()
		r := p.reply(envelope.StatusOK)
		_, end, err := p.command(p.id)
		is.NoErr(err)
		is.NoErr(p.fill(r, end.Start, end.Offset, shape.Limits{Head: -1}, ""))
		return r.Output
	}
	timed := func(line, output string, ms int64) string {
		t.Helper()
		p.id++
		at, err := p.j.Size()
		is.NoErr(err)
		p.add(journal.Event{Type: journal.CmdStart, CmdID: p.id, Offset: at, N: p.n, Text: line})
		start, end := p.human(line, output, 0)
		p.add(journal.Event{Type: journal.CmdEnd, CmdID: p.id, Start: start, Offset: end, ExitCode: envelope.Int(0), DurationMS: envelope.Int(ms)})
		return show()
	}
	is.Equal(timed("vi", screen, 12_345), "[full screen: 4 KB, 12 s]")
	is.Equal(timed("seq 9 | less", "\x1b[?1h\x1b="+screen+"\x1b[?1l\x1b>", 900), "[full screen: 4 KB, 900 ms]")
	// What else the command did would count too: no time then.
	is.Equal(timed("sleep 5; vi", screen, 12_345), "[full screen: 4 KB]")
	is.Equal(timed("make", strings.Repeat("cc\r\n", 100)+screen, 12_345), strings.Repeat("cc\n", 100)+"[full screen: 4 KB]")
}
