package mcpserver

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
)

// TestPingDuringParallelWaits: the calls hold until they are cancelled, so the ping is
// answered while all of them run.
func TestPingDuringParallelWaits(t *testing.T) {
	t.Parallel()
	s := initialized(t)
	const n = 20
	paths := make([]string, n)
	for i := range n {
		paths[i] = fifo(t)
		s.send(callLine(i, "pairmux_run", map[string]any{"terminal": "t", "command": "hang " + paths[i], "timeout": "1h"}))
	}
	for _, path := range paths {
		alive(t, path) // all run at once
	}
	s.ping()
	s.send(callLine("look", "pairmux_peek", map[string]any{"terminal": "t"}))
	s.tool(s.want("look"))
}

// TestLooksPassManyWaits: more waits than there are places leave room for a look and
// are themselves answered in the end.
func TestLooksPassManyWaits(t *testing.T) {
	t.Parallel()
	s := initialized(t, func(srv *server) { srv.calls.waiting = make(chan struct{}, 2) })
	first, second := fifo(t), fifo(t)
	s.send(do(1, "hang "+first), do(2, "hang "+second))
	alive(t, first)
	alive(t, second)
	for i := 3; i < 10; i++ {
		s.send(do(i, "queued"))
	}
	s.send(callLine("look", "pairmux_ls", nil))
	s.tool(s.want("look"))
	s.send(cancelLine(1))
	got := map[any]bool{}
	for range 7 {
		m := s.message()
		s.told(m)
		got[m.ID] = true
	}
	if len(got) != 7 || got[1.0] || got[2.0] {
		t.Errorf("answers to %v", got)
	}
	s.ping()
}

func cancelLine(id any) string {
	return string(mustMarshal(map[string]any{"jsonrpc": "2.0", "method": "notifications/cancelled",
		"params": map[string]any{"requestId": id, "reason": "test"}}))
}

func TestCancelEndsTheChildAndSaysNothing(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"hang", "stubborn", "family"} {
		t.Run(kind, func(t *testing.T) {
			s := initialized(t)
			path, other := fifo(t), fifo(t)
			s.send(do("a", kind+" "+path), do("b", "hang "+other))
			r := alive(t, path)
			alive(t, other)
			s.send(cancelLine("a"), cancelLine("a"))
			gone(t, r)
			s.ping()
			// The id is free again, the other call unharmed.
			s.send(do("a", "again"))
			s.told(s.want("a"))
			s.in.Close()
			if r := s.tool(s.want("b")); r.Structured.Output != "last word" {
				t.Errorf("%s", r.raw.Structured)
			}
		})
	}
}

// TestCancelInTheSameWrite: the call may not even have started.
func TestCancelInTheSameWrite(t *testing.T) {
	s := initialized(t)
	for i := range 50 {
		s.send(do(i, "x"), cancelLine(i))
	}
	s.ping()
}

func TestCancelledInTheQueueIsNeverExecuted(t *testing.T) {
	s := initialized(t, func(srv *server) { srv.calls.waiting = make(chan struct{}, 1) })
	first, queued := fifo(t), fifo(t)
	s.send(do(1, "hang "+first))
	alive(t, first)
	s.send(do(2, "hang "+queued), cancelLine(2), do(3, "after"), cancelLine(1))
	// Had 2 been started it would wait for a reader of its pipe, and 3 for it.
	s.told(s.want(3))
	s.ping()
}

func TestCancelDistinguishesIds(t *testing.T) {
	t.Parallel()
	s := initialized(t)
	path := fifo(t)
	s.send(do(1, "hang "+path))
	alive(t, path)
	s.send(cancelLine("1"), cancelLine(2), `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1.0}}`)
	s.ping()
	s.in.Close()
	s.tool(s.want(1))
}

func TestIdInFlightIsRefused(t *testing.T) {
	t.Parallel()
	s := initialized(t)
	path := fifo(t)
	s.send(do("é", "hang "+path))
	alive(t, path)
	s.send(`{"jsonrpc":"2.0","id":"\u00e9","method":"ping"}`)
	if m := s.want("é"); m.Error == nil || m.Error.Code != -32600 {
		t.Errorf("%s", m.Result)
	}
	s.in.Close()
	if r := s.tool(s.want("é")); r.Structured.Output != "last word" {
		t.Errorf("%s", r.raw.Structured)
	}
}

