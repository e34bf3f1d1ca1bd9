package shape

import (
	"context"
	"io"
)

// Range calls emit with lines a to b of src, both included, the first line
// being 1; b < 0 stands for the last one. What is beyond the end is not there.
// The slice is valid only during the call. A line over 8 MiB is given in parts
// of that size, each under its number.
//
// Range blocks until line b is final or src ends and returns the first error of
// emit or src. To begin in the middle of a large input see [Index].
func Range(src io.Reader, a, b int64, o Options, emit func(n int64, line []byte) error) error {
	return rangeOf(src, a, b, o, blockSize, emit)
}

func rangeOf(src io.Reader, a, b int64, o Options, size int, emit func(n int64, line []byte) error) error {
	if b >= 0 && b < a {
		return nil
	}
	err := scan(context.Background(), src, o, size, &ranger{a, b, emit})
	if err == errEnough {
		return nil
	}
	return err
}

// ranger is the chooser of lines by number.
type ranger struct {
	a, b int64
	emit func(n int64, line []byte) error
}

func (r *ranger) search(*block)            {}
func (r *ranger) start(int64, int64) error { return nil }

func (r *ranger) line(n int64, line []byte) error {
	if n >= r.a {
		if r.b >= 0 && n > r.b {
			return errEnough
		}
		return r.emit(n, line)
	}
	return nil
}

func (r *ranger) block(first int64, b *block, n, end int) error {
	if r.b >= 0 && first > r.b {
		return errEnough
	}
	if first+int64(n) <= r.a {
		return nil
	}
	text := b.text[:end]
	for i := int64(0); i < int64(n); i++ {
		line, next := nextLine(text)
		text = text[next:]
		if err := r.line(first+i, line); err != nil {
			return err
		}
	}
	return nil
}
