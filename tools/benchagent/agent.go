package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"

	"github.com/pairmux/pairmux/envelope"
	"github.com/pairmux/pairmux/mcpserver"
)

// cost is what an agent paid.
type cost struct {
	Calls int `json:"calls"`
	Bytes int `json:"bytes"` // of replies
}

func (c *cost) add(reply int) {
	c.Calls++
	c.Bytes += reply
}

type args = map[string]any

// An agent does things by pairmux and counts them. The first error stays; after it
// nothing is done any more.
type agent struct {
	*world
	cost
	err  error
	call func(t mcpserver.Tool, a args) ([]byte, error)
	ask  func(method string, params any) (json.RawMessage, error) // by MCP only
}

// do is one call. The reply must have one of the statuses.
func (a *agent) do(tool string, arguments args, statuses ...envelope.Status) *envelope.Reply {
	nothing := envelope.New("")
	if a.err != nil {
		return nothing
	}
	tools := mcpserver.Tools()
	i := slices.IndexFunc(tools, func(t mcpserver.Tool) bool { return t.Command == tool })
	b, err := a.call(tools[i], arguments)
	if err != nil {
		a.err = err
		return nothing
	}
	a.add(len(b))
	r, err := envelope.Decode(b)
	switch {
	case err != nil:
		a.err = err
	case !slices.Contains(statuses, r.Status):
		a.err = fmt.Errorf("%s %v: status %s, want %v: %s", tool, arguments, r.Status, statuses, b)
	default:
		return r
	}
	return nothing
}

// must fails the task.
func (a *agent) must(ok bool, what string, r *envelope.Reply) {
	if a.err == nil && !ok {
		b, _ := json.Marshal(r)
		a.err = fmt.Errorf("%s: %s", what, b)
	}
}

func exited(r *envelope.Reply, code int64) bool { return r.ExitCode != nil && *r.ExitCode == code }

// byCommandLine makes each call a pairmux process.
func byCommandLine(w *world) *agent {
	a := &agent{world: w}
	a.call = func(t mcpserver.Tool, arguments args) ([]byte, error) {
		b, err := json.Marshal(arguments)
		if err != nil {
			return nil, err
		}
		inv, err := t.Invocation(b)
		if err != nil {
			return nil, err
		}
		// What the MCP server adds for its clients' sake is not on this command line.
		argv := slices.DeleteFunc(inv.Argv, func(word string) bool {
			return slices.ContainsFunc(t.Arguments, func(x mcpserver.Argument) bool {
				return x.Default != "" && arguments[x.Name] == nil && word == x.Flag+"="+x.Default
			})
		})
		return w.output(inv.Stdin, append([]string{w.bin}, argv...)...)
	}
	return a
}

// byMCP makes each call a request to one server, which ends with stop. Counted are
// the bytes of the text block, which is what a model reads; the structured content
// is the same again.
func byMCP(w *world) (a *agent, stop func(), err error) {
	cmd := exec.Command(w.bin, "mcp", "serve")
	cmd.Dir, cmd.Env = w.dir, w.env
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, nil, err
	}
	s := &session{in: in, out: bufio.NewReader(out)}
	stop = func() {
		_ = in.Close()
		_ = cmd.Wait()
	}
	if _, err := s.request("initialize", args{"protocolVersion": "2025-11-25", "capabilities": args{}, "clientInfo": args{"name": "benchagent", "version": "1"}}); err != nil {
		stop()
		return nil, nil, err
	}
	a = &agent{world: w, ask: s.request}
	a.call = func(t mcpserver.Tool, arguments args) ([]byte, error) {
		result, err := s.request("tools/call", args{"name": t.Name, "arguments": arguments})
		if err != nil {
			return nil, err
		}
		var r struct{ Content []struct{ Text string } }
		if err := json.Unmarshal(result, &r); err != nil || len(r.Content) != 1 {
			return nil, errors.Join(fmt.Errorf("not one block: %s", result), err)
		}
		return []byte(r.Content[0].Text), nil
	}
	return a, stop, nil
}

// session asks one thing at a time.
type session struct {
	in  io.Writer
	out *bufio.Reader
	id  int
}

func (s *session) request(method string, params any) (json.RawMessage, error) {
	s.id++
	b, err := json.Marshal(args{"jsonrpc": "2.0", "id": s.id, "method": method, "params": params})
	if err != nil {
		return nil, err
	}
	if _, err := s.in.Write(append(b, '\n')); err != nil {
		return nil, err
	}
	line, err := s.out.ReadBytes('\n')
	if err != nil {
		return nil, err
	}
	var m struct {
		ID     int
		Result json.RawMessage
		Error  json.RawMessage
	}
	if err := json.Unmarshal(line, &m); err != nil || m.ID != s.id || m.Error != nil {
		return nil, errors.Join(fmt.Errorf("%s: %s", method, strings.TrimSpace(string(line))), err)
	}
	return m.Result, nil
}
