package envelope

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// SPEC 2.1, 2.2, 1.2: the writer is made by hand, so that no reflection is paid
// for in a process that writes one reply; the tags say the same to readers of
// the code and to Decode. They must not part.
func TestWriteJSONAgreesWithTheTags(t *testing.T) {
	for name, r := range map[string]*Reply{
		"full":  full(),
		"empty": {Schema: Schema},
		"empty rows": {
			Schema: Schema, Truncated: &Truncated{}, Prompt: &Prompt{}, Error: &Error{}, ExitCode: Int(0), Cursor: Int(0), DurationMS: Int(0),
			Terminals: make([]Terminal, 1), Commands: []Command{{Flags: make([]Flag, 1)}}, History: make([]HistoryRow, 1), Checks: make([]Check, 1),
			Notes: []string{""},
		},
	} {
		var want bytes.Buffer
		e := json.NewEncoder(&want)
		e.SetEscapeHTML(false)
		if err := e.Encode(r); err != nil {
			t.Fatal(err)
		}
		if got := writeJSON(t, r); !bytes.Equal(got, want.Bytes()) {
			t.Errorf("%s:\ngot  %swant %s", name, got, want.Bytes())
		}
	}
}

// SPEC 1.2: a schema that nobody set is the one of this package.
func TestWriteJSONSuppliesTheSchema(t *testing.T) {
	if got, want := string(writeJSON(t, &Reply{OK: true})), `{"schema":"pairmux.v1","ok":true}`+"\n"; got != want {
		t.Errorf("got %s want %s", got, want)
	}
}

// SPEC 2.3
func TestZeroNumbersAreWrittenWhereTheyMean(t *testing.T) {
	r := &Reply{OK: true, ExitCode: Int(0), DurationMS: Int(0), Cursor: Int(0)}
	if got, want := string(writeJSON(t, r)), `{"schema":"pairmux.v1","ok":true,"exit_code":0,"duration_ms":0,"cursor":0}`+"\n"; got != want {
		t.Errorf("got %s want %s", got, want)
	}
}

// SPEC 6.1, 6.2, 6.4: for every character, the value survives and the line
// holds nothing unsafe.
func TestJSONKeepsEveryCharacter(t *testing.T) {
	for r := rune(0); r <= utf8.MaxRune; r++ {
		if 0xd800 <= r && r <= 0xdfff {
			continue
		}
		in := "a" + string(r) + "b"
		line := `"` + string(appendJSON(nil, in)) + `"`
		if strings.ContainsFunc(line, func(r rune) bool { return r == '\n' || r == '\t' || unsafeRune(r) }) {
			t.Fatalf("%U stands unescaped in %q", r, line)
		}
		var out string
		if err := json.Unmarshal([]byte(line), &out); err != nil || out != in {
			t.Fatalf("%U: %q was read as %q, %v", r, in, out, err)
		}
		if !unsafeRune(r) && r != '\n' && r != '\t' && r != '"' && r != '\\' && len(line) != len(in)+2 {
			t.Fatalf("%U is escaped without need: %s", r, line)
		}
	}
}

// SPEC 6.2: a placeholder in next is read by models as it stands.
func TestJSONDoesNotEscapeHTML(t *testing.T) {
	r := New(StatusAwaitingInput)
	r.Next = []string{"pairmux send t --text <answer> --enter && x"}
	if line := writeJSON(t, r); !bytes.Contains(line, []byte("<answer> --enter && x")) {
		t.Errorf("%s", line)
	}
}

// SPEC 6.4
func TestInvalidBytesAreReplacedOneByOne(t *testing.T) {
	for in, want := range map[string]string{
		"\xff":             "\uFFFD",
		"a\xe2\x82b":       "a\uFFFD\uFFFDb",
		"\xc0\x80":         "\uFFFD\uFFFD",
		"\xed\xa0\x80":     "\uFFFD\uFFFD\uFFFD",
		"\xf4\x90\x80\x80": "\uFFFD\uFFFD\uFFFD\uFFFD",
		"\uFFFD":           "\uFFFD",
		"é\xc3":            "é\uFFFD",
	} {
		if got := string(appendJSON(nil, in)); got != want {
			t.Errorf("JSON of %q: %q, want %q", in, got, want)
		}
		if got := string(appendText(nil, in, "")); got != want {
			t.Errorf("text of %q: %q, want %q", in, got, want)
		}
	}
}

func TestWritersReturnTheWritersError(t *testing.T) {
	full := errors.New("disk full")
	w := writerFunc(func([]byte) (int, error) { return 0, full })
	r := New(StatusOK)
	for name, err := range map[string]error{
		"WriteJSON":  r.WriteJSON(w),
		"WriteText":  r.WriteText(w, TextOptions{}),
		"StreamJSON": r.StreamJSON(w, func(io.Writer) error { return nil }),
		"StreamText": r.StreamText(w, TextOptions{}, func(io.Writer) error { return nil }),
	} {
		if !errors.Is(err, full) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// A short-lived process writes one reply: it must be one write and one buffer.
func TestWriteJSONIsOneWriteAndOneBuffer(t *testing.T) {
	r := replies()["done-failed-and-truncated"]
	writes := 0
	w := writerFunc(func(p []byte) (int, error) { writes++; return len(p), nil })
	allocs := testing.AllocsPerRun(10, func() {
		if err := r.WriteJSON(w); err != nil {
			t.Fatal(err)
		}
	})
	if writes != 11 { // AllocsPerRun warms up once
		t.Errorf("%d writes for 11 replies", writes)
	}
	if allocs > 2 {
		t.Errorf("%v allocations", allocs)
	}
}

func BenchmarkWriteJSON(b *testing.B) {
	r := replies()["done"]
	for b.Loop() {
		if err := r.WriteJSON(io.Discard); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWriteText(b *testing.B) {
	r := replies()["done"]
	for b.Loop() {
		if err := r.WriteText(io.Discard, TextOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWriteJSON64KiB(b *testing.B) {
	r := New(StatusDone)
	r.Output = strings.Repeat("a line of ordinary output\n", 64<<10/26)
	b.SetBytes(int64(len(r.Output)))
	for b.Loop() {
		if err := r.WriteJSON(io.Discard); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	line := writeJSON(b, replies()["done"])
	for b.Loop() {
		if _, err := Decode(line); err != nil {
			b.Fatal(err)
		}
	}
}
