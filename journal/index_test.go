package journal

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

func init() {
	helpers["append"] = func(args []string) error { // DIR WHO COUNT
		j, err := Open(args[0])
		if err != nil {
			return err
		}
		n, _ := strconv.Atoi(args[2])
		for i := range n {
			// Some lines are longer than a page, where a kernel could divide them.
			text := strings.Repeat(args[1], 1+i%7*1500)
			if err := j.Append(Event{Type: Note, CmdID: int64(i), Text: text}); err != nil {
				return err
			}
		}
		return nil
	}
}

func TestJ22ConcurrentAppendersNeverMix(t *testing.T) {
	j := newJournal(t, Meta{Name: "build"})
	const each = 150
	who := []string{"a", "b", "c", "d", "e", "f"}
	var cmds []*exec.Cmd
	for _, w := range who {
		cmd := helper("append", j.Dir(), w, fmt.Sprint(each))
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		cmds = append(cmds, cmd)
	}
	for _, cmd := range cmds {
		if err := cmd.Wait(); err != nil {
			t.Fatal(err)
		}
	}
	next := make(map[string]int64)
	for e, err := range j.Events() {
		if err != nil {
			t.Fatal(err)
		}
		if e.Type != Note {
			continue
		}
		w := e.Text[:1]
		if e.CmdID != next[w] || e.Text != strings.Repeat(w, 1+int(e.CmdID)%7*1500) {
			t.Fatalf("event %d of %s is mixed up", e.CmdID, w)
		}
		next[w]++
	}
	for _, w := range who {
		if next[w] != each {
			t.Errorf("%d events of %s, want %d", next[w], w, each)
		}
	}
}

func TestJ22AppendAfterTornLine(t *testing.T) {
	j := newJournal(t, Meta{Name: "build"})
	index := j.Dir() + "/index.jsonl"
	at := time.Date(2026, 3, 1, 10, 0, 0, 5e8, time.FixedZone("x", 3600))
	for _, c := range []struct{ before, after string }{
		{"", `{"ts":"2026-03-01T09:00:00.5Z","type":"note","text":"a<b"}` + "\n"},
		{"x\n", "x\n" + `{"ts":"2026-03-01T09:00:00.5Z","type":"note","text":"a<b"}` + "\n"},
		{`{"ts`, `{"ts` + "\n" + `{"ts":"2026-03-01T09:00:00.5Z","type":"note","text":"a<b"}` + "\n"},
	} {
		writeFile(t, index, c.before)
		if err := j.Append(Event{TS: at, Type: Note, Text: "a<b"}); err != nil {
			t.Fatal(err)
		}
		if got, _ := os.ReadFile(index); string(got) != c.after {
			t.Errorf("after %q: %q", c.before, got)
		}
	}
	// The index may be missing altogether.
	os.Remove(index)
	if err := j.Append(Event{Type: Note}); err != nil || len(eventsOf(t, j, Note)) != 1 {
		t.Errorf("without an index: %v", err)
	}
	if err := j.Append(Event{Text: "no type"}); err == nil {
		t.Error("an event without a type should be refused")
	}
	if err := j.Append(Event{Type: Note, Text: strings.Repeat("\x01", maxLine/6)}); err == nil {
		t.Error("an event that no reader would read should be refused")
	}
}

// The other writer dies in mid-write between our look at the last byte and our write.
func TestJ22GluedLineIsWrittenAgain(t *testing.T) {
	j := newJournal(t, Meta{Name: "build"})
	defer func(old func(string)) { step = old }(step)
	step = func(at string) {
		if at != "looked" {
			return
		}
		f, err := os.OpenFile(j.Dir()+"/index.jsonl", os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			t.Error(err)
			return
		}
		io.WriteString(f, `{"type":"cmd_e`)
		f.Close()
	}
	if err := j.Append(Event{Type: Note, Text: "kept"}); err != nil {
		t.Fatal(err)
	}
	var notes, bad int
	for e, err := range j.Events() {
		if err != nil {
			bad++
		} else if e.Type == Note && e.Text == "kept" {
			notes++
		}
	}
	if notes != 1 || bad != 1 {
		t.Errorf("%d notes, %d bad lines; want 1 and 1", notes, bad)
	}
}

func TestJ23BadLinesAreReportedAndPassed(t *testing.T) {
	j := newJournal(t, Meta{Name: "build"})
	long := `{"type":"note","text":"` + strings.Repeat("y", maxLine) + `"}`
	head := "\x00\x01garbage\n\r\n" + `{"type":"note","text":"1"}` + "\n"
	writeFile(t, j.Dir()+"/index.jsonl", head+long+"\n"+`{"type":"note","text":"2"}`+"\r\n"+`{"type":"no`)
	var got []string
	for e, err := range j.Events() {
		var bad *BadLine
		switch {
		case errors.As(err, &bad):
			got = append(got, fmt.Sprintf("bad at %d torn %v", bad.Pos, bad.Torn))
			if len(bad.Line) > 200 || !strings.Contains(bad.Error(), "index.jsonl") || bad.Unwrap() == nil {
				t.Errorf("error %q", bad)
			}
		case err != nil:
			t.Fatal(err)
		default:
			got = append(got, e.Text)
		}
	}
	want := []string{"bad at 0 torn false", "1", fmt.Sprintf("bad at %d torn false", len(head)), "2",
		fmt.Sprintf("bad at %d torn true", len(head)+len(long)+1+len(`{"type":"note","text":"2"}`)+2)}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	got = nil
	for e := range j.Backward() {
		got = append(got, e.Text)
	}
	if !slices.Equal(got, []string{"2", "1"}) {
		t.Errorf("backward: %d events", len(got))
	}
}

