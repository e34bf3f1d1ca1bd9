package mcptest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
)

// A bridge lets a client that speaks HTTP only reach servers on stdio: one for
// each session of the handshake revisions, one for all stateless requests.
type bridge struct {
	w        *world
	mu       sync.Mutex
	sessions map[string]*piped
}

// piped is one server behind the bridge. Its messages pass as they are.
type piped struct {
	in      io.WriteCloser
	mu      sync.Mutex
	answers map[string]chan []byte
}

func (w *world) bridge() string {
	b := &bridge{w: w, sessions: map[string]*piped{}}
	s := httptest.NewServer(b)
	w.t.Cleanup(func() {
		s.Close()
		for _, p := range b.sessions {
			_ = p.in.Close()
		}
	})
	return s.URL + "/mcp"
}

func (b *bridge) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodPost:
	case http.MethodDelete:
		b.mu.Lock()
		defer b.mu.Unlock()
		id := r.Header.Get("Mcp-Session-Id")
		if p := b.sessions[id]; p != nil {
			_ = p.in.Close()
			delete(b.sessions, id)
		}
		return
	default:
		http.Error(rw, "no stream here", http.StatusMethodNotAllowed)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(rw, err.Error(), http.StatusBadRequest)
		return
	}
	var m struct {
		ID     json.RawMessage
		Method string
	}
	if err := json.Unmarshal(body, &m); err != nil {
		http.Error(rw, err.Error(), http.StatusBadRequest)
		return
	}
	p, id := b.session(r.Header.Get("Mcp-Session-Id"), m.Method == "initialize")
	if p == nil {
		http.Error(rw, "no such session", http.StatusNotFound)
		return
	}
	answer, err := p.exchange(body, m.ID)
	switch {
	case err != nil:
		http.Error(rw, err.Error(), http.StatusBadGateway)
	case answer == nil:
		rw.WriteHeader(http.StatusAccepted)
	default:
		rw.Header().Set("Content-Type", "application/json")
		if id != "" {
			rw.Header().Set("Mcp-Session-Id", id)
		}
		rw.WriteHeader(statusOf(answer))
		_, _ = rw.Write(answer)
	}
}

// statusOf is what the HTTP transport of 2026-07-28 demands beside an error.
func statusOf(answer []byte) int {
	var m struct{ Error *struct{ Code int } }
	if json.Unmarshal(answer, &m) == nil && m.Error != nil {
		switch m.Error.Code {
		case -32601:
			return http.StatusNotFound
		case -32602, -32022:
			return http.StatusBadRequest
		}
	}
	return http.StatusOK
}

// session returns the server of a session, a new one for a handshake, or the one
// that serves everything that names no session.
func (b *bridge) session(id string, handshake bool) (*piped, string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if handshake {
		id = fmt.Sprintf("s%d", len(b.sessions)+1)
	}
	if p := b.sessions[id]; p != nil || id != "" && !handshake {
		return p, id
	}
	cmd := b.w.command(binary, "mcp", "serve")
	in, err := cmd.StdinPipe()
	if err != nil {
		b.w.t.Error(err)
		return nil, ""
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.w.t.Error(err)
		return nil, ""
	}
	if err := cmd.Start(); err != nil {
		b.w.t.Error(err)
		return nil, ""
	}
	p := &piped{in: in, answers: map[string]chan []byte{}}
	b.sessions[id] = p
	go func() {
		lines := bufio.NewReader(out)
		for {
			line, err := lines.ReadBytes('\n')
			if err != nil {
				break
			}
			var m struct{ ID json.RawMessage }
			if json.Unmarshal(line, &m) == nil && m.ID != nil {
				p.mu.Lock()
				if a := p.answers[string(m.ID)]; a != nil {
					a <- line
				}
				p.mu.Unlock()
			}
		}
		_ = cmd.Wait()
	}()
	return p, id
}

// exchange sends one message and waits for its answer; a notification has none.
func (p *piped) exchange(body []byte, id json.RawMessage) ([]byte, error) {
	var line bytes.Buffer
	if err := json.Compact(&line, body); err != nil {
		return nil, err
	}
	line.WriteByte('\n')
	if id == nil {
		_, err := p.in.Write(line.Bytes())
		return nil, err
	}
	answer := make(chan []byte, 1)
	p.mu.Lock()
	p.answers[string(id)] = answer
	p.mu.Unlock()
	if _, err := p.in.Write(line.Bytes()); err != nil {
		return nil, err
	}
	return <-answer, nil
}
