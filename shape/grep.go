package shape

import (
	"context"
	"io"
	"regexp"
)

// GrepOptions says what [Grep] looks for.
type GrepOptions struct {
	Options
	// Pattern is matched against each line; nil matches every line.
	Pattern *regexp.Regexp
	// Context is how many lines before and after a match are given too.
	Context int
	// Gap, if set, is called between two groups of lines that are not
	// adjacent, if Context is not 0.
	Gap func() error
}

// Grep calls emit with every line of src that matches and the lines around it,
// in order, numbered from 1 over the whole of src. The slice is valid only
// during the call. Grep blocks until src ends; it returns the first error of
// emit, Gap or src, or the context's.
func Grep(ctx context.Context, src io.Reader, o GrepOptions, emit func(n int64, line []byte, match bool) error) error {
	g := &grouper{o: o, emit: emit}
	err := number(ctx, src, o.Options, func(n int64, line []byte) error {
		return g.line(n, line, o.Pattern == nil || o.Pattern.Match(line))
	})
	return err
}

// Range calls emit with lines a to b of src, both included, the first line
// being 1; b < 0 stands for the last one. What is beyond the end is not there.
// The slice is valid only during the call. Range blocks until line b is final
// or src ends, and returns the first error of emit or src.
func Range(src io.Reader, a, b int64, o Options, emit func(n int64, line []byte) error) error {
	err := number(context.Background(), src, o, func(n int64, line []byte) error {
		if n < a {
			return nil
		}
		if b >= 0 && n > b {
			return errEnough
		}
		return emit(n, line)
	})
	if err == errEnough {
		return nil
	}
	return err
}
