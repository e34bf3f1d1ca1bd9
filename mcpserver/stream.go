package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"

	"github.com/sourcegraph/jsonrpc2"
)

// maxMessage bounds one line of output: the TypeScript SDKs close the connection
// at 10 MiB.
const maxMessage = 8 << 20

// stream is a jsonrpc2.ObjectStream that makes the library speak JSON-RPC as MCP
// wants it. Malformed lines are answered here and never reach the library, which
// would close the connection; ids are replaced by numbers of our own, because the
// library reads a negative one as a huge one and refuses others, and put back
// byte for byte into the answer.
type stream struct {
	lines   chan input
	drain   func()      // called once at the end of input; blocks until the calls ended
	batches func() bool // whether the negotiated revision has batches

	wmu sync.Mutex // held over one Write, so that lines never mix
	out io.Writer

	mu      sync.Mutex
	seq     uint64
	byID    map[uint64]*pending
	byKey   map[string]*pending
	queue   [][]byte // rebuilt messages that ReadObject hands out next
	closed  chan struct{}
	isClose bool
	broken  chan struct{} // closed when a write failed
	werr    error
}

type input struct {
	line []byte
	err  error
}

// pending is a request that was read and not answered yet.
type pending struct {
	id     uint64 // the library's
	raw    []byte // the client's, as it wrote it
	key    string // the client's, comparable
	batch  *batch
	cancel context.CancelCauseFunc // nil for what is answered at once
}

func newStream(in io.Reader, out io.Writer) *stream {
	s := &stream{
		lines:   make(chan input),
		drain:   func() {},
		batches: func() bool { return false },
		out:     out,
		byID:    map[uint64]*pending{},
		byKey:   map[string]*pending{},
		closed:  make(chan struct{}),
		broken:  make(chan struct{}),
	}
	go s.pump(newLineReader(in, maxLine))
	return s
}

// pump reads on a goroutine of its own: a read from a pipe cannot be interrupted,
// and the server must be able to end while its client says nothing.
func (s *stream) pump(r *lineReader) {
	for {
		line, err := r.next()
		select {
		case s.lines <- input{line, err}:
		case <-s.closed:
			return
		}
		if err != nil && !errors.Is(err, errLongLine) {
			return
		}
	}
}

// ReadObject implements jsonrpc2.ObjectStream. At the end of input it blocks until
// the calls in flight have been answered or ended, because the library drops their
// answers from the moment it sees io.EOF.
func (s *stream) ReadObject(v any) error {
	for {
		s.mu.Lock()
		if len(s.queue) > 0 {
			b := s.queue[0]
			s.queue = s.queue[1:]
			s.mu.Unlock()
			return json.Unmarshal(b, v)
		}
		s.mu.Unlock()
		select {
		case <-s.closed:
			return io.EOF
		case in := <-s.lines:
			switch {
			case in.err == nil:
				s.accept(in.line)
			case errors.Is(in.err, errLongLine):
				s.refuse(nil, jsonrpc2.CodeInvalidRequest, "message over 4 MiB")
			default:
				s.drain()
				return io.EOF
			}
		}
	}
}

// WriteObject implements jsonrpc2.ObjectStream. An answer to a request that was
// cancelled is dropped.
func (s *stream) WriteObject(obj any) error {
	b, err := json.Marshal(obj)
	if err != nil {
		return err
	}
	b = plainHTML(b)
	rest, isAnswer := bytes.CutPrefix(b, []byte(`{"id":`))
	if !isAnswer {
		return s.write(b)
	}
	end := bytes.IndexByte(rest, ',')
	if end < 0 {
		return fmt.Errorf("answer without a body")
	}
	id, err := strconv.ParseUint(string(rest[:end]), 10, 64)
	if err != nil {
		return fmt.Errorf("answer with a foreign id: %w", err)
	}
	p := s.release(id)
	if p == nil {
		return nil
	}
	answer := make([]byte, 0, len(b)+len(p.raw))
	answer = append(answer, `{"jsonrpc":"2.0","id":`...)
	answer = append(answer, p.raw...)
	// The library closes the object with its own "jsonrpc" member.
	answer = append(answer, bytes.TrimSuffix(rest[end:], []byte(`,"jsonrpc":"2.0"}`))...)
	answer = append(answer, '}')
	if p.batch != nil {
		return s.addToBatch(p.batch, p.raw, answer)
	}
	if len(answer) > maxMessage {
		answer = errorLine(p.raw, jsonrpc2.CodeInternalError, "answer over 8 MiB")
	}
	return s.write(answer)
}

// Close implements jsonrpc2.ObjectStream. The input is not closed: a read of it may
// be blocked for ever, and it belongs to the caller.
func (s *stream) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.isClose {
		s.isClose = true
		close(s.closed)
	}
	return nil
}

func (s *stream) register(raw []byte, key string, in *batch) *pending {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byKey[key] != nil {
		return nil
	}
	s.seq++
	p := &pending{id: s.seq, raw: bytes.Clone(raw), key: key, batch: in}
	s.byID[p.id], s.byKey[key] = p, p
	if in != nil {
		in.left++
	}
	return p
}

// onCancel makes the request with the library's id cancellable.
func (s *stream) onCancel(id uint64, cancel context.CancelCauseFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.byID[id]; p != nil {
		p.cancel = cancel
	}
}

// cancel ends the request that the client named by rawID and lets its id go. What
// it does not know, or what cannot be cancelled, it leaves alone.
func (s *stream) cancel(rawID []byte) {
	key, ok := idKey(rawID)
	if !ok {
		return
	}
	s.mu.Lock()
	p := s.byKey[key]
	if p == nil || p.cancel == nil {
		s.mu.Unlock()
		return
	}
	delete(s.byKey, p.key)
	delete(s.byID, p.id)
	s.mu.Unlock()
	p.cancel(errCancelled)
	if p.batch != nil {
		s.leaveBatch(p.batch)
	}
}

func (s *stream) release(id uint64) *pending {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.byID[id]
	if p != nil {
		delete(s.byID, id)
		delete(s.byKey, p.key)
	}
	return p
}

func (s *stream) refuse(rawID []byte, code int64, message string) {
	s.refuseIn(nil, rawID, code, message)
}

// write sends one line. After a failed write the client is gone, whatever the
// error says, and the server ends.
func (s *stream) write(line []byte) error {
	s.wmu.Lock()
	defer s.wmu.Unlock()
	if s.werr != nil {
		return s.werr
	}
	if _, err := s.out.Write(append(line, '\n')); err != nil {
		s.werr = err
		close(s.broken)
	}
	return s.werr
}

// errorLine makes an error answer; without a readable id it is null, as JSON-RPC
// 2.0 demands (the MCP schema would have it absent; clients accept either).
func errorLine(rawID []byte, code int64, message string) []byte {
	if rawID == nil {
		rawID = []byte("null")
	}
	b, err := json.Marshal(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   *jsonrpc2.Error `json:"error"`
	}{"2.0", rawID, &jsonrpc2.Error{Code: code, Message: message}})
	if err != nil {
		panic(err)
	}
	return plainHTML(b)
}
