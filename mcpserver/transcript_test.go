package mcpserver

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestTranscripts plays the conversations of testdata/*.txt. A line "== NAME" begins
// one, with a server of its own; "=I NAME" one that begins after a handshake.
//
//	> line                the client writes the line
//	>> "quoted"           the client writes these bytes, quoted as in Go, as they are
//	< pattern             the server's next answer
//
// A pattern is JSON that must be equal, but "*" stands for any value, and a member
// "..." lets an object have more members. Silence needs no mark: whatever the server
// says is compared with the next pattern, and each conversation ends with a ping, the
// end of input, and nothing more.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		base := strings.TrimSuffix(filepath.Base(file), ".txt")
		for _, part := range strings.Split("\n"+string(text), "\n=")[1:] {
			head, body, _ := strings.Cut(part, "\n")
			kind, name, _ := strings.Cut(head, " ")
			t.Run(base+"/"+strings.ReplaceAll(name, " ", "-"), func(t *testing.T) {
				var s *session
				switch kind {
				case "=":
					s = newSession(t)
				case "I":
					s = initialized(t)
				default:
					t.Fatalf("unknown head %q", head)
				}
				play(t, s, body)
			})
		}
	}
}

func play(t *testing.T, s *session, body string) {
	for _, line := range strings.Split(body, "\n") {
		mark, rest, _ := strings.Cut(line, " ")
		switch mark {
		case "", "#":
		case ">":
			s.send(rest)
		case ">>":
			text, err := strconv.Unquote(rest)
			if err != nil {
				t.Fatalf("%v: %s", err, rest)
			}
			if _, err := s.in.WriteString(text); err != nil {
				t.Fatal(err)
			}
		case "<":
			got := s.next()
			if fault := compare(rest, got); fault != "" {
				t.Fatalf("%s\n got %.400s\nwant %s", fault, got, rest)
			}
		default:
			t.Fatalf("unknown mark in %q", line)
		}
	}
	s.ping()
	s.in.Close()
	if line := s.next(); line != "" {
		t.Errorf("at the end the server says %.400s", line)
	}
}

func compare(pattern, got string) string {
	var want, have any
	if err := decodeExact(pattern, &want); err != nil {
		return "pattern: " + err.Error()
	}
	if err := decodeExact(got, &have); err != nil {
		return err.Error()
	}
	return differ("", want, have)
}

// decodeExact keeps numbers as they are written.
func decodeExact(s string, v any) error {
	d := json.NewDecoder(strings.NewReader(s))
	d.UseNumber()
	return d.Decode(v)
}

func differ(path string, want, have any) string {
	if want == "*" {
		return ""
	}
	switch want := want.(type) {
	case map[string]any:
		m, ok := have.(map[string]any)
		if !ok {
			return path + " is no object"
		}
		_, open := want["..."]
		for name := range m {
			if _, known := want[name]; !known && !open {
				return path + " has also " + name
			}
		}
		for name, w := range want {
			h, there := m[name]
			if !there && name != "..." {
				return path + " has no " + name
			}
			if there {
				if d := differ(path+"."+name, w, h); d != "" {
					return d
				}
			}
		}
	case []any:
		list, ok := have.([]any)
		if !ok || len(list) != len(want) {
			return path + " is no array of the same length"
		}
		for i := range want {
			if d := differ(fmt.Sprintf("%s[%d]", path, i), want[i], list[i]); d != "" {
				return d
			}
		}
	default:
		if want != have {
			return fmt.Sprintf("%s differs", path)
		}
	}
	return ""
}
