package main

import (
	"bufio"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"
)

// mcp measures the server from its spawn to the first answer, and what a tool
// call costs beside the same command line.
func mcp(b *bench) ([]row, error) {
	w, err := b.world()
	if err != nil {
		return nil, err
	}
	if _, _, err := w.pairmux("created", "new", "mcp"); err != nil {
		return nil, err
	}
	defer func() { _, _, _ = w.pairmux("killed", "kill", "mcp") }()
	var first, tool, line series
	for i := range b.rounds/4 + warmup {
		s, took, err := w.serve()
		if err != nil {
			return nil, err
		}
		if i >= warmup {
			first = append(first, took)
		}
		if err := s.end(); err != nil {
			return nil, err
		}
	}
	s, _, err := w.serve()
	if err != nil {
		return nil, err
	}
	for i := range b.rounds + warmup {
		began := time.Now()
		answer, err := s.ask(i+2, "tools/call", `{"name":"pairmux_ls","arguments":{}}`)
		called := time.Since(began)
		if err == nil && !strings.Contains(answer, `"terminals"`) {
			err = fmt.Errorf("mcp: no terminals in %.200q", answer)
		}
		if err != nil {
			return nil, err
		}
		alone, _, err := w.pairmux("ok", "ls")
		if err != nil {
			return nil, err
		}
		if i >= warmup {
			tool, line = append(tool, called), append(line, alone)
		}
	}
	if err := s.end(); err != nil {
		return nil, err
	}
	start := measured("mcp: initialize after the spawn", first)
	start.Value, start.As = ms(first.p50()), "ms"
	call := measured("mcp: tool call ls, over the command line", tool)
	call.Value, call.As = ms(tool.p50()-line.p50()), "ms"
	return []row{start.must(atMost, 20), measured("ls --json", line), call.must(atMost, 5)}, nil
}

// served is a running MCP server.
type served struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// serve starts a server and returns the time until it answered initialize.
func (w *world) serve() (*served, time.Duration, error) {
	s := &served{cmd: exec.Command(w.bin, "mcp", "serve")}
	s.cmd.Env = w.env
	var err error
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		return nil, 0, err
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, 0, err
	}
	s.out = bufio.NewReader(out)
	began := time.Now()
	if err := s.cmd.Start(); err != nil {
		return nil, 0, err
	}
	_, err = s.ask(1, "initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}`)
	took := time.Since(began)
	if err == nil {
		_, err = io.WriteString(s.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	}
	return s, took, err
}

// ask sends a request and reads the next line.
func (s *served) ask(id int, method, params string) (string, error) {
	if _, err := fmt.Fprintf(s.in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", id, method, params); err != nil {
		return "", err
	}
	return s.out.ReadString('\n')
}

// end closes the server's input and waits for it.
func (s *served) end() error {
	if err := s.in.Close(); err != nil {
		return err
	}
	return s.cmd.Wait()
}
