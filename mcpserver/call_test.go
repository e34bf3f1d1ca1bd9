package mcpserver

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestCallReachesTheChildLiterally(t *testing.T) {
	t.Parallel()
	s := initialized(t, func(srv *server) {
		srv.child.globals = []string{"--socket", "a b", "--state-dir", "/s"}
	})
	for _, command := range []string{"-x", "--", "a\nb", `"'$(touch x)` + "`", "a;", "日本 👩‍👩‍👧", "", " ", strings.Repeat("y", 100_000)} {
		s.send(do(1, command))
		was := s.told(s.want(1))
		want := []string{"--socket", "a b", "--state-dir", "/s", "run", "--timeout=45s", "--max-bytes=24KiB", "--json", "--", "t", command}
		if fmt.Sprint(was.Argv) != fmt.Sprint(want) || len(was.Argv) != len(want) || was.Stdin != "" {
			t.Errorf("argv %.300q stdin %q", was.Argv, was.Stdin)
		}
	}
	text := strings.Repeat("0123456789", 20_000) + "\x01\n"
	s.send(callLine(2, "pairmux_send", map[string]any{"terminal": "t", "text": text}))
	if was := s.told(s.want(2)); was.Stdin != text {
		t.Errorf("text of %d bytes, want %d", len(was.Stdin), len(text))
	}
	script := "echo 1\n" + strings.Repeat("#", 300_000)
	s.send(callLine(3, "pairmux_run", map[string]any{"terminal": "t", "script": script}))
	if was := s.told(s.want(3)); was.Stdin != script {
		t.Errorf("script of %d bytes, want %d", len(was.Stdin), len(script))
	}
}

// TestChildrenThatMisbehave: what a child does, and what the reply has to say.
func TestChildrenThatMisbehave(t *testing.T) {
	s := initialized(t)
	for _, c := range []struct {
		does, code string
		words      []string
	}{
		{"fail", "E_BUSY", []string{`<busy> & "locked"`}},
		{"garbage", "E_INTERNAL", []string{"no envelope", "exit status 2", "stack [1mtrace"}},
		{"empty", "E_INTERNAL", []string{"pairmux run gave no reply", "exit status 0"}},
		{"two", "E_INTERNAL", []string{"no envelope"}},
		{"array", "E_INTERNAL", []string{"no envelope"}},
		{"invalid", "E_INTERNAL", []string{"no envelope", "UTF-8"}},
		{"schemaless", "E_INTERNAL", []string{"no envelope"}},
		{"badend", "E_INTERNAL", []string{"replied done but ended badly", "exit status 1"}},
		{"killed", "E_INTERNAL", []string{"replied done but ended badly", "signal 9"}},
		{"big 1100000", "E_TOO_LARGE", []string{"over 1 MiB"}},
		{"big 100000000", "E_TOO_LARGE", []string{"over 1 MiB"}},
	} {
		s.send(do(1, c.does))
		r := s.tool(s.want(1))
		if r.Structured.OK || r.Structured.Status != "error" || r.Structured.Error == nil || r.Structured.Error.Code != c.code {
			t.Errorf("%s: %.300s", c.does, r.raw.Structured)
			continue
		}
		for _, w := range c.words {
			if !strings.Contains(r.Structured.Error.Message, w) {
				t.Errorf("%s: message %q lacks %q", c.does, r.Structured.Error.Message, w)
			}
		}
		if hint := r.Structured.Error.Hint; hint != "" && r.Structured.Next[0] != hint {
			t.Errorf("%s: the hint %q is not in next", c.does, hint)
		}
		if strings.ContainsRune(r.Structured.Error.Message, '\x1b') {
			t.Errorf("%s: an escape character in %q", c.does, r.Structured.Error.Message)
		}
	}
	s.ping()
}

