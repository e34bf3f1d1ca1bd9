package mcptest

import (
	"bufio"
	"encoding/json"
	"io"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

// A server is `pairmux mcp serve` as a host starts it, spoken to line by line.
type server struct {
	t    *testing.T
	cmd  *exec.Cmd
	in   io.WriteCloser
	done chan struct{} // closed when the process has ended

	mu      sync.Mutex
	last    int
	answers map[int]chan message
	notes   []message
}

// message is a line of the protocol.
type message struct {
	ID     *int            `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int
		Message string
	} `json:"error"`
}

// serve starts a server and shakes hands with it.
func (w *world) serve() *server {
	w.t.Helper()
	s := w.start()
	s.request("initialize", map[string]any{
		"protocolVersion": "2025-11-25", "capabilities": map[string]any{},
		"clientInfo": map[string]any{"name": "mcptest", "version": "1"},
	})
	s.notify("notifications/initialized", nil)
	return s
}

// start starts a server.
func (w *world) start() *server {
	w.t.Helper()
	s := &server{t: w.t, cmd: w.command(binary, "mcp", "serve"), done: make(chan struct{}), answers: map[int]chan message{}}
	var err error
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		w.t.Fatal(err)
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	var stderr strings.Builder
	s.cmd.Stderr = &stderr
	if err := s.cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	go func() {
		defer close(s.done)
		lines := bufio.NewReader(out)
		for {
			line, err := lines.ReadString('\n')
			if line != "" {
				s.take(line)
			}
			if err != nil {
				break
			}
		}
		_ = s.cmd.Wait()
		if stderr.Len() > 0 {
			s.t.Errorf("standard error of the server: %s", stderr.String())
		}
	}()
	w.t.Cleanup(func() {
		_ = s.in.Close()
		s.ended()
	})
	return s
}

func (s *server) take(line string) {
	var m message
	if err := json.Unmarshal([]byte(line), &m); err != nil {
		s.t.Errorf("%v in %.300q", err, line)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if m.ID == nil {
		s.notes = append(s.notes, m)
		return
	}
	answer, asked := s.answers[*m.ID]
	if !asked {
		s.t.Errorf("an answer that nobody waits for: %.300s", line)
		return
	}
	delete(s.answers, *m.ID)
	answer <- m
}

func (s *server) write(m map[string]any) {
	s.t.Helper()
	m["jsonrpc"] = "2.0"
	b, err := json.Marshal(m)
	if err != nil {
		s.t.Fatal(err)
	}
	if _, err := s.in.Write(append(b, '\n')); err != nil {
		s.t.Fatal(err)
	}
}

func (s *server) notify(method string, params any) {
	s.t.Helper()
	m := map[string]any{"method": method}
	if params != nil {
		m["params"] = params
	}
	s.write(m)
}

// ask sends a request; the answer will be in the channel.
func (s *server) ask(method string, params any) (id int, answer chan message) {
	s.t.Helper()
	s.mu.Lock()
	s.last++
	id, answer = s.last, make(chan message, 1)
	s.answers[id] = answer
	s.mu.Unlock()
	s.write(map[string]any{"id": id, "method": method, "params": params})
	return id, answer
}

// cancel withdraws a request; an answer to it is an error from now on.
func (s *server) cancel(id int) {
	s.t.Helper()
	s.mu.Lock()
	delete(s.answers, id)
	s.mu.Unlock()
	s.notify("notifications/cancelled", map[string]any{"requestId": id, "reason": "test"})
}

func (s *server) wait(answer chan message) message {
	s.t.Helper()
	select {
	case m := <-answer:
		return m
	case <-s.done:
		select {
		case m := <-answer:
			return m
		default:
			s.t.Fatal("the server ended")
		}
	case <-time.After(patience):
		s.t.Fatal("no answer")
	}
	return message{}
}

// request sends a request that must succeed.
func (s *server) request(method string, params any) json.RawMessage {
	s.t.Helper()
	_, answer := s.ask(method, params)
	m := s.wait(answer)
	if m.Error != nil {
		s.t.Fatalf("%s: %d %s", method, m.Error.Code, m.Error.Message)
	}
	return m.Result
}

type args = map[string]any

// begin starts a tool call.
func (s *server) begin(tool string, arguments args) (id int, answer chan message) {
	s.t.Helper()
	return s.ask("tools/call", map[string]any{"name": "pairmux_" + tool, "arguments": arguments})
}

// end waits for a call's reply.
func (s *server) end(answer chan message) reply {
	s.t.Helper()
	m := s.wait(answer)
	if m.Error != nil {
		s.t.Fatalf("tools/call: %d %s", m.Error.Code, m.Error.Message)
	}
	var r struct {
		Content    []struct{ Type, Text string }
		Structured json.RawMessage `json:"structuredContent"`
		IsError    bool
	}
	if err := json.Unmarshal(m.Result, &r); err != nil {
		s.t.Fatal(err)
	}
	if len(r.Content) != 1 || r.Content[0].Type != "text" {
		s.t.Fatalf("not one text block: %.300s", m.Result)
	}
	return toolReply(s.t, r.Content[0].Text, r.Structured, r.IsError)
}

// call is a tool call from beginning to end.
func (s *server) call(tool string, arguments args) reply {
	s.t.Helper()
	_, answer := s.begin(tool, arguments)
	return s.end(answer)
}

// ended waits for the end of the process.
func (s *server) ended() {
	s.t.Helper()
	select {
	case <-s.done:
	case <-time.After(patience):
		s.t.Error("the server does not end")
		_ = s.cmd.Process.Kill()
		<-s.done
	}
}

// quit closes the server's input, and checks that it exits with status 0.
func (s *server) quit() {
	s.t.Helper()
	if err := s.in.Close(); err != nil {
		s.t.Error(err)
	}
	s.ended()
	if code := s.cmd.ProcessState.ExitCode(); code != 0 {
		s.t.Errorf("exit status %d", code)
	}
}
