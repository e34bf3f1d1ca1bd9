package shape

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"testing/iotest"
)

func rangeLines(t *testing.T, src io.Reader, a, b int64, o Options, size int) (got []string) {
	t.Helper()
	err := rangeOf(src, a, b, o, size, func(n int64, line []byte) error {
		got = append(got, fmt.Sprintf("%d:%s", n, line))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// TestRangeEqualsRender: any range, read in blocks of any size, from the start
// or from any place of the index, has the lines that rendering the whole has.
func TestRangeEqualsRender(t *testing.T) {
	places := 0
	for seed := range uint64(600) {
		rng := rand.New(rand.NewPCG(seed, 5))
		g := generator{rng, 5 + rng.IntN(40), 2 + rng.IntN(6)}
		in := g.localProgram([]int{0, 10, 30}[rng.IntN(3)])
		o := Options{Cols: g.cols, Rows: g.rows}
		all := rendered(in, o)
		for i := range all {
			all[i] = fmt.Sprintf("%d:%s", i+1, all[i])
		}
		size := 1 + rng.IntN(200)
		a := 1 + rng.IntN(len(all)+2)
		b := a - 1 + rng.IntN(len(all)+2)
		want := all[min(a-1, len(all)):min(b, len(all))]
		if got := rangeLines(t, bytes.NewReader(in), int64(a), int64(b), o, size); strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Fatalf("seed %d, %d:%d of %q\ngot %q\nwant %q", seed, a, b, in, got, want)
		}
		want = all[min(a-1, len(all)):]
		if got := rangeLines(t, bytes.NewReader(in), int64(a), -1, o, size); strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Fatalf("seed %d, %d:end of %q\ngot %q\nwant %q", seed, a, in, got, want)
		}
		err := indexOf(context.Background(), bytes.NewReader(in), int64(size), o, size, func(p Place) error {
			places++
			var got []string
			r := NewRenderer(o, func(line []byte) { got = append(got, string(line)) })
			r.Write(in[p.Offset:])
			r.Close()
			for i := range got {
				got[i] = fmt.Sprintf("%d:%s", int64(i)+p.Line+1, got[i])
			}
			if strings.Join(got, "\n") != strings.Join(all[min(int(p.Line), len(all)):], "\n") {
				return fmt.Errorf("from %+v\ngot %q\nwant %q", p, got, all[p.Line:])
			}
			return nil
		})
		if err != nil {
			t.Fatalf("seed %d, %q: %v", seed, in, err)
		}
	}
	if places < 100 {
		t.Fatalf("only %d places to begin at were found", places)
	}
}

func TestRangeStopsReading(t *testing.T) {
	read := 0
	src := io.TeeReader(&endless{}, writerFunc(func(p []byte) { read += len(p) }))
	var got []string
	err := Range(src, 3, 4, Options{}, func(n int64, line []byte) error {
		got = append(got, fmt.Sprintf("%d:%s", n, line))
		return nil
	})
	if want := "[3:line 4:line]"; err != nil || fmt.Sprint(got) != want {
		t.Fatalf("got %v, %v", got, err)
	}
	if read > 64*blockSize {
		t.Fatalf("read %d bytes for four lines", read)
	}
}

// endless says "line" for ever.
type endless struct{}

func (*endless) Read(p []byte) (int, error) {
	n := 0
	for n+6 <= len(p) {
		n += copy(p[n:], "line\r\n")
	}
	if n == 0 {
		return copy(p, "line\r\n"[:len(p)]), nil
	}
	return n, nil
}

type writerFunc func(p []byte)

func (f writerFunc) Write(p []byte) (int, error) {
	f(p)
	return len(p), nil
}

func TestScanErrors(t *testing.T) {
	bad := errors.New("bad")
	in := strings.Repeat("a line\r\n", 200)
	emit := func(int64, []byte) error { return nil }
	for name, err := range map[string]error{
		"of src":  Range(io.MultiReader(strings.NewReader(in), iotest.ErrReader(bad)), 1, -1, Options{}, emit),
		"of emit": Range(strings.NewReader(in), 1, -1, Options{}, func(int64, []byte) error { return bad }),
		"of emit, rendered": Range(strings.NewReader("few\r\nlines"), 1, -1, Options{},
			func(int64, []byte) error { return bad }),
		"of grep's emit": Grep(context.Background(), strings.NewReader(in), GrepOptions{}, func(int64, []byte, bool) error { return bad }),
		"of gap": Grep(context.Background(), strings.NewReader("x\r\n\r\n\r\n\r\n\r\nx\r\n"), GrepOptions{
			Pattern: regexp.MustCompile("x"), Context: 1, Gap: func() error { return bad }}, func(int64, []byte, bool) error { return nil }),
		"of index's emit": Index(context.Background(), strings.NewReader(strings.Repeat(in, 500)), 1, Options{}, func(Place) error { return bad }),
	} {
		if err != bad {
			t.Errorf("error %s: got %v", name, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	n := 0
	err := Grep(ctx, &endless{}, GrepOptions{}, func(int64, []byte, bool) error {
		if n++; n == 1000 {
			cancel()
		}
		return nil
	})
	if err != context.Canceled {
		t.Errorf("cancelled: got %v", err)
	}
}

// TestSlowReader: a source that gives a byte at a time, or nothing, is read to
// its end.
func TestSlowReader(t *testing.T) {
	in := "one\r\n\x1b[1mtwo\x1b[m\r\nthree"
	src := iotest.OneByteReader(iotest.DataErrReader(strings.NewReader(in)))
	if got, want := fmt.Sprint(rangeLines(t, src, 1, -1, Options{}, 100)), "[1:one 2:two 3:three]"; got != want {
		t.Fatalf("got %v", got)
	}
}

// TestHugeLineIsOneNumber: a line beyond maxLine is matched in parts, and the
// next line has the next number.
func TestHugeLineIsOneNumber(t *testing.T) {
	in := bytes.Repeat([]byte("x"), 2*maxLine+5)
	in = append(in, "END\r\nnext\r\n"...)
	total := map[int64]int{}
	err := Range(bytes.NewReader(in), 1, -1, Options{}, func(n int64, line []byte) error {
		total[n] += len(line)
		if len(line) > maxLine+maxPiece+200 {
			t.Errorf("part of %d bytes", len(line))
		}
		return nil
	})
	if err != nil || len(total) != 2 || total[1] != 2*maxLine+8 || total[2] != 4 {
		t.Fatalf("%v, %v", total, err)
	}
}
