package mcpserver

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// process is a server in a process of its own, as hosts start it.
type process struct {
	t      *testing.T
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	pipe   *os.File
	stderr bytes.Buffer
	done   chan error
}

func startProcess(t *testing.T, prepare ...func(*exec.Cmd)) *process {
	t.Helper()
	p := &process{t: t, cmd: exec.Command(self()), done: make(chan error, 1)}
	p.cmd.Env = append(os.Environ(), roleVariable+"=server", "GORACE=atexit_sleep_ms=0")
	p.cmd.Stderr = &p.stderr
	for _, f := range prepare {
		f(p.cmd)
	}
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p.cmd.Stdout = write
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	write.Close()
	p.pipe, p.out = read, bufio.NewReader(read)
	go func() { p.done <- p.cmd.Wait() }()
	// Printed before it serves, while standard output is still everybody's.
	if first, err := p.out.ReadString('\n'); err != nil || first != "a stray line on standard output\n" {
		t.Fatalf("%q %v", first, err)
	}
	t.Cleanup(func() {
		p.cmd.Process.Kill()
		read.Close()
	})
	return p
}

func (p *process) send(lines ...string) {
	p.t.Helper()
	if _, err := io.WriteString(p.in, strings.Join(lines, "\n")+"\n"); err != nil {
		p.t.Fatal(err)
	}
}

const initLine = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}`

// line reads one line of the protocol.
func (p *process) line() string {
	p.t.Helper()
	line, err := p.out.ReadString('\n')
	if err != nil || !strings.HasPrefix(line, `{"jsonrpc":"2.0"`) {
		p.t.Fatalf("%q %v", line, err)
	}
	return line
}

// exit waits for the end of the server and checks its code; the rest of its standard
// output must be empty.
func (p *process) exit(code int) {
	p.t.Helper()
	select {
	case <-p.done:
	case <-time.After(patience):
		p.t.Fatal("the server does not end")
	}
	if got := p.cmd.ProcessState.ExitCode(); got != code {
		p.t.Errorf("exit status %d, want %d: %v\n%s", got, code, p.cmd.ProcessState, p.stderr.String())
	}
}

func (p *process) silent() {
	p.t.Helper()
	if rest, err := io.ReadAll(p.out); err != nil || len(rest) > 0 {
		p.t.Errorf("more output: %.300q %v", rest, err)
	}
}

func TestProcessEndsAtEndOfInput(t *testing.T) {
	p := startProcess(t)
	p.in.Close()
	p.exit(0)
	p.silent()
}

// TestStrayOutputGoesToStandardError: the process prints a line on standard output also
// when it has served.
func TestStrayOutputGoesToStandardError(t *testing.T) {
	p := startProcess(t)
	p.send(initLine)
	p.line()
	p.in.Close()
	p.exit(0)
	p.silent()
	if !strings.Contains(p.stderr.String(), "another one\n") {
		t.Errorf("standard error: %q", p.stderr.String())
	}
}

func TestProcessLeavesNoOrphan(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		code int
		end  func(*process)
	}{
		{"end of input", 0, func(p *process) { p.in.Close() }},
		{"SIGTERM", 0, func(p *process) { p.cmd.Process.Signal(syscall.SIGTERM) }},
		{"SIGINT", 0, func(p *process) { p.cmd.Process.Signal(syscall.SIGINT) }},
		{"SIGHUP", 0, func(p *process) { p.cmd.Process.Signal(syscall.SIGHUP) }},
		{"SIGKILL", -1, func(p *process) { p.cmd.Process.Kill() }},
		{"output closed", 1, func(p *process) {
			p.pipe.Close()
			p.send(`{"jsonrpc":"2.0","id":9,"method":"ping"}`)
		}},
	} {
		for _, child := range []string{"hang", "stubborn"} {
			t.Run(c.name+"/"+child, func(t *testing.T) {
				t.Parallel()
				p := startProcess(t)
				path := fifo(t)
				p.send(initLine, do(1, child+" "+path))
				p.line()
				r := alive(t, path)
				c.end(p)
				p.exit(c.code)
				gone(t, r)
			})
		}
	}
}

// TestStartHasNoSideEffect: clients start a server only to ask what it is.
func TestStartHasNoSideEffect(t *testing.T) {
	home := t.TempDir()
	p := startProcess(t, func(cmd *exec.Cmd) {
		cmd.Dir = home
		cmd.Env = []string{roleVariable + "=server", "GORACE=atexit_sleep_ms=0", "HOME=" + home, "PATH=/bin", "TMPDIR=" + home,
			"XDG_STATE_HOME=" + home, "XDG_RUNTIME_DIR=" + home, "TMUX_TMPDIR=" + home}
	})
	p.send(initLine, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	p.line()
	p.line()
	p.in.Close()
	p.exit(0)
	if left, err := os.ReadDir(home); err != nil || len(left) > 0 {
		t.Errorf("made %v (%v)", left, err)
	}
}

func TestStartInADirectoryThatIsGone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "gone")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	p := startProcess(t, func(cmd *exec.Cmd) {
		cmd.Path, cmd.Args = "/bin/sh", []string{"sh", "-c", `rmdir "$PWD" && exec "$0"`, self()}
		cmd.Dir = dir
		cmd.Env = append(cmd.Env, "HOME="+home)
	})
	p.send(initLine, callLine(1, "pairmux_ls", nil))
	p.line()
	if line := p.line(); !strings.Contains(line, home) {
		t.Errorf("the child does not start in the home directory: %s", line)
	}
	p.in.Close()
	p.exit(0)
}

func TestWatchLifeIgnoresWhatIsNoPipe(t *testing.T) {
	for _, value := range []string{"", "x", "-1", "0", "2", "99"} {
		t.Setenv(lifeVariable, value)
		WatchLife(func() { t.Errorf("%q: called", value) })
		if _, there := os.LookupEnv(lifeVariable); there {
			t.Errorf("%q: the variable is still there", value)
		}
	}
}
