package journal

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

func readVector(t *testing.T, name string, v any) {
	t.Helper()
	b, err := Vectors.ReadFile("testdata/vectors/" + name)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, v); err != nil {
		t.Fatal(name, err)
	}
}

// The event as a foreign implementation would see it: by encoding/json.
type foreignEvent struct {
	TS         time.Time      `json:"ts"`
	Type       EventType      `json:"type"`
	CmdID      int64          `json:"cmd_id"`
	Offset     int64          `json:"offset"`
	ExitCode   *int64         `json:"exit_code"`
	Text       string         `json:"text"`
	Start      int64          `json:"start"`
	DurationMS *int64         `json:"duration_ms"`
	N          int64          `json:"n"`
	By         string         `json:"by"`
	Lost       int64          `json:"lost"`
	Extra      map[string]any `json:"extra"`
}

func foreign(t *testing.T, e Event) foreignEvent {
	t.Helper()
	f := foreignEvent{e.TS, e.Type, e.CmdID, e.Offset, e.ExitCode, e.Text, e.Start, e.DurationMS, e.N, e.By, e.Lost, nil}
	for key, raw := range e.Extra {
		var val any
		if err := json.Unmarshal(raw, &val); err != nil {
			t.Fatal(err)
		}
		if f.Extra == nil {
			f.Extra = make(map[string]any)
		}
		f.Extra[key] = val
	}
	return f
}

func TestJ21J23EventVectors(t *testing.T) {
	var vectors []struct {
		Line  string
		Event foreignEvent
		Bad   bool
	}
	readVector(t, "events.json", &vectors)
	for _, v := range vectors {
		var e Event
		err := e.UnmarshalJSON([]byte(v.Line))
		if (err != nil) != v.Bad {
			t.Errorf("%s\nerror %v, bad should be %v", v.Line, err, v.Bad)
			continue
		}
		if err != nil {
			continue
		}
		if got := foreign(t, e); !reflect.DeepEqual(got, v.Event) {
			t.Errorf("%s\ngot  %+v\nwant %+v", v.Line, got, v.Event)
		}
		again, _ := e.MarshalJSON()
		var back Event
		if err := back.UnmarshalJSON(again); err != nil || !reflect.DeepEqual(foreign(t, back), v.Event) {
			t.Errorf("%s\nwritten again as %s: %v", v.Line, again, err)
		}
	}
}

func TestJ4NamespaceVectors(t *testing.T) {
	var vectors []struct{ Path, Hash string }
	readVector(t, "namespaces.json", &vectors)
	root := t.TempDir()
	real, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	seen := false
	for _, v := range vectors {
		if got := filepath.Base(namespaceOf(root, v.Path)); got != v.Hash {
			t.Errorf("%s: %s, want %s", v.Path, got, v.Hash)
		}
		e := Endpoint{UID: 1000, Socket: "pairmux"}
		if e.Path() == v.Path {
			seen = true
			if got := filepath.Base(Namespace(root, e)); got != v.Hash {
				t.Errorf("Namespace: %s, want %s", got, v.Hash)
			}
		}
	}
	if tmp, _ := filepath.EvalSymlinks("/tmp"); tmp == "/tmp" && !seen {
		t.Error("no vector for the default endpoint")
	}
	e := Endpoint{TmuxTmpdir: real, UID: 7, Socket: "s"}
	if Namespace(root, e) != namespaceOf(root, real+"/tmux-7/s") {
		t.Error("Namespace is not that of Path")
	}
}

func TestJournalVectors(t *testing.T) {
	dir := t.TempDir()
	vectors, err := fs.Sub(Vectors, "testdata/vectors/journals")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(dir, vectors); err != nil {
		t.Fatal(err)
	}
	wants, _ := filepath.Glob(dir + "/*.json")
	if len(wants) < 10 {
		t.Fatal("vectors are missing")
	}
	for _, path := range wants {
		name := strings.TrimSuffix(filepath.Base(path), ".json")
		t.Run(name, func(t *testing.T) { checkVector(t, filepath.Join(dir, name), name) })
	}
}

func checkVector(t *testing.T, dir, name string) {
	var want struct {
		Error       string
		Base, Size  int64
		Events, Bad int
		MaxCmdID    int64 `json:"max_cmd_id"`
		Warnings    int
		Gaps        []struct{ Offset, Lost int64 }
		Commands    []struct {
			CmdID    int64 `json:"cmd_id"`
			ExitCode int64 `json:"exit_code"`
			Output   string
			Gone     bool
		}
	}
	readVector(t, "journals/"+name+".json", &want)
	j, err := Open(dir)
	if want.Error != "" {
		if !errors.Is(err, ErrNewerFormat) {
			t.Fatalf("error %v, want ErrNewerFormat", err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if j.Meta().Name != name && name != "garbled-meta" {
		t.Errorf("name %q", j.Meta().Name)
	}
	if size, err := j.Size(); err != nil || size != want.Size || j.Base() != want.Base || j.Meta().Base != want.Base {
		t.Errorf("base %d, size %d, %v; want %d, %d", j.Base(), size, err, want.Base, want.Size)
	}
	if got := j.Warnings(); len(got) != want.Warnings {
		t.Errorf("warnings %q, want %d", got, want.Warnings)
	}
	ends := make(map[int64]Event)
	var forward []Event
	bad := 0
	for e, err := range j.Events() {
		if err != nil {
			if !errors.As(err, new(*BadLine)) {
				t.Error(err)
			}
			bad++
			continue
		}
		forward = append(forward, e)
		if e.Type == CmdEnd {
			ends[e.CmdID] = e
		}
	}
	if len(forward) != want.Events || bad != want.Bad {
		t.Errorf("%d events, %d bad lines; want %d, %d", len(forward), bad, want.Events, want.Bad)
	}
	for e := range j.Backward() {
		last := len(forward) - 1
		if last < 0 || !reflect.DeepEqual(e, forward[last]) {
			t.Fatalf("Backward gives %+v", e)
		}
		forward = forward[:last]
	}
	if len(forward) > 0 {
		t.Errorf("Backward left out %d events", len(forward))
	}
	if got, err := j.MaxCmdID(); err != nil || got != want.MaxCmdID {
		t.Errorf("max id %d, %v; want %d", got, err, want.MaxCmdID)
	}
	gaps, err := j.Gaps(0)
	if err != nil || len(gaps) != len(want.Gaps) {
		t.Errorf("gaps %v, %v; want %v", gaps, err, want.Gaps)
	}
	for i := range min(len(gaps), len(want.Gaps)) {
		if gaps[i].Offset != want.Gaps[i].Offset || gaps[i].Lost != want.Gaps[i].Lost {
			t.Errorf("gap %v, want %v", gaps[i], want.Gaps[i])
		}
	}
	if len(ends) > 0 && len(want.Commands) == 0 {
		t.Error("commands are missing in the vector")
	}
	for _, c := range want.Commands {
		e := ends[c.CmdID]
		out, err := io.ReadAll(j.Section(e.Start, e.Offset))
		if c.Gone {
			if !errors.Is(err, ErrRotatedAway) {
				t.Errorf("command %d: %q, %v; want ErrRotatedAway", c.CmdID, out, err)
			}
			continue
		}
		if err != nil || hex.EncodeToString(out) != c.Output || e.ExitCode == nil || *e.ExitCode != c.ExitCode {
			t.Errorf("command %d: %q, %v, code %v; want %s, %d", c.CmdID, out, err, e.ExitCode, c.Output, c.ExitCode)
		}
	}
}
