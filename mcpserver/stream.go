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
	"unicode/utf8"

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
	lines chan input
	drain func() // called once at the end of input; blocks until the calls ended
	batch func() bool

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

// batch collects the answers to a JSON-RPC batch (revision 2025-03-26 only).
type batch struct {
	left    int
	answers [][]byte
	size    int
}

func newStream(in io.Reader, out io.Writer) *stream {
	s := &stream{
		lines:  make(chan input),
		drain:  func() {},
		batch:  func() bool { return false },
		out:    out,
		byID:   map[uint64]*pending{},
		byKey:  map[string]*pending{},
		closed: make(chan struct{}),
		broken: make(chan struct{}),
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

// accept takes one line apart and queues what the library may see of it.
func (s *stream) accept(line []byte) {
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return
	}
	if !utf8.Valid(line) || !json.Valid(line) {
		s.refuse(nil, jsonrpc2.CodeParseError, "parse error: not one JSON object a line in UTF-8")
		return
	}
	if line[0] != '[' {
		s.message(line, nil)
		return
	}
	if !s.batch() {
		s.refuse(nil, jsonrpc2.CodeInvalidRequest, "batches are not part of this protocol revision")
		return
	}
	var elements []json.RawMessage
	if err := json.Unmarshal(line, &elements); err != nil || len(elements) == 0 {
		s.refuse(nil, jsonrpc2.CodeInvalidRequest, "empty batch")
		return
	}
	// One place is held back until all elements are in, so that the array cannot
	// be written before.
	b := &batch{left: 1}
	for _, e := range elements {
		s.message(bytes.TrimSpace(e), b)
	}
	s.leaveBatch(b)
}

// message checks one JSON value as a JSON-RPC message of a client.
func (s *stream) message(line []byte, in *batch) {
	// A map, because decoding into a struct would also take "ID" for "id".
	var m map[string]json.RawMessage
	if line[0] != '{' || json.Unmarshal(line, &m) != nil {
		s.refuseIn(in, nil, jsonrpc2.CodeInvalidRequest, "not a JSON-RPC object")
		return
	}
	rawID, hasID := m["id"]
	rawMethod, hasMethod := m["method"]
	_, hasResult := m["result"]
	_, hasError := m["error"]
	if !hasMethod && (hasResult || hasError) {
		return // an answer, and we asked nothing
	}
	key, idOK := "", true
	if hasID {
		if key, idOK = idKey(rawID); !idOK {
			s.refuseIn(in, nil, jsonrpc2.CodeInvalidRequest, "id must be a string or an integer")
			return
		}
	}
	var method string
	var version string
	fault := ""
	switch {
	case !hasMethod:
		fault = "no method"
	case rawMethod[0] != '"' || json.Unmarshal(rawMethod, &method) != nil:
		fault = "method must be a string"
	case hasResult || hasError:
		fault = "both a request and an answer"
	case json.Unmarshal(m["jsonrpc"], &version) != nil || version != "2.0":
		fault = `jsonrpc must be "2.0"`
	case in != nil && method == "initialize":
		fault = "initialize must not be part of a batch"
	}
	if fault != "" {
		if hasID || !hasMethod {
			s.refuseIn(in, rawID, jsonrpc2.CodeInvalidRequest, fault)
		}
		return
	}
	params := m["params"]
	if string(params) == "null" {
		params = nil
	}
	if params != nil && params[0] != '{' {
		if hasID {
			s.refuseIn(in, rawID, jsonrpc2.CodeInvalidParams, "params must be an object")
		}
		return
	}
	var id *uint64
	if hasID {
		p := s.register(rawID, key, in)
		if p == nil {
			s.refuseIn(in, rawID, jsonrpc2.CodeInvalidRequest, "a request with this id is still in flight")
			return
		}
		id = &p.id
	}
	rebuilt, err := json.Marshal(struct {
		Version string          `json:"jsonrpc"`
		ID      *uint64         `json:"id,omitempty"`
		Method  string          `json:"method"`
		Params  json.RawMessage `json:"params,omitempty"`
	}{"2.0", id, method, params})
	if err != nil {
		panic(err) // every part was valid JSON
	}
	s.mu.Lock()
	s.queue = append(s.queue, rebuilt)
	s.mu.Unlock()
}

// idKey makes an id comparable: the string "1" and the number 1 differ, "é" and
// its escaped form do not. It reports false for what is no id.
func idKey(raw []byte) (string, bool) {
	if len(raw) > 0 && raw[0] == '"' {
		var s string
		if json.Unmarshal(raw, &s) != nil {
			return "", false
		}
		return "s" + s, true
	}
	digits := bytes.TrimPrefix(raw, []byte("-"))
	if len(digits) == 0 {
		return "", false
	}
	for _, c := range digits {
		if c < '0' || c > '9' {
			return "", false
		}
	}
	return "n" + string(raw), true
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

func (s *stream) refuseIn(in *batch, rawID []byte, code int64, message string) {
	line := errorLine(rawID, code, message)
	if in == nil {
		_ = s.write(line)
		return
	}
	s.mu.Lock()
	in.answers = append(in.answers, line)
	in.size += len(line)
	s.mu.Unlock()
}

func (s *stream) addToBatch(in *batch, rawID, answer []byte) error {
	s.mu.Lock()
	if in.size+len(answer) > maxMessage {
		answer = errorLine(rawID, jsonrpc2.CodeInternalError, "answers of this batch over 8 MiB")
	}
	in.answers = append(in.answers, answer)
	in.size += len(answer) + 1
	s.mu.Unlock()
	return s.leaveBatch(in)
}

// leaveBatch gives one place of the batch back and writes the array with the last.
func (s *stream) leaveBatch(in *batch) error {
	s.mu.Lock()
	in.left--
	done := in.left == 0 && len(in.answers) > 0
	s.mu.Unlock()
	if !done {
		return nil
	}
	line := append([]byte{'['}, bytes.Join(in.answers, []byte{','})...)
	return s.write(append(line, ']'))
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
