package shape

import (
	"bytes"
	"context"
	"errors"
	"io"
	"runtime"
)

const (
	blockSize = 256 << 10

	// maxLine is the longest line that selections see in one piece.
	maxLine = 8 << 20
)

// errEnough ends a scan early.
var errEnough = errors.New("enough lines")

// chooser decides what a scan is for.
type chooser interface {
	// search looks at a local block. It is called for many blocks at once.
	search(b *block)
	// block takes the block's first n lines, up to text[:end], of which the
	// first has the number first.
	block(first int64, b *block, n, end int) error
	// line takes a line that had to be rendered together with others.
	line(n int64, line []byte) error
	// start says that the input may as well be cut at offset at, in front of
	// line n: nothing behind it changes what is before.
	start(n, at int64) error
}

// scan reads src to its end and gives all of its lines to c, in order. The
// blocks are shaped on all cores; what is not local is rendered here.
func scan(ctx context.Context, src io.Reader, o Options, size int, c chooser) error {
	ctx, cancel := context.WithCancel(ctx)
	workers := runtime.GOMAXPROCS(0)
	jobs := make(chan *block, workers)
	ordered := make(chan *block, 2*workers)
	free := make(chan *block, 4*workers)
	reading := make(chan struct{})
	defer func() {
		cancel()
		<-reading // src belongs to the caller again
	}()
	for range workers {
		go func() {
			s := newShaper(o)
			for b := range jobs {
				if s.shape(b); b.local {
					c.search(b)
				}
				b.done <- struct{}{}
			}
		}()
	}
	go func() {
		defer close(reading)
		defer close(ordered)
		defer close(jobs)
		readBlocks(ctx, src, size, free, func(b *block) bool {
			select {
			case ordered <- b:
			case <-ctx.Done():
				return false
			}
			jobs <- b // cannot stay full: workers never wait
			return true
		})
	}()
	j := newJoiner(o, c)
	for b := range ordered {
		<-b.done
		if err := ctx.Err(); err != nil {
			return err
		}
		err := b.err
		if err == nil || err == io.EOF {
			err = j.add(b)
		}
		if err == nil && b.err == io.EOF {
			err = j.end()
		}
		if err != nil || b.err != nil {
			return err
		}
		if spent := j.spent; spent != nil {
			j.spent = nil
			select {
			case free <- spent:
			default:
			}
		}
	}
	return ctx.Err()
}

// readBlocks cuts src into blocks of up to size bytes that end with a line where that is possible,
// the last one with src or the error that ended it.
func readBlocks(ctx context.Context, src io.Reader, size int, free chan *block, give func(*block) bool) {
	var rest []byte
	at := int64(0)
	for {
		var b *block
		select {
		case b = <-free:
		default:
			b = &block{done: make(chan struct{}, 1)}
		}
		if cap(b.raw) < size {
			b.raw = make([]byte, 0, size)
		}
		b.raw = append(b.raw[:0], rest...)
		b.err = nil
		n := 0
		for len(b.raw) < size && b.err == nil && ctx.Err() == nil {
			n, b.err = src.Read(b.raw[len(b.raw):size])
			b.raw = b.raw[:len(b.raw)+n]
		}
		rest = rest[:0]
		if b.err == nil {
			if end := bytes.LastIndexByte(b.raw, '\n') + 1; end > 0 {
				rest = append(rest, b.raw[end:]...)
				b.raw = b.raw[:end]
			}
		}
		b.at = at
		at += int64(len(b.raw))
		last := b.err != nil
		if !give(b) || last {
			return
		}
	}
}

// joiner puts the blocks together again. It holds the latest local block back
// until it is known that what follows does not reach into it, and renders from
// its last rows on what is not local.
type joiner struct {
	c         chooser
	r         *Renderer
	rendering bool
	n         int64 // lines given so far
	held      *block
	spent     *block
	joined    []byte
	err       error
}

func newJoiner(o Options, c chooser) *joiner {
	j := &joiner{c: c}
	j.r = NewRenderer(o, j.rendered)
	return j
}

// rendered takes a line, or a piece of one, from the renderer.
func (j *joiner) rendered(line []byte) {
	if j.err != nil {
		return
	}
	more := j.r.more
	if more || len(j.joined) > 0 {
		j.joined = append(j.joined, line...)
		if more && len(j.joined) < maxLine {
			return
		}
		line = j.joined
	}
	j.err = j.c.line(j.n+1, line)
	if !more {
		j.n++
		if cap(j.joined) > 1<<20 {
			j.joined = nil
		}
	}
	j.joined = j.joined[:0]
}

func (j *joiner) add(b *block) error {
	switch {
	case b.local && b.roomy && (!j.rendering || j.r.settled()):
		if j.rendering {
			j.r.flush()
			j.rendering = false
			if j.err != nil {
				return j.err
			}
		}
		if err := j.release(false); err != nil {
			return err
		}
		j.held = b
		return j.c.start(j.n, b.at)
	case !j.rendering:
		j.rendering = true
		if held := j.held; held != nil {
			if err := j.release(true); err != nil {
				return err
			}
			j.restart(held.at + int64(held.tailRaw))
			j.r.Write(held.raw[held.tailRaw:])
		} else {
			j.restart(b.at)
		}
	}
	j.r.Write(b.raw)
	if j.spent == nil {
		j.spent = b
	}
	return j.err
}

// restart makes the renderer begin anew at an offset of the input.
func (j *joiner) restart(at int64) {
	j.r.Close()
	j.r.seen, j.r.offset = at, at
}

// release gives the lines of the block held, but for the last rows if they are
// to be rendered again.
func (j *joiner) release(butTail bool) error {
	b := j.held
	if b == nil {
		return nil
	}
	n, end := b.lines, len(b.text)
	if butTail {
		n, end = b.tailLines, b.tailText
	}
	err := j.c.block(j.n+1, b, n, end)
	j.n += int64(n)
	j.held = nil
	if !butTail {
		j.spent = b
	}
	return err
}

func (j *joiner) end() error {
	if j.rendering {
		j.r.Close()
		return j.err
	}
	return j.release(false)
}

// settled reports whether the next line begins as on a new screen: nothing
// stands beside or below the cursor and no mode is set. A saved cursor does not
// count: whoever restores one saved it shortly before.
func (r *Renderer) settled() bool {
	if r.state != ground || r.charLen > 0 || r.alternate || r.cx != 0 || r.upper != 0 || r.lower != r.rows-1 ||
		r.noWrap || r.insert || r.origin || r.shifted || r.special != [2]bool{} || !r.stops.usual() {
		return false
	}
	ro := r.at(r.cy)
	return ro.bareNote() && ro.notes == nil && r.lastRow() == r.cy-1 && (r.cy > 0 && !r.at(r.cy-1).wrapped || r.cy == 0 && !r.open)
}
