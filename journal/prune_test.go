package journal

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

var (
	errLocked  = errors.New("locked by 42")
	errUnknown = errors.New("tmux does not answer")
)

// pruneRoot makes terminals of every kind; the number is their age in days.
func pruneRoot(t *testing.T, e Endpoint) (root string, now time.Time) {
	t.Helper()
	root, now = t.TempDir(), time.Now()
	age := func(dir string, days int) {
		at := now.Add(-time.Duration(days)*24*time.Hour - time.Minute)
		for _, path := range []string{"raw.log", "index.jsonl", "."} {
			if err := os.Chtimes(filepath.Join(dir, path), at, at); err != nil {
				t.Fatal(err)
			}
		}
	}
	make := func(dir string, days int) {
		j, err := Create(dir, Meta{Name: strings.TrimSuffix(filepath.Base(dir), ".prev")})
		if err != nil {
			t.Fatal(err)
		}
		appendRaw(t, j, strings.Repeat("x", 1000))
		j.Close()
		age(dir, days)
	}
	ns := Namespace(root, e)
	for name, days := range map[string]int{"old": 9, "young": 1, "live": 30, "locked": 30, "unknown": 30, "newer": 30,
		"live.prev": 10, "young.prev": 8, "old.prev": 2, "alone.prev": 20} {
		make(filepath.Join(ns, name), days)
	}
	writeFile(t, ns+"/newer/meta.json", `{"format":99}`)
	age(ns+"/newer", 30)
	make(filepath.Join(root, "historic"), 40)
	make(filepath.Join(Namespace(root, Endpoint{Socket: "other"}), "old"), 40)
	for name, days := range map[string]int{".making-old-1": 3, ".trash-old-2": 3, ".making-new-3": 0, "foreign": 90, ".new.old.lock.d": 90} {
		if err := os.Mkdir(filepath.Join(ns, name), 0o700); err != nil {
			t.Fatal(err)
		}
		writeFile(t, filepath.Join(ns, name, "file"), "x")
		at := now.Add(-time.Duration(days) * 24 * time.Hour)
		if err := os.Chtimes(filepath.Join(ns, name), at, at); err != nil {
			t.Fatal(err)
		}
	}
	return root, now
}

