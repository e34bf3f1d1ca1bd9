package journal

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
)

func TestJ31ReadAt(t *testing.T) {
	j := newJournal(t, Meta{Name: "build", Base: 100})
	raw := []byte("no final newline\r\n\x00\xff\xfe漢")
	writeFile(t, j.Dir()+"/raw.log", string(raw))
	end := int64(100 + len(raw))
	if n, err := j.Size(); n != end || err != nil {
		t.Fatalf("size %d, %v", n, err)
	}
	for _, c := range []struct {
		off  int64
		n    int
		want string
		err  error
	}{
		{100, 2, "no", nil},
		{103, 5, "final", nil},
		{100, len(raw), string(raw), nil},
		{end - 3, 9, "漢", io.EOF},
		{end, 1, "", io.EOF},
		{end + 1000, 1, "", io.EOF},
		{99, 5, "", ErrRotatedAway},
		{0, 1, "", ErrRotatedAway},
		{-1, 1, "", ErrRotatedAway},
	} {
		b := make([]byte, c.n)
		n, err := j.ReadAt(b, c.off)
		if string(b[:n]) != c.want || !errors.Is(err, c.err) {
			t.Errorf("ReadAt(%d, %d) = %q, %v; want %q, %v", c.off, c.n, b[:n], err, c.want, c.err)
		}
	}
	for _, c := range []struct {
		from, to int64
		want     string
		err      error
	}{
		{100, 102, "no", nil},
		{100, end + 50, string(raw), nil},
		{105, 105, "", nil},
		{105, 104, "", nil},
		{end, end + 9, "", nil},
		{50, 104, "", ErrRotatedAway},
	} {
		b, err := io.ReadAll(j.Section(c.from, c.to))
		if string(b) != c.want || !errors.Is(err, c.err) {
			t.Errorf("Section(%d, %d) = %q, %v; want %q, %v", c.from, c.to, b, err, c.want, c.err)
		}
	}
}

// A reader that was there first keeps what is rotated away, and goes on in the new file.
func TestJ33ReadersSurviveRotation(t *testing.T) {
	j := newJournal(t, Meta{Name: "build"})
	const total = 200_000
	var early, whole io.Reader
	b := make([]byte, 16)
	pumpAll(t, j.Dir(), &script{pieces: []func() []byte{
		func() []byte { return numbered(0, 20_000) },
		func() []byte {
			early, whole = j.Section(0, 20_000), j.Section(0, total)
			if n, err := whole.Read(b); n != 16 || err != nil {
				t.Errorf("first read: %d, %v", n, err)
			}
			return numbered(20_000, total)
		},
	}}, PumpOptions{MaxJournal: 30_000})
	if got, err := io.ReadAll(early); err != nil || !bytes.Equal(got, numbered(0, 20_000)) {
		t.Errorf("the early section: %d bytes, %v", len(got), err)
	}
	// This one wants bytes that went past between its file's end and the new base.
	if _, err := io.ReadAll(whole); !errors.Is(err, ErrRotatedAway) {
		t.Errorf("the long section: %v, want ErrRotatedAway", err)
	}
	checkNumbered(t, j, total)
	if _, err := j.ReadAt(b, 0); !errors.Is(err, ErrRotatedAway) {
		t.Errorf("offset 0: %v, want ErrRotatedAway", err)
	}
	if n, err := j.ReadAt(b, j.Base()); n != 16 || err != nil {
		t.Errorf("at the base: %d, %v", n, err)
	}
}

func TestRawMissing(t *testing.T) {
	j := newJournal(t, Meta{Name: "build", Base: 7})
	writeFile(t, j.Dir()+"/raw.log", "abc")
	os.Remove(j.Dir() + "/raw.log")
	if n, err := j.Size(); n != 10 || err != nil {
		t.Errorf("whoever has it open: size %d, %v", n, err)
	}
	late, err := Open(j.Dir())
	if err != nil {
		t.Fatal(err)
	}
	defer late.Close()
	if w := late.Warnings(); len(w) != 1 || !strings.Contains(w[0], "raw.log is missing") {
		t.Errorf("warnings %q", w)
	}
	if n, err := late.Size(); n != 7 || err != nil {
		t.Errorf("size %d, %v", n, err)
	}
	if n, err := late.ReadAt(make([]byte, 1), 7); n != 0 || err != io.EOF {
		t.Errorf("read %d, %v", n, err)
	}
	if b, err := io.ReadAll(late.Section(7, 99)); len(b) != 0 || err != nil {
		t.Errorf("section %q, %v", b, err)
	}
	// The pump makes it anew; both readers find it.
	pumpAll(t, j.Dir(), strings.NewReader("later"), PumpOptions{})
	for _, r := range []*Journal{j, late} {
		end, err := r.Size()
		if err != nil || r.Base() != end-5 {
			t.Fatalf("base %d, size %d, %v", r.Base(), end, err)
		}
		if b, err := io.ReadAll(r.Section(r.Base(), end)); string(b) != "later" || err != nil {
			t.Errorf("read %q, %v", b, err)
		}
	}
	if _, err := Open(j.Dir() + "/none"); !errors.Is(err, ErrNotFound) {
		t.Errorf("no directory: %v", err)
	}
	if _, err := Open(t.TempDir()); !errors.Is(err, ErrNotFound) {
		t.Errorf("an empty directory: %v", err)
	}
	if _, err := Open(j.Dir() + "/raw.log"); !errors.Is(err, ErrNotFound) {
		t.Errorf("a file: %v", err)
	}
}
