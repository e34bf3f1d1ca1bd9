package envelope

import (
	"errors"
	"fmt"
	"io"
	"slices"
)

// ErrPartial is what [Reply.StreamJSON] and [Reply.StreamText] return when
// output failed after a part of it had been written. The reply that was written
// is complete in form and carries a warning; no other reply may follow it.
var ErrPartial = errors.New("reply holds a part of its output")

// StreamJSON is [Reply.WriteJSON] for an output that is not in memory: output
// is called with a writer and writes it there, in pieces of any size. The
// reply's own Output is not used. Fields that are written before output (SPEC
// 2: schema to cmd_id) are read before the call; output may still set the
// others. Memory stays bounded whatever is written.
//
// If output returns an error before anything has reached w, that error is
// returned and w is untouched, so that an error reply can take its place;
// later, the reply is finished with a warning and the error wraps [ErrPartial]
// too. An error of w is returned as it is.
func (r *Reply) StreamJSON(w io.Writer, output func(io.Writer) error) error {
	s := &stream{
		w:      w,
		buf:    r.appendHead(nil),
		open:   `,"output":"`,
		escape: appendJSON,
	}
	return s.run(r, output, `"`, (*Reply).appendTail)
}

// StreamText is [Reply.WriteText] for an output that is not in memory; it works
// like [Reply.StreamJSON]. Tables are among what is written before output.
func (r *Reply) StreamText(w io.Writer, o TextOptions, output func(io.Writer) error) error {
	s := &stream{
		w:      w,
		buf:    r.appendTextHead(nil, o, true),
		open:   outputIndent,
		escape: func(dst []byte, s string) []byte { return appendText(dst, s, outputIndent) },
		holdCR: true,
	}
	return s.run(r, output, "\n", func(r *Reply, b []byte) []byte { return r.appendTextTail(b, o) })
}

// streamChunk bounds the bytes that are escaped at a time, and the buffer.
const streamChunk = 32 << 10

type stream struct {
	w      io.Writer
	buf    []byte
	open   string // written before the first byte
	escape func(dst []byte, s string) []byte
	holdCR bool // a CR is judged together with the byte that follows it

	opened  bool
	carry   []byte // the end of the last piece, not yet decidable
	written bool   // something has reached w
	err     error  // of w
}

func (s *stream) run(r *Reply, output func(io.Writer) error, closing string, tail func(*Reply, []byte) []byte) error {
	failure := output(s)
	if s.err != nil {
		return s.err
	}
	if failure != nil {
		if !s.written {
			return failure
		}
		warned := *r
		warned.Warnings = append(slices.Clone(r.Warnings), "the output breaks off: "+failure.Error())
		r = &warned
		failure = fmt.Errorf("%w: %w", ErrPartial, failure)
	}
	s.buf = s.escape(s.buf, string(s.carry))
	if s.opened {
		s.buf = append(s.buf, closing...)
	}
	s.buf = tail(r, s.buf)
	if _, err := s.w.Write(s.buf); err != nil {
		return err
	}
	return failure
}

func (s *stream) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		if s.err != nil {
			return len(p) - len(rest), s.err
		}
		if !s.opened {
			s.buf = append(s.buf, s.open...)
			s.opened = true
		}
		piece := rest[:min(len(rest), streamChunk)]
		rest = rest[len(piece):]
		if len(s.carry) > 0 {
			piece = append(s.carry, piece...)
		}
		keep := unfinished(piece)
		if s.holdCR && keep == 0 && piece[len(piece)-1] == '\r' {
			keep = 1
		}
		s.buf = s.escape(s.buf, string(piece[:len(piece)-keep]))
		s.carry = append([]byte(nil), piece[len(piece)-keep:]...)
		if len(s.buf) >= streamChunk {
			s.written = true
			_, s.err = s.w.Write(s.buf)
			s.buf = s.buf[:0]
		}
	}
	return len(p), s.err
}
