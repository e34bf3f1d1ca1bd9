package mcpserver

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"strings"
	"testing"
	"time"
)

// session is a client of a server in this process.
type session struct {
	t      *testing.T
	server *server
	in     *os.File
	lines  chan string
	ended  chan error
}

const patience = 30 * time.Second // only a test that fails waits so long

// newSession starts a server; prepare may change it before it serves.
func newSession(t *testing.T, prepare ...func(*server)) *session {
	t.Helper()
	srv, err := newServer(Config{Executable: self(), Env: childEnv(), Version: "1.2.3", Stderr: t.Output()})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range prepare {
		p(srv)
	}
	inRead, inWrite, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	outRead, outWrite, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	s := &session{t: t, server: srv, in: inWrite, lines: make(chan string, 4096), ended: make(chan error, 1)}
	go func() {
		err := srv.serve(t.Context(), inRead, outWrite)
		srv.close()
		outWrite.Close()
		s.ended <- err
	}()
	go func() {
		defer close(s.lines)
		r := bufio.NewReader(outRead)
		for {
			line, err := r.ReadString('\n')
			if line != "" {
				s.lines <- line
			}
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		s.in.Close()
		select {
		case <-s.ended:
		case <-time.After(patience):
			t.Error("the server does not end at the end of input")
		}
		inRead.Close()
		outRead.Close()
	})
	return s
}

// initialized is a session after the handshake.
func initialized(t *testing.T, prepare ...func(*server)) *session {
	t.Helper()
	s := newSession(t, prepare...)
	s.send(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	s.want("init")
	return s
}

func (s *session) send(lines ...string) {
	s.t.Helper()
	if _, err := io.WriteString(s.in, strings.Join(lines, "\n")+"\n"); err != nil {
		s.t.Fatal(err)
	}
}

// next returns the next line of the server; empty when it ended.
func (s *session) next() string {
	s.t.Helper()
	select {
	case line := <-s.lines:
		if line != "" && (!strings.HasSuffix(line, "\n") || !json.Valid([]byte(line))) {
			s.t.Fatalf("not a line of JSON: %.200q", line)
		}
		return line
	case <-time.After(patience):
		s.t.Fatal("the server says nothing")
	}
	return ""
}

// message is any line of the server.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      any             `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   *struct {
		Code    int             `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	} `json:"error"`
}

func (s *session) message() message {
	s.t.Helper()
	var m message
	line := s.next()
	if line == "" {
		s.t.Fatal("the server ended")
	}
	if err := json.Unmarshal([]byte(line), &m); err != nil || m.Version != "2.0" {
		s.t.Fatalf("not a message: %.200q (%v)", line, err)
	}
	return m
}

// want returns the next message, which has to be the answer to id.
func (s *session) want(id any) message {
	s.t.Helper()
	m := s.message()
	if n, ok := id.(int); ok {
		id = float64(n)
	}
	if m.ID != id {
		s.t.Fatalf("answer to %v %s%s, want one to %v", m.ID, m.Method, m.Params, id)
	}
	return m
}

// ping proves that the server is alive and has said nothing else.
func (s *session) ping() {
	s.t.Helper()
	s.send(`{"jsonrpc":"2.0","id":"ping","method":"ping"}`)
	if m := s.want("ping"); string(m.Result) != "{}" {
		s.t.Fatalf("ping: %s", m.Result)
	}
}

// callLine is a tools/call.
func callLine(id any, tool string, arguments any) string {
	return string(mustMarshal(map[string]any{
		"jsonrpc": "2.0", "id": id, "method": "tools/call",
		"params": map[string]any{"name": tool, "arguments": arguments},
	}))
}

// do is the call that makes the pretended pairmux do what word says.
func do(id any, word string) string {
	return callLine(id, "pairmux_run", map[string]any{"terminal": "t", "command": word})
}

// toolReply is a CallToolResult as a client sees it.
type toolReply struct {
	Content []struct {
		Type, Text string
	} `json:"content"`
	Structured struct {
		Schema string
		OK     bool `json:"ok"`
		Status string
		Output string
		Next   []string
		Error  *struct{ Code, Message, Hint string }
	} `json:"structuredContent"`
	IsError bool `json:"isError"`

	raw struct {
		Structured json.RawMessage `json:"structuredContent"`
	}
}

// tool takes a message apart as a tool's result and checks what holds for each.
func (s *session) tool(m message) toolReply {
	s.t.Helper()
	if m.Error != nil {
		s.t.Fatalf("error %d: %s", m.Error.Code, m.Error.Message)
	}
	var r toolReply
	if err := json.Unmarshal(m.Result, &r); err != nil {
		s.t.Fatal(err)
	}
	if err := json.Unmarshal(m.Result, &r.raw); err != nil {
		s.t.Fatal(err)
	}
	if len(r.Content) != 1 || r.Content[0].Type != "text" || r.Content[0].Text != string(r.raw.Structured) {
		s.t.Errorf("text and structuredContent differ:\n%.300q\n%.300q", r.Content, r.raw.Structured)
	}
	if r.IsError == r.Structured.OK {
		s.t.Errorf("isError is %v, ok is %v", r.IsError, r.Structured.OK)
	}
	if err := matches(outputSchema(), r.raw.Structured); err != nil {
		s.t.Errorf("structuredContent does not fit outputSchema: %v\n%.300s", err, r.raw.Structured)
	}
	return r
}

// told is what the pretended pairmux says it was given.
func (s *session) told(m message) seen {
	s.t.Helper()
	var was seen
	if err := json.Unmarshal([]byte(s.tool(m).Structured.Output), &was); err != nil {
		s.t.Fatalf("%v in %.200s", err, m.Result)
	}
	return was
}
