package mcptest

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/pairmux/pairmux/envelope"
)

// TestGoSDK drives the official Go SDK through the whole of a session, once in
// the newest handshake revision and once as it negotiates by itself.
func TestGoSDK(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ asked, got string }{
		{"2025-11-25", "2025-11-25"},
		{"2025-06-18", "2025-06-18"},
		{"", "2026-07-28"},
	} {
		t.Run("asks for "+c.asked, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			g := w.goClient(c.asked)
			if v := g.session.InitializeResult().ProtocolVersion; v != c.got {
				t.Errorf("negotiated %s, want %s", v, c.got)
			}
			if g.session.InitializeResult().Instructions == "" || g.session.InitializeResult().ServerInfo.Name != "pairmux" {
				t.Errorf("%+v", g.session.InitializeResult())
			}
			g.walk()
		})
	}
}

// goClient is a session of the Go SDK.
type goClient struct {
	t        *testing.T
	session  *mcp.ClientSession
	progress chan string
}

func (w *world) goClient(version string) *goClient {
	w.t.Helper()
	g := &goClient{t: w.t, progress: make(chan string, 64)}
	client := mcp.NewClient(&mcp.Implementation{Name: "mcptest", Version: "1"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			token, _ := r.Params.ProgressToken.(string)
			select {
			case g.progress <- token:
			default:
			}
		},
	})
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	transport := &mcp.CommandTransport{Command: w.command(binary, "mcp", "serve")}
	session, err := client.Connect(ctx, transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		w.t.Fatal(err)
	}
	g.session = session
	w.t.Cleanup(func() {
		if err := session.Close(); err != nil {
			w.t.Errorf("close: %v", err)
		}
	})
	return g
}

func (g *goClient) call(tool string, arguments args) reply {
	g.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
	defer cancel()
	r, err := g.try(ctx, tool, arguments)
	if err != nil {
		g.t.Fatal(err)
	}
	text, ok := r.Content[0].(*mcp.TextContent)
	if !ok || len(r.Content) != 1 {
		g.t.Fatalf("not one text block: %v", r.Content)
	}
	return toolReply(g.t, text.Text, r.StructuredContent, r.IsError)
}

// try is a call that may fail; its progress is reported under the tool's name.
func (g *goClient) try(ctx context.Context, tool string, arguments args) (*mcp.CallToolResult, error) {
	return g.session.CallTool(ctx, &mcp.CallToolParams{
		Meta: mcp.Meta{"progressToken": tool}, Name: "pairmux_" + tool, Arguments: arguments,
	})
}

// waiting blocks until the call under way has said that it waits.
func (g *goClient) waiting(tool string) {
	g.t.Helper()
	for {
		select {
		case token := <-g.progress:
			if token == tool {
				return
			}
		case <-time.After(patience):
			g.t.Fatal("no progress")
		}
	}
}

func (g *goClient) walk() {
	t := g.t
	ctx := context.Background()
	list, err := g.session.ListTools(ctx, nil)
	if err != nil || len(list.Tools) != 10 || list.NextCursor != "" {
		t.Fatalf("%v %+v", err, list)
	}
	for _, tool := range list.Tools {
		if tool.Annotations == nil || tool.InputSchema == nil || tool.OutputSchema == nil {
			t.Errorf("%s is not described", tool.Name)
		}
	}
	g.call("new", args{"name": "w"}).is(envelope.StatusCreated)
	g.call("run", args{"terminal": "w", "command": "echo '<&>'; (exit 3)"}).says("<&>").exits(3)

	g.call("run", args{"terminal": "w", "command": "read x; echo got $x", "timeout": "0"})
	found := make(chan *mcp.CallToolResult, 1)
	go func() {
		r, err := g.try(ctx, "wait", args{"terminal": "w", "pattern": "^got", "timeout": "30s"})
		if err != nil {
			t.Error(err)
		}
		found <- r
	}()
	g.waiting("wait")
	g.call("send", args{"terminal": "w", "text": "it", "enter": true}).is("sent")
	if r := <-found; r == nil || !strings.Contains(r.Content[0].(*mcp.TextContent).Text, "got it") {
		t.Errorf("wait: %+v", r)
	}
	g.call("wait", args{"terminal": "w", "done": true, "timeout": "30s"}).exits(0)

	g.call("log", args{"terminal": "w", "command_id": 1}).says("<&>")
	if h := g.call("log", args{"terminal": "w", "history": true}); len(h.History) != 2 {
		t.Errorf("history: %s", h.raw)
	}
	g.call("peek", args{"terminal": "nosuch"}).refused(envelope.CodeNoTerminal)
	g.call("peek", args{"terminal": "w", "tail": "5"}).refused(envelope.CodeBadArgs)
	var wire *jsonrpc.Error
	if _, err := g.try(ctx, "nosuch", nil); !errors.As(err, &wire) || wire.Code != jsonrpc.CodeInvalidParams {
		t.Errorf("an unknown tool: %v", err)
	}

	g.call("run", args{"terminal": "w", "command": "read y", "timeout": "0"})
	some, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	for len(g.progress) > 0 {
		<-g.progress
	}
	go func() {
		_, err := g.try(some, "wait", args{"terminal": "w", "pattern": "never", "timeout": "60s"})
		ended <- err
	}()
	g.waiting("wait")
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled call: %v", err)
	}
	g.call("send", args{"terminal": "w", "enter": true, "wait": "done", "timeout": "30s"}).exits(0)
	g.call("kill", args{"terminal": "w"}).is("killed")
}

// TestReplyFitsItsOutputSchema has the schema that the server announces judge
// what it says, by the validator of another implementation.
func TestReplyFitsItsOutputSchema(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	g := w.goClient("")
	list, err := g.session.ListTools(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	g.call("new", args{"name": "w"}).is(envelope.StatusCreated)
	calls := map[string][]args{
		"run":  {{"terminal": "w", "command": "seq 900"}, {"terminal": "w", "command": "if"}},
		"peek": {{"terminal": "w"}, {"terminal": "nosuch"}},
		"log":  {{"terminal": "w"}, {"terminal": "w", "history": true}, {"terminal": "w", "grep": "("}},
		"wait": {{"terminal": "w"}, {"terminals": []string{"w"}, "pattern": "never", "timeout": "10ms"}},
		"ls":   {{}, {"all": true}}, "note": {{"terminal": "w", "text": "x"}},
		"send": {{"terminal": "w", "text": "x"}, {"terminal": "w", "keys": []string{"C-c"}, "wait": "idle"}},
		"new":  {{"name": "w"}}, "doctor": {{}}, "kill": {{"terminal": "w"}, {"terminal": "nosuch"}},
	}
	for _, tool := range list.Tools {
		b, err := json.Marshal(tool.OutputSchema)
		if err != nil {
			t.Fatal(err)
		}
		schema := compile(t, b)
		name := strings.TrimPrefix(tool.Name, "pairmux_")
		if len(calls[name]) == 0 {
			t.Errorf("no call of %s", name)
		}
		for _, a := range calls[name] {
			r := g.call(name, a)
			var v any
			if err := json.Unmarshal(r.raw, &v); err != nil {
				t.Fatal(err)
			}
			if err := schema.Validate(v); err != nil {
				t.Errorf("%s %v: %v\n%.300s", name, a, err, r.raw)
			}
		}
	}
}
