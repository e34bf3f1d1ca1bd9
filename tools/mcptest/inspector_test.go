package mcptest

import (
	"bytes"
	"encoding/json"
	"errors"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/pairmux/pairmux/envelope"
)

// inspect runs the inspector's command line against the server in one era, and
// returns what it printed and its exit status.
func (w *world) inspect(era string, argv ...string) (stdout, stderr string, status int) {
	w.t.Helper()
	tree := needClients(w.t)
	words := []string{tree.modules + "/.bin/mcp-inspector", "--cli"}
	for _, v := range w.env {
		if strings.HasPrefix(v, "TMUX_TMPDIR=") || strings.HasPrefix(v, "PAIRMUX_STATE_DIR=") || strings.HasPrefix(v, "LC_ALL=") {
			words = append(words, "-e", v)
		}
	}
	words = append(words, "--protocol-era", era, "--format", "json", "-q")
	words = append(append(words, argv...), "--", binary, "mcp", "serve")
	cmd := w.node(tree, words...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	// It does not always end when it has printed its answer.
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		w.t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

func TestInspector(t *testing.T) {
	for _, era := range []string{"legacy", "auto", "modern"} {
		t.Run(era, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			out, errs, status := w.inspect(era, "--method", "tools/list", "--strict")
			if status != 0 || strings.Count(out, `"name": "pairmux_`)+strings.Count(out, `"name":"pairmux_`) != 10 {
				t.Errorf("tools/list --strict: exit status %d\n%.2000s\n%s", status, out, errs)
			}
			if strings.Contains(errs, "pairmux_") {
				t.Errorf("--strict has something to say: %s", errs)
			}
			call := func(tool string, want int, arguments args) reply {
				t.Helper()
				b, _ := json.Marshal(arguments)
				out, errs, status := w.inspect(era, "--method", "tools/call", "--tool-name", "pairmux_"+tool, "--tool-args-json", string(b))
				var r struct {
					Result struct {
						Content    []struct{ Text string }
						Structured json.RawMessage `json:"structuredContent"`
						IsError    bool
					}
				}
				if err := json.Unmarshal([]byte(out), &r.Result); err != nil || len(r.Result.Content) != 1 {
					if err := json.Unmarshal([]byte(out), &r); err != nil || len(r.Result.Content) != 1 {
						t.Fatalf("%s: exit status %d: %v\n%.2000s\n%s", tool, status, err, out, errs)
					}
				}
				if status != want {
					t.Errorf("%s: exit status %d, want %d: %s", tool, status, want, errs)
				}
				return toolReply(t, r.Result.Content[0].Text, r.Result.Structured, r.Result.IsError)
			}
			call("new", 0, args{"name": "w"}).is(envelope.StatusCreated)
			call("run", 0, args{"terminal": "w", "command": "echo '<&>'; (exit 3)"}).says("<&>").exits(3)
			call("run", 5, args{"terminal": "nosuch", "command": "true"}).refused(envelope.CodeNoTerminal)
			if era != "legacy" {
				return
			}
			// The rest of a session; one era is enough, each call is a process.
			call("wait", 0, args{"terminal": "w", "timeout": "20s"}).is(envelope.StatusIdle)
			call("send", 0, args{"terminal": "w", "text": "echo sent", "enter": true, "wait": "pattern=^sent"}).is(envelope.StatusPatternFound)
			call("log", 0, args{"terminal": "w", "history": true})
			out, errs, status = w.inspect(era, "--method", "tools/call", "--tool-name", "pairmux_peek", "--tool-args-json", `{"terminal":"w"}`,
				"--load", "--load-requests", "60", "--load-concurrency", "20")
			if status != 0 || !strings.Contains(out, `"ok":60,"toolErrors":0,"errors":0`) {
				t.Errorf("load: exit status %d\n%s\n%s", status, out, errs)
			}
			call("kill", 0, args{"terminal": "w"}).is("killed")
		})
	}
}
