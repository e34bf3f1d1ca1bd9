package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/pairmux/pairmux/envelope"
	"github.com/sourcegraph/jsonrpc2"
)

const (
	grace      = 15 * time.Second
	quickLimit = 50 * time.Second // below the 60 s of the hosts

	// Progress shows a host that works with an idle clock that the call lives.
	progressEvery = 10 * time.Second
)

// call starts a tool call, or answers it at once when its arguments are wrong.
// finish gives the result what the revision asks for.
func (s *server) call(conn *jsonrpc2.Conn, req *jsonrpc2.Request, p params, meta map[string]json.RawMessage, finish func(*toolResult)) (any, *jsonrpc2.Error) {
	var name *string
	if json.Unmarshal(p["name"], &name) != nil || name == nil {
		return nil, invalid("tools/call needs name, a string")
	}
	arguments := bytes.TrimSpace(p["arguments"])
	if len(arguments) == 0 || string(arguments) == "null" {
		arguments = []byte("{}")
	}
	if arguments[0] != '{' {
		return nil, invalid("arguments must be an object")
	}
	tool, found := s.tool(*name)
	if !found {
		return nil, invalid("Unknown tool: " + cutText(*name, 128))
	}
	inv, err := tool.Invocation(arguments)
	if err != nil {
		result := refusal(err)
		finish(result)
		return result, nil
	}
	one := s.calls.add(inv.Wait > 0)
	if one == nil {
		return nil, &jsonrpc2.Error{Code: jsonrpc2.CodeInternalError, Message: "too many calls in flight"}
	}
	// Here, before the next message is read: what cancels this call comes later.
	s.stream.onCancel(req.ID.Num, one.cancel)
	go s.finishCall(conn, req, one, tool, inv, progressToken(meta), finish)
	return nil, nil
}

func (s *server) tool(name string) (Tool, bool) {
	for _, t := range s.tools {
		if t.Name == name {
			return t, true
		}
	}
	return Tool{}, false
}

func (s *server) finishCall(conn *jsonrpc2.Conn, req *jsonrpc2.Request, one *call, tool Tool, inv *Invocation, token json.RawMessage, finish func(*toolResult)) {
	ctx := context.Background()
	// The call is in flight until its answer is written.
	defer s.calls.remove(one)
	defer s.rescue(ctx, conn, req)

	limit := s.quick
	if inv.Wait > 0 {
		limit = inv.Wait + s.grace
	}
	done := make(chan *toolResult, 1)
	fault := make(chan any, 1)
	go func() {
		defer func() {
			if f := recover(); f != nil {
				fault <- f
			}
		}()
		done <- s.execute(one, tool, inv, limit)
	}()
	if inv.Wait <= 0 {
		token = nil
	}
	result := s.await(conn, one, done, fault, inv, token)
	if result == nil || context.Cause(one.ctx) == errCancelled {
		return
	}
	finish(result)
	s.reply(ctx, conn, req, result)
}

// await reports progress until the result is there. It is the only one that does,
// so that no report can come after the result.
func (s *server) await(conn *jsonrpc2.Conn, one *call, done <-chan *toolResult, fault <-chan any, inv *Invocation, token json.RawMessage) *toolResult {
	var tick <-chan time.Time
	ended := one.ctx.Done()
	began := time.Now()
	if token != nil {
		s.progress(conn, token, inv, 0)
		ticker := time.NewTicker(s.every)
		defer ticker.Stop()
		tick = ticker.C
	}
	var last float64
	for {
		select {
		case result := <-done:
			return result
		case f := <-fault:
			panic(f)
		case <-ended:
			// A request that was cancelled is no longer one to report on.
			tick, ended = nil, nil
		case <-tick:
			if now := time.Since(began).Round(time.Millisecond).Seconds(); now > last {
				last = now
				s.progress(conn, token, inv, now)
			}
		}
	}
}

// execute runs the child, when there is a free place for it.
func (s *server) execute(one *call, tool Tool, inv *Invocation, limit time.Duration) *toolResult {
	free, ok := s.calls.slot(one)
	if !ok {
		return failure(envelope.CodeInternal, "the server is ending; the call was not executed", "")
	}
	defer free()
	ctx, cancel := context.WithTimeoutCause(one.ctx, limit, errLate)
	defer cancel()
	return s.child.run(ctx, inv).result(tool, inv, limit, s.child.globals)
}

// progressToken is the token of a request that asks for progress.
func progressToken(meta map[string]json.RawMessage) json.RawMessage {
	token := meta["progressToken"]
	if _, ok := idKey(token); !ok {
		return nil
	}
	return token
}

func (s *server) progress(conn *jsonrpc2.Conn, token json.RawMessage, inv *Invocation, seconds float64) {
	_ = conn.Notify(context.Background(), "notifications/progress", map[string]any{
		"progressToken": token,
		"progress":      seconds,
		"total":         inv.Wait.Seconds(),
		"message":       fmt.Sprintf("%s: %.0f s of at most %.0f s", inv.command, seconds, inv.Wait.Seconds()),
	})
}