func TestChildrenThatBehaveOddlyButWell(t *testing.T) {
	s := initialized(t)
	for _, c := range []struct{ does, status, output string }{
		{"interrupted", "running", ""},
		{"noisy", "ok", "quiet"},
		{"future", "ok", ""},
	} {
		s.send(do(1, c.does))
		if r := s.tool(s.want(1)); !r.Structured.OK || r.Structured.Status != c.status || r.Structured.Output != c.output {
			t.Errorf("%s: %.300s", c.does, r.raw.Structured)
		}
	}
}

// TestPipeHeldByAnother: a process that outlives the child holds its output open.
func TestPipeHeldByAnother(t *testing.T) {
	t.Parallel()
	s := initialized(t)
	path := fifo(t)
	s.send(do(1, "leave "+path))
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var pid int
	if _, err := fmt.Fscan(f, &pid); err != nil {
		t.Fatal(err)
	}
	defer syscall.Kill(pid, syscall.SIGKILL)
	if r := s.tool(s.want(1)); r.Structured.Output != "left" {
		t.Errorf("%.300s", r.raw.Structured)
	}
	if err := syscall.Kill(pid, 0); err != nil {
		t.Errorf("what a child left behind was ended with it: %v", err)
	}
}

// TestAwkwardOutputRoundTrips: one line, plain characters, the same value in both forms.
func TestAwkwardOutputRoundTrips(t *testing.T) {
	t.Parallel()
	s := initialized(t)
	for _, output := range []string{
		`<script>&amp;</script> \u003c \\u003c`, "\x1b[31m\x00\x7f", "\u2028\u2029\ufeff", "👩‍👩‍👧 漢字", `"\\"`, "a\nb\tc\r",
		strings.Repeat(`"`, 40_000), strings.Repeat("\x01", 15_000), strings.Repeat("<", 15_000),
	} {
		s.send(do(1, "raw "+string(mustMarshal(output))))
		line := s.next()
		var m message
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatal(err)
		}
		if r := s.tool(m); r.Structured.Output != output {
			t.Errorf("%.60q came back as %.60q (error %v)", output, r.Structured.Output, r.Structured.Error)
		}
		if strings.Contains(line, `\u003c`) && !strings.Contains(output, `\u003c`) {
			t.Errorf("%.60q is escaped on the line", output)
		}
	}
}

// TestNoMessageOverTheLimit: the largest reply a child can give, of the characters
// that grow most, stays under what clients read.
func TestNoMessageOverTheLimit(t *testing.T) {
	t.Parallel()
	for _, fill := range []string{`\"`, `<`, `\u0001`, `\\`, "\u2028", `\n`} {
		reply := `{"schema":"pairmux.v1","ok":true,"status":"ok","output":"` + strings.Repeat(fill, (maxStdout-100)/len(fill)) + `"}`
		o := &outcome{stdout: []byte(reply), state: &os.ProcessState{}}
		r := o.result(toolNamed(t, "pairmux_log"), &Invocation{command: "log"}, 0, nil)
		if n := len(plainHTML(mustMarshal(r))); n > maxMessage || r.IsError {
			t.Errorf("%s: %d bytes, error %v", fill, n, r.IsError)
		}
	}
}