func TestJ61Prune(t *testing.T) {
	e := Endpoint{UID: os.Getuid(), Socket: DefaultSocket}
	const week = 7 * 24 * time.Hour
	for _, c := range []struct {
		what      string
		o         PruneOptions
		removed   string
		kept      string // those with a reason
		err       error
		leftovers bool
	}{
		{"bare", PruneOptions{OlderThan: week}, "alone.prev historic live.prev old young.prev",
			"live: terminal is live, locked: locked by 42, newer: newer format, unknown: tmux does not answer", nil, false},
		{"dry run", PruneOptions{OlderThan: week, DryRun: true}, "alone.prev historic live.prev old young.prev",
			"live: terminal is live, locked: locked by 42, newer: newer format, unknown: tmux does not answer", nil, true},
		{"by name", PruneOptions{Name: "young"}, "young young.prev", "", nil, false},
		{"a live name", PruneOptions{Name: "live"}, "live.prev", "live: terminal is live", nil, false},
		{"a locked name", PruneOptions{Name: "locked"}, "", "locked: locked by 42", nil, false},
		{"only a prev", PruneOptions{Name: "alone"}, "alone.prev", "", nil, false},
		{"a historic one", PruneOptions{Name: "historic"}, "historic", "", nil, false},
		{"an unknown name", PruneOptions{Name: "nobody"}, "", "", ErrNotFound, false},
		{"a foreign name", PruneOptions{Name: "foreign"}, "", "", ErrNotFound, false},
		{"no name at all", PruneOptions{Name: "../x"}, "", "", ErrNotFound, false},
	} {
		t.Run(c.what, func(t *testing.T) {
			root, now := pruneRoot(t, e)
			locked := make(map[string]bool)
			c.o.Now = now
			c.o.Dead = func(j *Journal) (bool, error) {
				name := filepath.Base(j.Dir())
				if !locked[name] {
					t.Errorf("%s is looked at without its lock", name)
				}
				if name == "unknown" {
					return false, errUnknown
				}
				return name != "live", nil
			}
			c.o.Lock = func(name string) (func(), error) {
				if name == "locked" {
					return nil, errLocked
				}
				locked[name] = true
				return func() { locked[name] = false }, nil
			}
			got, err := Prune(root, e, c.o)
			if !errors.Is(err, c.err) {
				t.Fatalf("%v, want %v", err, c.err)
			}
			var removed, kept []string
			for _, p := range got {
				if p.Bytes < 1000 || p.Age < 0 || p.Name != strings.TrimSuffix(filepath.Base(p.Dir), ".prev") || p.Prev != strings.HasSuffix(p.Dir, ".prev") {
					t.Errorf("%+v", p)
				}
				_, err := os.Stat(p.Dir)
				if gone := isNotExist(err); gone != (p.Removed && !c.o.DryRun) {
					t.Errorf("%s: gone %v, %+v", p.Dir, gone, p)
				}
				if p.Removed {
					removed = append(removed, filepath.Base(p.Dir))
				}
				if p.Err != nil {
					why := p.Err.Error()
					for _, known := range []error{ErrNewerFormat} {
						if errors.Is(p.Err, known) {
							why = "newer format"
						}
					}
					kept = append(kept, fmt.Sprintf("%s: %s", p.Name, why))
				}
			}
			slices.Sort(removed)
			slices.Sort(kept)
			if strings.Join(removed, " ") != c.removed || strings.Join(kept, ", ") != c.kept {
				t.Errorf("removed %q\nwant    %q\nkept %q\nwant %q", removed, c.removed, kept, c.kept)
			}
			for name, held := range locked {
				if held {
					t.Errorf("the lock of %s is still held", name)
				}
			}
			ns := Namespace(root, e)
			for path, want := range map[string]bool{
				ns + "/.making-old-1": c.leftovers, ns + "/.trash-old-2": c.leftovers,
				ns + "/.making-new-3": true, ns + "/foreign": true, ns + "/.new.old.lock.d": true,
				Namespace(root, Endpoint{Socket: "other"}) + "/old": true,
			} {
				if _, err := os.Stat(path); (err == nil) != want && c.err == nil {
					t.Errorf("%s is there: %v, want %v", path, err == nil, want)
				}
			}
			if trash, _ := filepath.Glob(ns + "/.trash-*"); !c.leftovers && c.err == nil && len(trash) != 0 {
				t.Errorf("left %q", trash)
			}
		})
	}
}

// The clock was set back since the last byte: it is young, but can be named.
func TestPruneAfterAClockJump(t *testing.T) {
	root, e := t.TempDir(), Endpoint{UID: os.Getuid(), Socket: "x"}
	j, err := Create(Namespace(root, e)+"/build/", Meta{Name: "build"})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	o := PruneOptions{Now: time.Now().Add(-time.Hour), OlderThan: time.Minute, Dead: func(*Journal) (bool, error) { return true, nil }}
	for _, removed := range []bool{false, true} {
		got, err := Prune(root, e, o)
		if err != nil || len(got) != 1 || got[0].Age != 0 || got[0].Removed != removed {
			t.Errorf("%+v, %v; removed should be %v", got, err, removed)
		}
		o.Name, o.OlderThan = "build", 0
	}
	if !j.Retired() {
		t.Error("who follows it should notice")
	}
}

func TestPruneOfNothing(t *testing.T) {
	got, err := Prune(t.TempDir()+"/none", Endpoint{Socket: "x"}, PruneOptions{Dead: func(*Journal) (bool, error) { return true, nil }})
	if err != nil || len(got) != 0 {
		t.Errorf("%v, %v", got, err)
	}
}
