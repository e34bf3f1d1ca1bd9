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
// during the call. A line over 8 MiB is matched and given in parts of that size,
// each under its number.
//
// Grep blocks until src ends and uses all cores; emit and Gap are called by the
// calling goroutine alone. It returns the first error of emit, Gap or src, or
// the context's.
func Grep(ctx context.Context, src io.Reader, o GrepOptions, emit func(n int64, line []byte, match bool) error) error {
	return grep(ctx, src, o, blockSize, emit)
}

func grep(ctx context.Context, src io.Reader, o GrepOptions, size int, emit func(n int64, line []byte, match bool) error) error {
	g := &grepper{m: newMatcher(o.Pattern), g: grouper{o: o, emit: emit}}
	return scan(ctx, src, o.Options, size, g)
}

// grepper is the chooser of lines that match.
type grepper struct {
	m *matcher
	g grouper
}

func (g *grepper) start(int64, int64) error { return nil }

func (g *grepper) line(n int64, line []byte) error {
	return g.g.line(n, line, g.m.match(line))
}

func (g *grepper) search(b *block) { g.m.find(b) }

// block gives the hits of a block and the lines around them; all other lines
// are passed over.
func (g *grepper) block(first int64, b *block, n, end int) error {
	text := b.text[:end]
	c := max(g.g.o.Context, 0)
	done, at := 0, 0 // lines, bytes passed
	give := func(upTo int, match bool) error {
		for ; done < upTo; done++ {
			line, next := nextLine(text[at:])
			if err := g.g.line(first+int64(done), line, match && done == upTo-1); err != nil {
				return err
			}
			at += next
		}
		return nil
	}
	for _, h := range b.hits {
		if h.index >= n {
			break
		}
		// What the match before wants behind it.
		if err := give(min(h.index, done+g.g.after), false); err != nil {
			return err
		}
		if h.index-c > done {
			g.g.forget()
			done, at = backUp(text, h.index, h.start, c)
		}
		if err := give(h.index+1, true); err != nil {
			return err
		}
	}
	if err := give(min(n, done+g.g.after), false); err != nil {
		return err
	}
	if n-c > done {
		g.g.forget()
		done, at = backUp(text, n, end, c)
	}
	return give(n, false)
}

// backUp returns the line c lines before line index, which begins at byte at.
func backUp(text []byte, index, at, c int) (line, start int) {
	for ; c > 0 && index > 0; c-- {
		index--
		for at--; at > 0 && text[at-1] != '\n'; at-- {
		}
	}
	return index, at
}
