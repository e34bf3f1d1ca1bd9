package main

import (
	"context"
	enc "encoding/binary"
	"errors"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/pairmux/pairmux/shape"
)

// lines.cache beside a journal remembers where some of its lines begin, so that
// lines near the end of gigabytes are found without reading what is before. It
// is only a cache: missing, stale, damaged or not writable it costs time and
// changes nothing.

const (
	lineCacheName  = "lines.cache"
	lineCacheMagic = "pairmux lines 1\n"
	// placesEvery is how far apart places are: what a range reads in vain.
	placesEvery = 1 << 20
	// placesPay is how much must lie before a range for places to be looked up.
	placesPay = 8 << 20
	// seamBytes are compared with the journal to find it replaced.
	seamBytes = 32
)

// lineCache is the content of lines.cache: places relative to base, good for
// one size of the pane.
type lineCache struct {
	base, cols, rows int64
	// read is how far the journal has been searched for places.
	read   int64
	places []shape.Place
	seam   [seamBytes]byte // what stands in front of the last place
}

// The file: the magic, base, columns, rows, read and the number of places, the
// places as pairs, all in 8 bytes little-endian, the seam, and a CRC-32 of all
// that.
const lineCacheHead = len(lineCacheMagic) + 5*8

func (c *lineCache) encode() []byte {
	b := append(make([]byte, 0, lineCacheHead+len(c.places)*16+seamBytes+4), lineCacheMagic...)
	put := func(n int64) { b = enc.LittleEndian.AppendUint64(b, uint64(n)) }
	for _, n := range []int64{c.base, c.cols, c.rows, c.read, int64(len(c.places))} {
		put(n)
	}
	for _, p := range c.places {
		put(p.Line)
		put(p.Offset)
	}
	b = append(b, c.seam[:]...)
	return enc.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
}

// decode reads what encode wrote; false for anything else.
func (c *lineCache) decode(b []byte) bool {
	if len(b) < lineCacheHead+seamBytes+4 || string(b[:len(lineCacheMagic)]) != lineCacheMagic {
		return false
	}
	body := b[:len(b)-4]
	if enc.LittleEndian.Uint32(b[len(body):]) != crc32.ChecksumIEEE(body) {
		return false
	}
	get := func(at int) int64 { return int64(enc.LittleEndian.Uint64(b[at:])) }
	at, n := len(lineCacheMagic), int64(0)
	for _, p := range []*int64{&c.base, &c.cols, &c.rows, &c.read, &n} {
		*p = get(at)
		at += 8
	}
	if n < 0 || int64(len(body)-at-seamBytes) != n*16 {
		return false
	}
	c.places = make([]shape.Place, n)
	for i := range c.places {
		c.places[i] = shape.Place{Line: get(at), Offset: get(at + 8)}
		at += 16
	}
	copy(c.seam[:], body[at:])
	return true
}

// before returns the last place in front of line n.
func (c *lineCache) before(n int64) shape.Place {
	i, _ := slices.BinarySearchFunc(c.places, n, func(p shape.Place, n int64) int {
		if p.Line < n {
			return -1
		}
		return 1
	})
	if i == 0 {
		return shape.Place{}
	}
	return c.places[i-1]
}

func (c *lineCache) end() shape.Place {
	if len(c.places) == 0 {
		return shape.Place{}
	}
	return c.places[len(c.places)-1]
}

// lineCache reads the cache, empty where there is none that fits the journal.
func (t *terminal) lineCache(base, size int64) *lineCache {
	grid := t.grid()
	fresh := &lineCache{base: base, cols: int64(grid.Cols), rows: int64(grid.Rows)}
	b, err := os.ReadFile(t.lineCachePath())
	if err != nil {
		return fresh
	}
	var c lineCache
	if !c.decode(b) || c.base != base || c.cols != fresh.cols || c.rows != fresh.rows || c.read > size-base || c.end().Offset > c.read {
		return fresh
	}
	if len(c.places) > 0 && c.seam != t.seam(base+c.end().Offset) {
		return fresh
	}
	return &c
}

func (t *terminal) lineCachePath() string { return filepath.Join(t.j.Dir(), lineCacheName) }

// seam reads what stands in front of an offset.
func (t *terminal) seam(at int64) (b [seamBytes]byte) {
	_, _ = t.j.ReadAt(b[:], at-seamBytes)
	return b
}

var errFound = errors.New("found")

// placeBefore finds where reading for line n can begin, and extends the cache
// as far as that takes.
func (t *terminal) placeBefore(ctx context.Context, base, size, n int64) (shape.Place, error) {
	if n <= 1 || size-base < placesPay {
		return shape.Place{}, nil
	}
	c := t.lineCache(base, size)
	from := c.end()
	if from.Line >= n || size-base-max(c.read, from.Offset) < placesPay {
		return c.before(n), nil
	}
	had := len(c.places)
	err := shape.Index(ctx, t.j.Section(base+from.Offset, size), placesEvery, t.grid(), func(p shape.Place) error {
		p.Line += from.Line
		p.Offset += from.Offset
		c.places = append(c.places, p)
		c.read = p.Offset
		if p.Line >= n {
			return errFound
		}
		return nil
	})
	switch {
	case err == nil:
		c.read = size - base
	case !errors.Is(err, errFound):
		return shape.Place{}, err
	}
	if len(c.places) > had || err == nil {
		c.seam = t.seam(base + c.end().Offset)
		// A base that has moved since makes the file stale, not wrong.
		_ = c.save(t.lineCachePath())
	}
	return c.before(n), nil
}

// save replaces the file by one rename. A file that another process is writing
// is left to it, unless that must have died.
func (c *lineCache) save(path string) error {
	made := path + ".new"
	f, err := os.OpenFile(made, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		if st, e := os.Stat(made); e == nil && time.Since(st.ModTime()) > time.Minute {
			_ = os.Remove(made)
		}
		return err
	}
	_, err = f.Write(c.encode())
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(made, path)
	}
	if err != nil {
		_ = os.Remove(made)
	}
	return err
}
