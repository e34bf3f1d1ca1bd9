package shape

import (
	"context"
	"io"
)

// Place is a point of an input at which it can be cut: the lines in front of it
// are final, and those behind it come out the same if rendering begins there.
type Place struct {
	Line   int64 // lines in front of it
	Offset int64 // bytes in front of it
}

// Index calls emit with places of src that are at least every bytes apart, in
// order, so that later a [Range] can begin at one: line n of the whole is line
// n - Line of what is behind Offset. Where output moves over the screen for long
// there are none. The caller may store places and go on from the last one when
// src has grown; they hold for one size of the pane.
//
// Index blocks until src ends and returns the first error of emit or src, or the
// context's.
func Index(ctx context.Context, src io.Reader, every int64, o Options, emit func(Place) error) error {
	return indexOf(ctx, src, every, o, blockSize, emit)
}

func indexOf(ctx context.Context, src io.Reader, every int64, o Options, size int, emit func(Place) error) error {
	return scan(ctx, src, o, size, &indexer{every: every, emit: emit})
}

// indexer is the chooser of nothing that notes where one could begin.
type indexer struct {
	every, last int64
	emit        func(Place) error
}

func (x *indexer) search(*block)                       {}
func (x *indexer) line(int64, []byte) error            { return nil }
func (x *indexer) block(int64, *block, int, int) error { return nil }
func (x *indexer) start(n, at int64) error {
	if at == 0 || at-x.last < x.every {
		return nil
	}
	x.last = at
	return x.emit(Place{n, at})
}
