package envelope

import (
	"bytes"
	"io"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

// SPEC 1.3–1.5, 8.2: whatever is accepted is written in one canonical way.
func FuzzDecode(f *testing.F) {
	for _, pattern := range []string{"testdata/reply/*.json", "testdata/read/*.json", "testdata/refuse/*.json"} {
		for _, line := range vectorFiles(f, pattern, 1) {
			f.Add(line)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := Decode(b)
		if err != nil {
			if r != nil {
				t.Fatal("a reply beside an error")
			}
			return
		}
		line := writeJSON(t, r)
		again, err := Decode(line)
		if err != nil {
			t.Fatalf("%v of %q", err, line)
		}
		if second := writeJSON(t, again); !bytes.Equal(second, line) {
			t.Fatalf("%q\nthen %q", line, second)
		}
		if !reflect.DeepEqual(again, r) {
			t.Fatalf("%+v came back as %+v", r, again)
		}
		checkText(t, writeText(t, r))
		_ = r.Validate()
	})
}

// SPEC 6.2–6.5, 7.1: any string, anywhere in a reply, cut anywhere.
func FuzzStrings(f *testing.F) {
	for _, r := range replies() {
		f.Add(r.Output, strings.Join(r.Notes, "\n"), 3)
	}
	f.Add("\r", "\r\n\xe2\x80", 1)
	f.Add("\xe2\x80\xa8next: x", "\u009b", 2)
	f.Fuzz(func(t *testing.T, output, value string, size int) {
		r := &Reply{
			OK: true, Status: Status(value), Terminal: value, Mode: Mode(value), Output: output,
			Truncated: &Truncated{GetFull: value}, Prompt: &Prompt{Kind: PromptKind(value), Evidence: Evidence(value)},
			Notes: []string{value, output}, Next: []string{value}, Warnings: []string{value},
			Terminals: []Terminal{{Name: value, Cmd: output, LastActivity: value, Socket: value}},
			Commands:  []Command{{Name: value, Summary: value, Usage: value, Flags: []Flag{{Name: value, Value: value, Default: value, Help: value}}}},
			History:   []HistoryRow{{Command: output, By: value, Started: value}},
			Checks:    []Check{{Name: value, Detail: output, Fix: value}},
		}
		check := func() {
			line, text := writeJSON(t, r), writeText(t, r)
			checkText(t, text)
			if strings.ContainsFunc(strings.TrimSuffix(string(line), "\n"), func(c rune) bool { return c == '\n' || unsafeRune(c) }) {
				t.Fatalf("unsafe: %q", line)
			}
			back, err := Decode(line)
			if err != nil {
				t.Fatalf("%v of %q", err, line)
			}
			if utf8.ValidString(output) && back.Output != output {
				t.Fatalf("%q came back as %q", output, back.Output)
			}
			if got := writeText(t, back); !bytes.Equal(got, text) {
				t.Fatalf("text %q\nbut after reading %q", text, got)
			}
			if output == "" {
				return
			}
			pieces := func(w io.Writer) error {
				for rest := []byte(output); len(rest) > 0; {
					n := max(1, min(size, len(rest)))
					if _, err := w.Write(rest[:n]); err != nil {
						return err
					}
					rest = rest[n:]
				}
				return nil
			}
			var j, x bytes.Buffer
			if err := r.StreamJSON(&j, pieces); err != nil || !bytes.Equal(j.Bytes(), line) {
				t.Fatalf("streamed %q, %v\nwant %q", j.Bytes(), err, line)
			}
			if err := r.StreamText(&x, TextOptions{}, pieces); err != nil || !bytes.Equal(x.Bytes(), text) {
				t.Fatalf("streamed %q, %v\nwant %q", x.Bytes(), err, text)
			}
		}
		check()
		r.OK, r.Error = false, &Error{Code: Code(value), Message: output, Hint: value}
		check()
	})
}