// TestOwnDeadline: a client that never cancels is no reason to wait for ever. The child
// is told to end and has the last word.
func TestOwnDeadline(t *testing.T) {
	t.Parallel()
	s := initialized(t, func(srv *server) { srv.grace, srv.quick = time.Millisecond, time.Millisecond })
	path := fifo(t)
	go func() {
		s.send(callLine(1, "pairmux_run", map[string]any{"terminal": "t", "command": "hang " + path, "timeout": "2s"}))
	}()
	r := alive(t, path)
	if r := s.tool(s.want(1)); r.Structured.Output != "last word" || r.Structured.Status != "running" {
		t.Errorf("%s", r.raw.Structured)
	}
	gone(t, r)
	path = fifo(t)
	s.send(callLine(2, "pairmux_log", map[string]any{"terminal": "stubborn " + path}))
	if r := s.tool(s.want(2)); r.Structured.Error == nil || r.Structured.Error.Code != "E_INTERNAL" || !strings.Contains(r.Structured.Error.Message, "within 1ms") {
		t.Errorf("%s", r.raw.Structured)
	}
}

func TestProgress(t *testing.T) {
	t.Parallel()
	s := initialized(t, func(srv *server) { srv.every = 2 * time.Millisecond })
	with := func(id any, token, word string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"method":"tools/call","params":{"name":"pairmux_run","arguments":{"terminal":"t","command":%q},"_meta":{"progressToken":%s}}}`, id, word, token)
	}
	for _, token := range []string{`"t"`, `7`, `0`, `""`, `-5`} {
		path := fifo(t)
		s.send(with("c", token, "hang "+path))
		last := -1.0
		reports := 0
		for reports < 5 {
			m := s.message()
			var p struct {
				Token    json.RawMessage `json:"progressToken"`
				Progress float64
				Total    float64
				Message  string
			}
			if err := json.Unmarshal(m.Params, &p); err != nil || m.Method != "notifications/progress" || m.ID != nil {
				t.Fatalf("%+v", m)
			}
			if string(p.Token) != token || p.Progress <= last || p.Total != 45 || p.Message == "" {
				t.Errorf("token %s, progress %v after %v of %v", p.Token, p.Progress, last, p.Total)
			}
			last = p.Progress
			reports++
		}
		alive(t, path)
		s.send(cancelLine("c"))
		if !s.server.calls.wait(patience) {
			t.Fatal("the call does not end")
		}
		// What was under way when the cancellation came is through now.
		s.send(`{"jsonrpc":"2.0","id":"p","method":"ping"}`)
		s.until("p")
		s.ping()
	}

	// Without a token, with one that is none, or for a call that does not wait: silence.
	for _, token := range []string{`null`, `1.5`, `{}`, `true`} {
		s.send(with("d", token, "nap 20ms"))
		s.tool(s.want("d"))
	}
	s.send(do("e", "nap 20ms"))
	s.tool(s.want("e"))
	s.send(`{"jsonrpc":"2.0","id":"f","method":"tools/call","params":{"name":"pairmux_ls","_meta":{"progressToken":1}}}`)
	s.tool(s.want("f"))
}

// until reads until the answer to id and returns it; before it only progress may come.
func (s *session) until(id any) message {
	s.t.Helper()
	for {
		m := s.message()
		if m.Method == "notifications/progress" {
			continue
		}
		if m.ID != id {
			s.t.Fatalf("answer to %v: %s", m.ID, m.Result)
		}
		return m
	}
}

// TestNoProgressAfterTheResult reads results and reports as they come, as fast as they
// are made.
func TestNoProgressAfterTheResult(t *testing.T) {
	t.Parallel()
	s := initialized(t, func(srv *server) { srv.every = time.Millisecond })
	for i := range 20 {
		s.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":"r","method":"tools/call","params":{"name":"pairmux_run","arguments":{"terminal":"t","command":"nap 5ms"},"_meta":{"progressToken":%d}}}`, i))
		s.tool(s.until("r"))
		s.ping() // the very next line
	}
}

func TestTooManyCalls(t *testing.T) {
	t.Parallel()
	s := initialized(t, func(srv *server) { srv.calls.max = 2 })
	a, b := fifo(t), fifo(t)
	s.send(do(1, "hang "+a), do(2, "hang "+b))
	alive(t, a)
	alive(t, b)
	s.send(do(3, "x"))
	if m := s.want(3); m.Error == nil || m.Error.Code != -32603 {
		t.Errorf("%s", m.Result)
	}
	s.ping()
}

func TestEndOfInputWithQuickCallsInFlight(t *testing.T) {
	t.Parallel()
	s := initialized(t)
	const n = 100
	var lines []string
	for i := range n {
		lines = append(lines, callLine(i, "pairmux_ls", nil))
	}
	s.send(lines...)
	s.in.Close()
	got := map[any]bool{}
	for range n {
		m := s.message()
		s.told(m)
		got[m.ID] = true
	}
	if len(got) != n {
		t.Errorf("%d answers, want %d", len(got), n)
	}
	if line := s.next(); line != "" {
		t.Errorf("one more line: %s", line)
	}
}

