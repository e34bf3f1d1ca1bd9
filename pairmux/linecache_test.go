package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/matryer/is"
	"github.com/pairmux/pairmux/journal"
	"github.com/pairmux/pairmux/shape"
)

// bulky is a terminal with a journal of numbered lines, without tmux.
func bulky(t *testing.T, lines int) *terminal {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "t")
	j, err := journal.Create(dir, journal.Meta{Name: "t", Size: "80x24"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.Close() })
	grow(t, dir, 1, lines)
	return (&environment{}).wrap("t", j)
}

func grow(t *testing.T, dir string, from, to int) {
	t.Helper()
	var b strings.Builder
	for i := from; i <= to; i++ {
		fmt.Fprintf(&b, "\x1b[1mline %d\x1b[0m %s\r\n", i, strings.Repeat("x", i%50))
	}
	f, err := os.OpenFile(filepath.Join(dir, "raw.log"), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(b.String()); err != nil {
		t.Fatal(err)
	}
}

// lineAt reads line n by way of the cache, and how many bytes were passed over.
func lineAt(t *testing.T, term *terminal, n int64) (line string, begin int64) {
	t.Helper()
	size, err := term.j.Size()
	if err != nil {
		t.Fatal(err)
	}
	p, err := term.placeBefore(context.Background(), term.j.Base(), size, n)
	if err != nil {
		t.Fatal(err)
	}
	err = shape.Range(term.j.Section(p.Offset, size), n-p.Line, n-p.Line, term.grid(), func(_ int64, b []byte) error {
		line = string(b)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return line, p.Offset
}

func TestLineCacheFindsEveryLine(t *testing.T) {
	is := is.New(t)
	const lines = 300_000
	term := bulky(t, lines)
	size, err := term.j.Size()
	is.NoErr(err)
	want := func(n int64) string { return fmt.Sprintf("line %d %s", n, strings.Repeat("x", int(n%50))) }
	check := func(n int64) int64 {
		t.Helper()
		line, begin := lineAt(t, term, n)
		is.Equal(strings.TrimRight(line, " "), strings.TrimRight(want(n), " "))
		return begin
	}
	// The last first: what was found on the way is kept.
	is.True(check(lines) > size-2*placesEvery-shapeBlock)
	before, err := os.ReadFile(term.lineCachePath())
	is.NoErr(err)
	st, err := os.Stat(term.lineCachePath())
	is.NoErr(err)
	is.Equal(st.Mode().Perm(), os.FileMode(0o600))
	for n := int64(1); n <= lines; n += 9973 {
		check(n)
	}
	after, err := os.ReadFile(term.lineCachePath())
	is.NoErr(err)
	is.Equal(before, after) // nothing new to know

	// The journal grows: the places go on.
	grow(t, term.j.Dir(), lines+1, 2*lines)
	check(2 * lines)
	grown, err := os.ReadFile(term.lineCachePath())
	is.NoErr(err)
	is.True(len(grown) > len(after))
	is.Equal(string(grown[lineCacheHead:len(after)-seamBytes-4]), string(after[lineCacheHead:len(after)-seamBytes-4]))
}

// shapeBlock is how far shape reads to decide where it could begin.
const shapeBlock = 256 << 10

func TestLineCacheIsNeverBelieved(t *testing.T) {
	is := is.New(t)
	term := bulky(t, 300_000)
	lineAt(t, term, 299_999)
	good, err := os.ReadFile(term.lineCachePath())
	is.NoErr(err)
	size, err := term.j.Size()
	is.NoErr(err)
	right := func() {
		t.Helper()
		line, _ := lineAt(t, term, 299_999)
		is.True(strings.HasPrefix(line, "line 299999 "))
	}
	for _, bad := range [][]byte{
		{}, good[:len(good)/2], []byte(strings.Repeat("garbage", 100)),
		append(append([]byte(nil), good[:100]...), append([]byte{good[100] ^ 1}, good[101:]...)...),
	} {
		is.NoErr(os.WriteFile(term.lineCachePath(), bad, 0o600))
		is.Equal(len(term.lineCache(0, size).places), 0)
		right()
	}
	var c lineCache
	is.True(c.decode(good))
	is.Equal(len(term.lineCache(1, size).places), 0)              // another base
	is.Equal(len(term.lineCache(0, c.read-1).places), 0)          // a journal that shrank
	is.True(len(term.lineCache(0, size).places) == len(c.places)) // as it is
	term.meta.Size = "100x24"                                     // another width
	is.Equal(len(term.lineCache(0, size).places), 0)
	term.meta.Size = "80x24"

	// The same length, other bytes.
	raw := filepath.Join(term.j.Dir(), "raw.log")
	f, err := os.OpenFile(raw, os.O_WRONLY, 0)
	is.NoErr(err)
	_, err = f.WriteAt([]byte("!"), c.end().Offset-int64(len("!\r\n")))
	is.NoErr(err)
	is.NoErr(f.Close())
	is.Equal(len(term.lineCache(0, size).places), 0)

	// Not writable: it costs time, and nothing else.
	is.NoErr(os.Remove(term.lineCachePath()))
	is.NoErr(os.Mkdir(term.lineCachePath(), 0o700))
	right()
	is.NoErr(os.Remove(term.lineCachePath()))
	is.NoErr(os.WriteFile(term.lineCachePath()+".new", nil, 0o600)) // somebody writes it
	right()
	_, err = os.Stat(term.lineCachePath())
	is.True(os.IsNotExist(err))
}
