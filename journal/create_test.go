package journal

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func init() {
	helpers["create"] = func(args []string) error {
		dieAt(args[1])
		_, err := Create(args[0], Meta{Name: "build"})
		return err
	}
	helpers["retire"] = func(args []string) error {
		dieAt(args[1])
		return Retire(args[0])
	}
}

func TestJ8Modes(t *testing.T) {
	defer unix.Umask(unix.Umask(0))
	j := newJournal(t, Meta{Name: "build"})
	ns := filepath.Dir(j.Dir())
	if err := j.SetMeta(j.Meta()); err != nil {
		t.Fatal(err)
	}
	pumpAll(t, j.Dir(), strings.NewReader("x"), PumpOptions{})
	err := filepath.WalkDir(ns, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		fi, err := d.Info()
		if want := map[bool]fs.FileMode{true: 0o700, false: 0o600}[d.IsDir()]; err == nil && fi.Mode().Perm() != want {
			t.Errorf("%s has mode %o, want %o", path, fi.Mode().Perm(), want)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestJ12CreateIsCompleteOrNotThere(t *testing.T) {
	ns := t.TempDir()
	dir := ns + "/build"
	mustDie(t, helper("create", dir, "filled"))
	if _, err := Open(dir); !errors.Is(err, ErrNotFound) {
		t.Fatalf("after the crash: %v", err)
	}
	if names, err := TerminalsIn(ns); err != nil || len(names) != 0 {
		t.Fatalf("after the crash: %q, %v", names, err)
	}
	j, err := Create(dir, Meta{Name: "build"})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if m := j.Meta(); m.Format != Format || m.Name != "build" || m.CreatedAt.IsZero() {
		t.Errorf("meta %+v", m)
	}
	if w := j.Warnings(); w != nil {
		t.Errorf("warnings %q", w)
	}
	if e := eventsOf(t, j, Created); len(e) != 1 || !e[0].TS.Equal(j.Meta().CreatedAt) {
		t.Errorf("created events %+v", e)
	}
	if _, err := Create(dir, Meta{}); !errors.Is(err, ErrExists) {
		t.Errorf("a second Create: %v, want ErrExists", err)
	}
	if left, _ := filepath.Glob(ns + "/.making-*"); len(left) != 1 {
		t.Errorf("left over: %q; the refused Create should have tidied up", left)
	}
}

func TestCreateInAnEmptyDirectory(t *testing.T) {
	dir := t.TempDir() + "/build"
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	j, err := Create(dir, Meta{Name: "build"})
	if err != nil {
		t.Fatal(err)
	}
	j.Close()
	for _, path := range []string{dir + "/raw.log/x", dir + "/raw.log"} {
		if _, err := Create(path, Meta{}); err == nil {
			t.Errorf("Create(%s) should fail", path)
		}
	}
}

func TestJ60RetireSurvivesCrashes(t *testing.T) {
	for _, at := range []string{"discarded", "moved"} {
		t.Run(at, func(t *testing.T) {
			j := newJournal(t, Meta{Name: "build"})
			writeFile(t, j.Dir()+"/raw.log", "new")
			prev := j.Dir() + ".prev"
			if err := os.Mkdir(prev, 0o700); err != nil {
				t.Fatal(err)
			}
			writeFile(t, prev+"/raw.log", "old")
			mustDie(t, helper("retire", j.Dir(), at))
			whole := 0
			for _, dir := range []string{j.Dir(), prev} {
				if b, err := os.ReadFile(dir + "/raw.log"); err == nil && string(b) == "new" {
					whole++
				}
			}
			if whole != 1 {
				t.Fatalf("the journal is there %d times", whole)
			}
			if err := Retire(j.Dir()); err != nil && !errors.Is(err, ErrNotFound) {
				t.Fatal(err)
			}
			if b, err := os.ReadFile(prev + "/raw.log"); err != nil || string(b) != "new" {
				t.Fatalf("prev holds %q, %v", b, err)
			}
			if err := Retire(j.Dir()); !errors.Is(err, ErrNotFound) {
				t.Errorf("nothing to retire: %v", err)
			}
			if b, err := os.ReadFile(prev + "/raw.log"); err != nil || string(b) != "new" {
				t.Errorf("a Retire of nothing touched prev: %q, %v", b, err)
			}
		})
	}
}

func TestJ31ReusedNameGoesOnWithOffsets(t *testing.T) {
	j := newJournal(t, Meta{Name: "build"})
	dir := j.Dir()
	pumpAll(t, dir, strings.NewReader("0123456789"), PumpOptions{})
	section := j.Section(0, 10)
	if err := Retire(dir); err != nil {
		t.Fatal(err)
	}
	if !j.Retired() {
		t.Error("the old one should be retired")
	}
	next, err := Create(dir, Meta{Name: "build"}) // the base comes from .prev
	if err != nil {
		t.Fatal(err)
	}
	defer next.Close()
	if next.Base() != 10 || next.Retired() {
		t.Errorf("base %d, want 10", next.Base())
	}
	pumpAll(t, dir, strings.NewReader("abc"), PumpOptions{})
	if n, err := next.Size(); n != 13 || err != nil {
		t.Errorf("size %d, %v", n, err)
	}
	if _, err := next.ReadAt(make([]byte, 1), 9); !errors.Is(err, ErrRotatedAway) {
		t.Errorf("an old cursor: %v", err)
	}
	b := make([]byte, 4)
	if n, _ := next.ReadAt(b, 11); string(b[:n]) != "bc" {
		t.Errorf("read %q", b[:n])
	}
	// The old Journal reads the old directory, wherever it is now.
	if n, err := j.Size(); n != 10 || err != nil {
		t.Errorf("the old one: size %d, %v", n, err)
	}
	if err := j.Append(Event{Type: Note, Text: "late"}); err != nil || len(eventsOf(t, next, Note)) != 0 {
		t.Errorf("a late event went into the new journal (%v)", err)
	}
	if n, err := section.Read(b); n != 4 || err != nil || string(b) != "0123" {
		t.Errorf("old section: %q, %v", b[:n], err)
	}

	// Without raw.log and meta.json, events still tell where the old one was.
	if err := next.Append(Event{Type: CmdStart, CmdID: 1, Offset: 5000}); err != nil {
		t.Fatal(err)
	}
	os.Remove(dir + "/raw.log")
	os.Remove(dir + "/meta.json")
	if err := Retire(dir); err != nil {
		t.Fatal(err)
	}
	third, err := Create(dir, Meta{Name: "build", Base: 20})
	if err != nil {
		t.Fatal(err)
	}
	defer third.Close()
	if third.Base() != 5000 {
		t.Errorf("base %d, want 5000", third.Base())
	}
}
