package envelope

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

func streamed(t testing.TB, r *Reply, pieces [][]byte) (line, text []byte) {
	t.Helper()
	output := func(w io.Writer) error {
		for _, p := range pieces {
			if n, err := w.Write(p); n != len(p) || err != nil {
				return fmt.Errorf("wrote %d of %d: %v", n, len(p), err)
			}
		}
		return nil
	}
	var j, x bytes.Buffer
	if err := r.StreamJSON(&j, output); err != nil {
		t.Fatal(err)
	}
	if err := r.StreamText(&x, TextOptions{}, output); err != nil {
		t.Fatal(err)
	}
	return j.Bytes(), x.Bytes()
}

// SPEC 7.1: however the output is cut into pieces.
func TestStreamingGivesTheSameBytes(t *testing.T) {
	for name, r := range replies() {
		if r.Output == "" && len(r.Terminals)+len(r.Commands)+len(r.History)+len(r.Checks) > 0 {
			continue // a stream has to count its rows before it knows that no output comes
		}
		wantLine, wantText := writeJSON(t, r), writeText(t, r)
		bare := *r
		bare.Output = ""
		for _, size := range []int{1, 2, 3, 5, 1 << 20} {
			var pieces [][]byte
			for rest := []byte(r.Output); len(rest) > 0; {
				n := min(size, len(rest))
				pieces = append(pieces, nil, rest[:n])
				rest = rest[n:]
			}
			line, text := streamed(t, &bare, pieces)
			if !bytes.Equal(line, wantLine) {
				t.Errorf("%s in pieces of %d:\n%q\nwant:\n%q", name, size, line, wantLine)
			}
			if !bytes.Equal(text, wantText) {
				t.Errorf("%s in pieces of %d:\n%q\nwant:\n%q", name, size, text, wantText)
			}
		}
	}
}

func TestStreamReadsLaterFieldsAfterTheOutput(t *testing.T) {
	r := New(StatusOK)
	var b bytes.Buffer
	err := r.StreamJSON(&b, func(w io.Writer) error {
		r.Cursor = Int(9)
		r.Truncated = &Truncated{OmittedBytes: 4, GetFull: "g"}
		_, err := io.WriteString(w, "x")
		return err
	})
	want := `{"schema":"pairmux.v1","ok":true,"status":"ok","output":"x","truncated":{"omitted_lines":0,"omitted_bytes":4,"get_full":"g"},"cursor":9}` + "\n"
	if err != nil || b.String() != want {
		t.Errorf("%v, got %s want %s", err, b.String(), want)
	}
}

// A journal may have gigabytes: what one write hands on must not grow with it.
func TestStreamIsBounded(t *testing.T) {
	largest, total := 0, 0
	w := writerFunc(func(p []byte) (int, error) {
		largest, total = max(largest, len(p)), total+len(p)
		return len(p), nil
	})
	huge := bytes.Repeat([]byte("\x01\n"), 4<<20) // the worst growth: six bytes for one
	err := New(StatusOK).StreamJSON(w, func(w io.Writer) error {
		_, err := w.Write(huge)
		return err
	})
	if err != nil || largest > 8*streamChunk || total < 4*len(huge) {
		t.Errorf("%v, largest write %d of %d", err, largest, total)
	}
}

// SPEC 7.2
func TestStreamFailure(t *testing.T) {
	gone := errors.New("raw.log is gone")
	fail := func(written int) func(io.Writer) error {
		return func(w io.Writer) error {
			if _, err := io.WriteString(w, strings.Repeat("x", written)); err != nil {
				return err
			}
			return gone
		}
	}
	r := New(StatusOK)
	r.Warnings = []string{"first"}
	writers := map[string]func(io.Writer, func(io.Writer) error) error{
		"JSON": r.StreamJSON,
		"text": func(w io.Writer, output func(io.Writer) error) error { return r.StreamText(w, TextOptions{}, output) },
	}
	for name, stream := range writers {
		var b bytes.Buffer
		if err := stream(&b, fail(100)); err != gone || b.Len() != 0 {
			t.Errorf("%s, early: %v and %q", name, err, b.Bytes())
		}
		err := stream(&b, fail(100_000))
		if !errors.Is(err, ErrPartial) || !errors.Is(err, gone) {
			t.Errorf("%s, late: %v", name, err)
		}
		if name == "text" {
			checkText(t, b.Bytes())
			if !bytes.HasSuffix(b.Bytes(), []byte("x\nwarning: first\nwarning: the output breaks off: raw.log is gone\n")) {
				t.Errorf("text, late: %q", b.Bytes()[b.Len()-200:])
			}
			continue
		}
		back, err := Decode(b.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		if len(back.Output) != 100_000 || len(back.Warnings) != 2 || !strings.HasPrefix(back.Warnings[1], "the output breaks off") {
			t.Errorf("JSON, late: %d bytes, %q", len(back.Output), back.Warnings)
		}
	}
	if len(r.Warnings) != 1 {
		t.Errorf("the caller's reply was changed: %q", r.Warnings)
	}
}

func TestStreamStopsAtTheWritersError(t *testing.T) {
	full := errors.New("disk full")
	calls := 0
	w := writerFunc(func([]byte) (int, error) { calls++; return 0, full })
	err := New(StatusOK).StreamJSON(w, func(w io.Writer) error {
		for range 100 {
			if _, err := w.Write(make([]byte, streamChunk)); err != nil {
				return fmt.Errorf("copying: %w", err)
			}
		}
		return nil
	})
	if err != full || calls != 1 {
		t.Errorf("%v after %d calls", err, calls)
	}
}