func TestEventsStopsWhenTold(t *testing.T) {
	j := newJournal(t, Meta{Name: "build"})
	for range 3 {
		if err := j.Append(Event{Type: Note}); err != nil {
			t.Fatal(err)
		}
	}
	n := 0
	for range j.Events() {
		n++
		break
	}
	for range j.Backward() {
		n++
		break
	}
	if n != 2 {
		t.Errorf("%d steps", n)
	}
}

// The chunks of Backward and the lines of the index must not have to fit.
func TestBackwardIsTheReverse(t *testing.T) {
	j := newJournal(t, Meta{Name: "build"})
	for i, size := range []int{0, 1, 4000, 4096, 5000, 1, 20_000, 2, 300_000, 3, 4060, 4070, 4080, 4095, 7} {
		if err := j.Append(Event{Type: Note, CmdID: int64(i), Text: strings.Repeat("z", size)}); err != nil {
			t.Fatal(err)
		}
	}
	for cut := range 60 {
		if cut > 0 {
			b, err := os.ReadFile(j.Dir() + "/index.jsonl")
			if err != nil {
				t.Fatal(err)
			}
			writeFile(t, j.Dir()+"/index.jsonl", string(b[:len(b)-1]))
		}
		checkReverse(t, j)
	}
}

func checkReverse(t *testing.T, j *Journal) {
	t.Helper()
	var forward, backward []Event
	for e, err := range j.Events() {
		if err == nil {
			forward = append(forward, e)
		} else if !errors.As(err, new(*BadLine)) {
			t.Fatal(err)
		}
	}
	for e := range j.Backward() {
		backward = append(backward, e)
	}
	slices.Reverse(backward)
	if !reflect.DeepEqual(forward, backward) {
		t.Fatalf("%d events forward, %d backward, or not the same", len(forward), len(backward))
	}
}

func TestJ25NextCmdID(t *testing.T) {
	start := func(id string) string { return `{"type":"cmd_start","cmd_id":` + id + `}` + "\n" }
	end := func(id string) string { return `{"type":"cmd_end","cmd_id":` + id + `}` + "\n" }
	many := func(from, to int) (s string) {
		for i := from; i < to; i++ {
			s += start(fmt.Sprint(i)) + end(fmt.Sprint(i))
		}
		return s
	}
	for name, c := range map[string]struct {
		index string
		want  int64
	}{
		"empty":                      {"", 1},
		"one":                        {start("1"), 2},
		"two starts without end":     {start("1") + start("2"), 3},
		"orderly":                    {many(1, 400), 400},
		"late end":                   {many(1, 9) + end("3"), 9},
		"torn last line":             {many(1, 9) + `{"type":"cmd_start","cmd_i`, 9},
		"garbage hides nothing":      {start("70") + many(1, 9) + "garbage\n", 71},
		"disorder in the tail":       {start("70") + many(1, 9) + start("5"), 71},
		"the same id twice":          {start("70") + start("5") + start("5"), 71},
		"absurd id":                  {many(1, 9) + start("9223372036854775807"), 9},
		"negative id":                {many(1, 9) + start("-4"), 9},
		"number too large to be one": {many(1, 9) + start("1e99"), 9},
		"notes only at the end":      {many(1, 9) + strings.Repeat(`{"type":"note"}`+"\n", 5000), 9},
		"future field":               {`{"type":"cmd_start","cmd_id":3,"x":{"cmd_id":9}}` + "\n", 4},
	} {
		j := newJournal(t, Meta{Name: "build"})
		writeFile(t, j.Dir()+"/index.jsonl", c.index)
		if got, err := j.NextCmdID(); err != nil || got != c.want {
			t.Errorf("%s: %d, %v; want %d", name, got, err, c.want)
		}
	}
	j := newJournal(t, Meta{Name: "build"})
	os.Remove(j.Dir() + "/index.jsonl")
	if got, err := j.NextCmdID(); got != 1 || err != nil {
		t.Errorf("without an index: %d, %v", got, err)
	}
	writeFile(t, j.Dir()+"/index.jsonl", start(fmt.Sprint(int64(maxID))))
	if got, err := j.NextCmdID(); err == nil {
		t.Errorf("after the last id: %d", got)
	}
}

func TestGapsFindsThemAnywhere(t *testing.T) {
	j := newJournal(t, Meta{Name: "build"})
	filler := Event{Type: Note, Text: strings.Repeat("the word \"gap\" in a note ", 900)}
	for i := range int64(40) {
		if err := j.Append(filler); err != nil {
			t.Fatal(err)
		}
		if err := j.Append(Event{Type: Gap, Offset: i * 10, Lost: i}); err != nil {
			t.Fatal(err)
		}
	}
	gaps, err := j.Gaps(100)
	if err != nil || len(gaps) != 30 || gaps[0].Offset != 100 || gaps[0].Lost != 10 || gaps[0].TS.IsZero() || gaps[29].Lost != 39 {
		t.Errorf("%d gaps, %v: %+v", len(gaps), err, gaps)
	}
}
