package journal

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

func seedLines(f *testing.F, add func(string)) {
	b, err := Vectors.ReadFile("testdata/vectors/events.json")
	if err != nil {
		f.Fatal(err)
	}
	var vectors []struct{ Line string }
	if err := json.Unmarshal(b, &vectors); err != nil {
		f.Fatal(err)
	}
	for _, v := range vectors {
		add(v.Line)
	}
}

// The scanner accepts exactly what encoding/json takes for an object, and finds
// the same members in it.
func FuzzObject(f *testing.F) {
	seedLines(f, func(s string) { f.Add(s) })
	f.Add(`{"a":"\ud83d\ude00\u0000","b":[{},[],1e-3,-0.5,true,false,null],"a":2}`)
	f.Add(`{"a":` + strings.Repeat("[", maxDepth+5))
	f.Fuzz(func(t *testing.T, s string) {
		var want map[string]json.RawMessage
		wantErr := json.Unmarshal([]byte(s), &want)
		got, err := decodeObject([]byte(s), nil)
		if wantErr == nil && want == nil {
			wantErr = errNotObject // null
		}
		if strings.Count(s, "[")+strings.Count(s, "{") > maxDepth {
			return // encoding/json goes deeper
		}
		if (err != nil) != (wantErr != nil) {
			t.Fatalf("%q: %v, encoding/json %v", s, err, wantErr)
		}
		if err == nil && (len(got) != len(want) || !slices.Equal(slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))) {
			t.Fatalf("%q: %q, encoding/json %q", s, got, want)
		}
		for key, val := range got {
			if string(val) != string(want[key]) {
				t.Fatalf("%q: %s is %q, encoding/json %q", s, key, val, want[key])
			}
		}
	})
}

// What is written is read back the same, by us and by encoding/json.
func FuzzEvent(f *testing.F) {
	f.Add("note", "text \xff \u2028 <b> \x00\x7f", int64(1), int64(0), int64(-5), true, "extra")
	f.Fuzz(func(t *testing.T, kind, text string, id, offset, code int64, known bool, key string) {
		if kind == "" {
			return
		}
		clean := func(s string) string { return strings.ToValidUTF8(s, "\ufffd") }
		e := Event{TS: time.Unix(0, offset).UTC(), Type: EventType(kind), Text: text, CmdID: id, Offset: offset, Extra: map[string]json.RawMessage{key: json.RawMessage(`{"k":[1]}`)}}
		if known {
			e.ExitCode = &code
		}
		b, err := e.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		if strings.ContainsAny(string(b), "\n\r\x00") || !json.Valid(b) {
			t.Fatalf("%q is no line", b)
		}
		var back Event
		if err := back.UnmarshalJSON(b); err != nil {
			t.Fatalf("%s: %v", b, err)
		}
		var foreign struct {
			Type, Text string
			ExitCode   *int64 `json:"exit_code"`
		}
		if err := json.Unmarshal(b, &foreign); err != nil {
			t.Fatalf("%s: %v", b, err)
		}
		// One U+FFFD stands for each invalid byte.
		if string([]rune(text)) != back.Text || clean(foreign.Text) != back.Text || back.CmdID != id || back.Offset != offset ||
			!reflect.DeepEqual(back.ExitCode, e.ExitCode) || !reflect.DeepEqual(foreign.ExitCode, e.ExitCode) || !back.TS.Equal(e.TS) {
			t.Fatalf("%+v became %+v by %s", e, back, b)
		}
	})
}

// Whatever the index holds, reading it ends, both directions agree, and an event
// appended to it is there.
func FuzzIndex(f *testing.F) {
	seedLines(f, func(s string) { f.Add([]byte(s + "\n" + s)) })
	f.Add([]byte("\n\n\r\n{\"type\":\"cmd_start\",\"cmd_id\":9}\n\x00{\"ty"))
	dir := f.TempDir() + "/t"
	j, err := Create(dir, Meta{Name: "t"})
	if err != nil {
		f.Fatal(err)
	}
	defer j.Close()
	f.Fuzz(func(t *testing.T, index []byte) {
		if err := os.WriteFile(dir+"/index.jsonl", index, 0o600); err != nil {
			t.Fatal(err)
		}
		checkReverse(t, j)
		top, err := j.MaxCmdID()
		if err != nil {
			t.Fatal(err)
		}
		if err := j.Append(Event{Type: CmdStart, CmdID: top + 1, Text: "appended"}); err != nil {
			t.Fatal(err)
		}
		checkReverse(t, j)
		var last Event
		for e, err := range j.Events() {
			if err == nil {
				last = e
			} else if !errors.As(err, new(*BadLine)) {
				t.Fatal(err)
			}
		}
		if last.Text != "appended" || last.CmdID != top+1 {
			t.Fatalf("the last event is %+v", last)
		}
		if _, err := j.Gaps(0); err != nil {
			t.Fatal(err)
		}
	})
}