// TestEndOfInputWithWaitsInFlight: they are told to end and have the last word; nothing
// is left when the server is done.
func TestEndOfInputWithWaitsInFlight(t *testing.T) {
	t.Parallel()
	s := initialized(t)
	polite, rude := fifo(t), fifo(t)
	s.send(do("polite", "hang "+polite), do("rude", "family "+rude))
	p, r := alive(t, polite), alive(t, rude)
	s.in.Close()
	for range 2 {
		switch m := s.message(); m.ID {
		case "polite":
			if reply := s.tool(m); reply.Structured.Output != "last word" {
				t.Errorf("%s", reply.raw.Structured)
			}
		case "rude":
			if reply := s.tool(m); reply.Structured.Error == nil || reply.Structured.Error.Code != "E_INTERNAL" {
				t.Errorf("%s", reply.raw.Structured)
			}
		}
	}
	if line := s.next(); line != "" {
		t.Errorf("one more line: %s", line)
	}
	gone(t, p)
	gone(t, r)
}

func TestManyRequestsInOneWrite(t *testing.T) {
	s := initialized(t)
	const n = 1000
	var lines []string
	for i := range n {
		lines = append(lines, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, i))
	}
	sent := make(chan error, 1)
	go func() {
		_, err := io.WriteString(s.in, strings.Join(lines, "\n")+"\n")
		sent <- err
	}()
	for i := range n {
		s.want(i)
	}
	if err := <-sent; err != nil {
		t.Fatal(err)
	}
}

func TestOneByteAtATime(t *testing.T) {
	s := newSession(t)
	for _, b := range []byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n") {
		if _, err := s.in.Write([]byte{b}); err != nil {
			t.Fatal(err)
		}
	}
	s.want(1)
}

func TestLastLineWithoutItsEnd(t *testing.T) {
	s := newSession(t)
	s.in.WriteString(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	s.in.Close()
	s.want(1)
}

func TestLongLines(t *testing.T) {
	s := initialized(t)
	s.send(`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"` + strings.Repeat("y", 100_000) + `"}}`)
	s.want(1)
	s.send(`{"jsonrpc":"2.0","id":2,"method":"ping","params":{"x":"` + strings.Repeat("y", 5<<20) + `"}}`)
	if m := s.want(nil); m.Error == nil || m.Error.Code != -32600 {
		t.Errorf("%s", m.Result)
	}
	s.ping()
	s.send(strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000))
	if m := s.want(nil); m.Error == nil || m.Error.Code != -32700 {
		t.Errorf("%s", m.Result)
	}
	s.send(`{"jsonrpc":"2.0","id":3,"method":"ping","params":{"x":` + strings.Repeat("[", 9_990) + strings.Repeat("]", 9_990) + `}}`)
	s.want(3)
	s.ping()
}

// TestLargeBatch: the answers together would be over the limit of a message.
func TestLargeBatch(t *testing.T) {
	t.Parallel()
	s := newSession(t)
	s.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-03-26"}}`)
	s.want(0)
	var calls []string
	for i := 1; i <= 12; i++ {
		calls = append(calls, do(i, "big 1000000"))
	}
	s.send("[" + strings.Join(calls, ",") + "]")
	line := s.next()
	if len(line) > maxMessage+4096 {
		t.Errorf("a message of %d bytes", len(line))
	}
	var answers []message
	if err := json.Unmarshal([]byte(line), &answers); err != nil || len(answers) != len(calls) {
		t.Fatalf("%d answers, %v", len(answers), err)
	}
	large := 0
	for _, a := range answers {
		if a.Error != nil && a.Error.Code == -32603 {
			large++
		}
	}
	if large == 0 || large == len(answers) {
		t.Errorf("%d of %d answers replaced", large, len(answers))
	}
}

func TestBatchOfTooMany(t *testing.T) {
	s := newSession(t)
	s.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-03-26"}}`)
	s.want(0)
	s.send("[" + strings.Repeat("1,", maxBatch) + "1]")
	if m := s.want(nil); m.Error == nil || m.Error.Code != -32600 {
		t.Errorf("%s", m.Result)
	}
	s.ping()
}

func TestCancelInABatch(t *testing.T) {
	s := newSession(t)
	s.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-03-26"}}`)
	s.want(0)
	path := fifo(t)
	s.send("[" + do(1, "hang "+path) + `,{"jsonrpc":"2.0","id":2,"method":"ping"}]`)
	alive(t, path)
	s.send(cancelLine(1))
	if line := s.next(); line != `[{"jsonrpc":"2.0","id":2,"result":{}}]`+"\n" {
		t.Errorf("%s", line)
	}
	s.ping()
}
