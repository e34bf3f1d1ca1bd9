package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/sourcegraph/jsonrpc2"
)

// server is a jsonrpc2.Handler. Handle runs on the reading goroutine, so that
// messages are taken in the order in which they came: a cancellation can never
// overtake its call. Tool calls go on on goroutines of their own.
type server struct {
	log     *log.Logger
	version string
	tools   []Tool
	calls   *calls
	every   time.Duration // between progress notifications
	grace   time.Duration // what a child gets beyond the wait that it was asked for
	quick   time.Duration // the whole time of a child that waits for nothing
	child   launcher
	life    *os.File // write end of the life pipe; closed by the kernel when we die
	stream  *stream

	session atomic.Pointer[string] // the negotiated handshake revision; nil before
}

// batches reports whether the negotiated revision has batches: one alone does.
func (s *server) batches() bool {
	version := s.session.Load()
	return version != nil && *version == "2025-03-26"
}

// Handle implements jsonrpc2.Handler.
func (s *server) Handle(ctx context.Context, conn *jsonrpc2.Conn, req *jsonrpc2.Request) {
	defer s.rescue(ctx, conn, req)
	p := params{}
	if req.Params != nil {
		if err := json.Unmarshal(*req.Params, &p); err != nil {
			if !req.Notif {
				s.fail(ctx, conn, req, invalid("params must be an object"))
			}
			return
		}
	}
	if req.Notif {
		// Whatever it is, a notification gets no answer, and a call without an id is
		// not executed.
		if req.Method == "notifications/cancelled" {
			s.stream.cancel(p["requestId"])
		}
		return
	}
	result, err := s.answer(conn, req, p)
	switch {
	case err != nil:
		s.fail(ctx, conn, req, err)
	case result != nil:
		s.reply(ctx, conn, req, result)
	}
}

// answer returns the result of a request, or nil for a call that goes on.
func (s *server) answer(conn *jsonrpc2.Conn, req *jsonrpc2.Request, p params) (any, *jsonrpc2.Error) {
	meta, err := p.meta()
	if err != nil {
		return nil, err
	}
	if isStateless(req.Method, meta) {
		return s.answerStateless(conn, req, p, meta)
	}
	switch req.Method {
	case "initialize":
		return s.initialize(p)
	case "ping":
		return struct{}{}, nil
	case "tools/list", "tools/call":
		if s.session.Load() == nil {
			return nil, &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidRequest, Message: "send initialize first"}
		}
		if req.Method == "tools/list" {
			return s.list(p)
		}
		return s.call(conn, req, p, meta, func(r *toolResult) {})
	}
	return nil, &jsonrpc2.Error{Code: jsonrpc2.CodeMethodNotFound, Message: "method not found: " + cutText(req.Method, 64)}
}

func (s *server) list(p params) (any, *jsonrpc2.Error) {
	if cursor := p["cursor"]; cursor != nil && string(cursor) != "null" {
		return nil, invalid("invalid cursor: there is one page")
	}
	return listResult{Tools: s.descriptions()}, nil
}

type listResult struct {
	Tools []description `json:"tools"`

	stateless
}

func (s *server) descriptions() []description {
	list := make([]description, len(s.tools))
	for i, t := range s.tools {
		list[i] = t.describe()
	}
	return list
}

func (s *server) reply(ctx context.Context, conn *jsonrpc2.Conn, req *jsonrpc2.Request, result any) {
	if err := conn.Reply(ctx, req.ID, result); err != nil && err != jsonrpc2.ErrClosed {
		s.log.Printf("cannot reply: %v", err)
	}
}

func (s *server) fail(ctx context.Context, conn *jsonrpc2.Conn, req *jsonrpc2.Request, e *jsonrpc2.Error) {
	if err := conn.ReplyWithError(ctx, req.ID, e); err != nil && err != jsonrpc2.ErrClosed {
		s.log.Printf("cannot reply: %v", err)
	}
}

// rescue turns a panic into an error answer: a fault in one call must not take the
// others, and the client's session, with it.
func (s *server) rescue(ctx context.Context, conn *jsonrpc2.Conn, req *jsonrpc2.Request) {
	fault := recover()
	if fault == nil {
		return
	}
	s.log.Printf("panic in %s: %v\n%s", req.Method, fault, debug.Stack())
	if !req.Notif {
		s.fail(ctx, conn, req, &jsonrpc2.Error{Code: jsonrpc2.CodeInternalError, Message: fmt.Sprintf("internal error in %s", req.Method)})
	}
}

// params are the members of a request's params, by their exact names.
type params map[string]json.RawMessage

func (p params) meta() (map[string]json.RawMessage, *jsonrpc2.Error) {
	raw := p["_meta"]
	if raw == nil || string(raw) == "null" {
		return nil, nil
	}
	var meta map[string]json.RawMessage
	if json.Unmarshal(raw, &meta) != nil {
		return nil, invalid("_meta must be an object")
	}
	return meta, nil
}

func invalid(message string) *jsonrpc2.Error {
	return &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidParams, Message: message}
}
