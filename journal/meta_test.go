package journal

import (
	"encoding/json"
	"errors"
	"os"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestJ10MetaRoundTrip(t *testing.T) {
	var m Meta
	for i, f := range m.fields() { // each field another value, so that none is forgotten or swapped
		switch p := f.ptr.(type) {
		case *string:
			*p = f.name + " \"é\u2028<&>\x01"
		case *int:
			*p = i + 1
		case *int64:
			*p = int64(i) + 1<<40
		case *uint64:
			*p = uint64(i) + 1<<63
		case *time.Time:
			*p = time.Date(2026, 1, 2, 3, 4, 5, 678, time.UTC)
		default:
			t.Fatalf("field %s has type %T", f.name, p)
		}
	}
	b, err := m.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	var back Meta
	if err := back.UnmarshalJSON(b); err != nil || !reflect.DeepEqual(m, back) {
		t.Errorf("%v\n%+v\n%+v", err, m, back)
	}
	var foreign map[string]any
	if err := json.Unmarshal(b, &foreign); err != nil || foreign["pane_id"] != m.PaneID || len(foreign) != len(m.fields()) {
		t.Errorf("encoding/json reads %v, %v", foreign, err)
	}
	exported := reflect.TypeFor[Meta]().NumField() - 2 // Extra, next
	if len(m.fields())-2 != exported {
		t.Errorf("%d fields in the table, %d in the struct", len(m.fields())-2, exported)
	}
}

func TestJ11UnknownFieldsAndBaseStay(t *testing.T) {
	j := newJournal(t, Meta{Name: "build", Base: 100})
	writeFile(t, j.Dir()+"/meta.json", `{"format":1,"name":"build","base":100,"colour":{"r":1},"old":"x"}`)
	m := Meta{Name: "build", PaneID: "%7", Base: 3, Extra: map[string]json.RawMessage{"old": json.RawMessage(`"y"`), "new": json.RawMessage(`[1, 2]`), "name": json.RawMessage(`"no"`), "bad": json.RawMessage(`{`)}}
	if err := j.SetMeta(m); err != nil {
		t.Fatal(err)
	}
	b, _ := os.ReadFile(j.Dir() + "/meta.json")
	const want = `{"format":1,"name":"build","pane_id":"%7","base":100,"colour":{"r":1},"new":[1,2],"old":"y"}` + "\n"
	if string(b) != want {
		t.Errorf("meta.json: %s\nwant       %s", b, want)
	}
	if len(m.Extra) != 4 {
		t.Error("SetMeta changed the caller's map")
	}
	again, err := Open(j.Dir())
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if string(again.Meta().Extra["colour"]) != `{"r":1}` || again.Meta().PaneID != "%7" {
		t.Errorf("read back %+v", again.Meta())
	}
}

func TestJ11ConcurrentUpdates(t *testing.T) {
	j := newJournal(t, Meta{Name: "build"})
	const writers, each = 8, 20
	var wg sync.WaitGroup
	stop := make(chan struct{})
	readers := make(chan error, 1)
	go func() { // a reader sees whole versions only
		for {
			select {
			case <-stop:
				readers <- nil
				return
			default:
			}
			r, err := Open(j.Dir())
			if err != nil || r.Warnings() != nil {
				readers <- errors.Join(err, errors.New("a reader met a version that is not whole"))
				return
			}
			r.Close()
		}
	}()
	for range writers {
		wg.Go(func() {
			own, err := Open(j.Dir())
			if err != nil {
				t.Error(err)
				return
			}
			defer own.Close()
			for range each {
				if err := own.UpdateMeta(func(m *Meta) { m.PanePID++ }); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	close(stop)
	if err := <-readers; err != nil {
		t.Error(err)
	}
	if err := j.Reload(); err != nil || j.Meta().PanePID != writers*each {
		t.Errorf("%d updates arrived, want %d (%v)", j.Meta().PanePID, writers*each, err)
	}
}

func TestJ13MetaMissingOrGarbled(t *testing.T) {
	for name, text := range map[string]string{"missing": "", "empty": " ", "garbage": "{\"name\":", "wrong type": `{"format":"x"}`} {
		j := newJournal(t, Meta{Name: "build", Base: 40})
		path := j.Dir() + "/meta.json"
		writeFile(t, path, text)
		if text == "" {
			os.Remove(path)
		}
		got, err := Open(j.Dir())
		if err != nil {
			t.Fatal(name, err)
		}
		if m := got.Meta(); m.Name != "build" || m.Base != 40 || len(got.Warnings()) != 1 || !strings.Contains(got.Warnings()[0], "meta.json") {
			t.Errorf("%s: %+v, %q", name, m, got.Warnings())
		}
		// The next writer makes it whole again, with the right base.
		if err := got.UpdateMeta(func(m *Meta) { m.PaneID = "%1" }); err != nil {
			t.Error(name, err)
		}
		if err := got.Reload(); err != nil || got.Meta().Base != 40 || got.Meta().PaneID != "%1" || got.Warnings() != nil {
			t.Errorf("%s: afterwards %+v, %q, %v", name, got.Meta(), got.Warnings(), err)
		}
		got.Close()
	}
}

func TestJ14NewerFormat(t *testing.T) {
	j := newJournal(t, Meta{Name: "build"})
	const text = `{"format":2,"name":[1]}`
	for _, text := range []string{`{"format":2,"name":"build"}`, text} {
		writeFile(t, j.Dir()+"/meta.json", text)
		if _, err := Open(j.Dir()); !errors.Is(err, ErrNewerFormat) {
			t.Errorf("Open(%s): %v, want ErrNewerFormat", text, err)
		}
		if err := j.SetMeta(Meta{}); !errors.Is(err, ErrNewerFormat) {
			t.Errorf("SetMeta over %s: %v, want ErrNewerFormat", text, err)
		}
		// The pump only appends: the pane's bytes count more than the version.
		pumpAll(t, j.Dir(), strings.NewReader("x"), PumpOptions{MaxJournal: 1})
		if b, _ := os.ReadFile(j.Dir() + "/meta.json"); string(b) != text {
			t.Errorf("meta.json was changed to %s", b)
		}
	}
}

func TestSetMetaDoesNotWaitForEver(t *testing.T) {
	defer func(d time.Duration) { metaWait = d }(metaWait)
	metaWait = 5 * time.Millisecond
	j := newJournal(t, Meta{Name: "build"})
	f, err := os.OpenFile(j.Dir()+"/meta.lock", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	if err := j.SetMeta(j.Meta()); !errors.Is(err, errBusy) {
		t.Errorf("with the lock held: %v, want busy", err)
	}
	// Reading goes on: it takes no lock.
	if err := j.Reload(); err != nil {
		t.Error(err)
	}
}