func TestLongOutputOfPeekAndWaitIsShortened(t *testing.T) {
	s := initialized(t)
	for _, c := range []struct {
		tool, output, truncated, first, last, full string
		omitted                                    int
	}{
		{"pairmux_peek", strings.Repeat("0123456789\n", 9_000) + "end", "", "0123456789", "end", "pairmux log t --range 1:end", 0},
		{"pairmux_peek", "start\n" + strings.Repeat("x", 90_000), "", "start", "", "", 0},
		{"pairmux_wait", "a\n" + strings.Repeat("0123456789\n", 9_000) + "z", `,"cmd_id":7,"truncated":{"omitted_lines":5,"omitted_bytes":2,"get_full":"pairmux log t --cmd 7"}`, "a", "z", "pairmux log t --cmd 7", 5},
		{"pairmux_wait", "a\n" + strings.Repeat("0123456789\n", 9_000) + "z", `,"cmd_id":7`, "a", "z", "pairmux log t --cmd 7", 0},
	} {
		reply := `"terminal":"t","status":"done","output":` + string(mustMarshal(c.output)) + c.truncated
		o := &outcome{stdout: []byte(`{"schema":"pairmux.v1","ok":true,` + reply + `}`), state: &os.ProcessState{}}
		tool := toolNamed(t, c.tool)
		r := o.result(tool, &Invocation{command: tool.Command}, 0, nil)
		var e struct {
			Output    string
			Truncated struct {
				Lines int    `json:"omitted_lines"`
				Bytes int    `json:"omitted_bytes"`
				Full  string `json:"get_full"`
			}
		}
		if err := json.Unmarshal(r.Structured, &e); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(e.Output, "\n")
		if len(e.Output) > budget+8 || lines[0] != c.first || !strings.HasSuffix(e.Output, c.last) || !strings.Contains(e.Output, "\n…\n") {
			t.Errorf("%s: %d bytes, first %q, last %q", c.tool, len(e.Output), lines[0], lines[len(lines)-1][:min(20, len(lines[len(lines)-1]))])
		}
		kept := len(lines) - 1
		if all := strings.Count(c.output, "\n") + 1; e.Truncated.Lines-c.omitted != all-kept {
			t.Errorf("%s: says %d lines left out, kept %d of %d", c.tool, e.Truncated.Lines, kept, all)
		}
		if c.full != "" && e.Truncated.Full != c.full {
			t.Errorf("%s: get_full %q, want %q", c.tool, e.Truncated.Full, c.full)
		}
		if err := matches(outputSchema(), r.Structured); err != nil {
			t.Error(err)
		}
	}
	s.ping()
}

func TestExecutableGone(t *testing.T) {
	for _, path := range []string{"/nonexistent/pairmux", "/"} {
		s := initialized(t, func(srv *server) { srv.child.executable = path })
		s.send(callLine(1, "pairmux_ls", nil))
		if r := s.tool(s.want(1)); r.Structured.Error.Code != "E_INTERNAL" || !strings.Contains(r.Structured.Error.Message, "cannot start pairmux") {
			t.Errorf("%s", r.raw.Structured)
		}
		s.ping()
	}
}

func TestReplacedExecutableIsFoundByItsName(t *testing.T) {
	srv, err := newServer(Config{Executable: "/usr/bin/pairmux (deleted)"})
	if err != nil {
		t.Fatal(err)
	}
	defer srv.close()
	if srv.child.executable != "/usr/bin/pairmux" {
		t.Error(srv.child.executable)
	}
}

func TestWorkDir(t *testing.T) {
	home, here := t.TempDir(), t.TempDir()
	env := []string{"HOME=/nonexistent", "HOME=" + home}
	t.Chdir(here)
	if dir := workDir(env); dir != here {
		t.Errorf("%s, want %s", dir, here)
	}
	t.Chdir("/")
	if dir := workDir(env); dir != home {
		t.Errorf("%s, want the home directory", dir)
	}
	if dir := workDir([]string{"HOME=/nonexistent"}); dir != "/" {
		t.Errorf("%s, want /", dir)
	}
}

func TestPanicTakesOneCallOnly(t *testing.T) {
	s := initialized(t, func(srv *server) {
		srv.tools = append(srv.tools,
			Tool{Name: "at_once", check: func(*Invocation, values) error { panic("boom") }},
			Tool{Name: "later", Command: "later", waits: time.Second})
		// What sends on it panics: a fault on the call's own goroutine.
		close(srv.calls.waiting)
	})
	for _, name := range []string{"at_once", "later"} {
		s.send(callLine(1, name, nil))
		if m := s.want(1); m.Error == nil || m.Error.Code != -32603 {
			t.Errorf("%s: %s", name, m.Result)
		}
	}
	s.send(callLine(2, "pairmux_ls", nil))
	s.tool(s.want(2))
	s.ping()
}
