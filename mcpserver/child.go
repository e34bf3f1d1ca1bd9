package mcpserver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

const (
	maxStdout = 1 << 20
	maxStderr = 64 << 10

	// A child that is to end gets SIGINT, upon which a pairmux that waits prints its
	// reply as if its deadline had passed; then SIGTERM, then SIGKILL, early enough
	// that a client which waits one second for this server is not disappointed.
	termAfter = 200 * time.Millisecond
	killAfter = 400 * time.Millisecond

	// pipeDelay is how long output is awaited after the child itself has ended, from
	// processes that it left behind with its pipes.
	pipeDelay = 500 * time.Millisecond
)

// The reasons why a call's context ends.
var (
	errCancelled = errors.New("cancelled by the client")
	errEnding    = errors.New("the server is ending")
	errLate      = errors.New("own deadline passed")
	errFlood     = errors.New("stdout over 1 MiB")
)

// launcher starts children.
type launcher struct {
	executable string
	globals    []string
	env        []string
	dir        string
	life       *os.File // read end of the life pipe; becomes the child's descriptor 3
}

// outcome is what a child left behind.
type outcome struct {
	stdout   []byte
	stderr   []byte
	overflow bool
	late     bool
	stopped  bool // we asked it to end
	startErr error
	state    *os.ProcessState
}

// run runs one child to its end. When ctx ends it ends the child, by SIGINT,
// SIGTERM and SIGKILL; it returns when the child is gone, at the latest about a
// second later. The command in the pane is not the child's and is never signalled.
func (l *launcher) run(ctx context.Context, inv *Invocation) *outcome {
	ctx, flood := context.WithCancelCause(ctx)
	defer flood(nil)
	stdout := &capped{max: maxStdout, full: func() { flood(errFlood) }}
	stderr := &lastBytes{max: maxStderr}

	cmd := exec.Command(l.executable, append(append([]string{}, l.globals...), inv.Argv...)...)
	cmd.Env = l.env
	cmd.Dir = l.dir
	cmd.Stdout = stdout
	cmd.Stderr = stderr
	if inv.Stdin != nil {
		cmd.Stdin = bytes.NewReader(inv.Stdin)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = pipeDelay
	if l.life != nil {
		cmd.ExtraFiles = []*os.File{l.life}
	}
	o := &outcome{}
	if err := cmd.Start(); err != nil {
		o.startErr = err
		return o
	}
	ended := make(chan struct{})
	go func() {
		// The error repeats what ProcessState and the writers know.
		_ = cmd.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-ctx.Done():
		o.stopped = true
		// Only the child itself is interrupted, so that a tmux client of its own is
		// not torn out of the middle of its work.
		_ = cmd.Process.Signal(os.Interrupt)
		end(ended, cmd.Process.Pid)
	}
	<-ended
	o.stdout, o.stderr, o.state = stdout.b, stderr.bytes(), cmd.ProcessState
	o.overflow = stdout.over
	o.late = context.Cause(ctx) == errLate
	return o
}

// end goes on with a group that was asked to end, and takes along what the leader
// leaves behind.
func end(ended <-chan struct{}, group int) {
	timer := time.NewTimer(termAfter)
	defer timer.Stop()
	select {
	case <-ended:
	case <-timer.C:
		_ = syscall.Kill(-group, syscall.SIGTERM)
		timer.Reset(killAfter - termAfter)
		select {
		case <-ended:
		case <-timer.C:
		}
	}
	_ = syscall.Kill(-group, syscall.SIGKILL)
}

// endedWell reports whether the exit status fits a reply that says ok. A pairmux
// that was interrupted while it waited replies and exits 130 or 143 (SPEC 1).
func (o *outcome) endedWell() bool {
	if o.state == nil {
		return false
	}
	switch o.state.ExitCode() {
	case 0, 130, 143:
		return true
	}
	return o.stopped
}

// end says how the child ended.
func (o *outcome) end() string {
	if o.state == nil {
		return "not started"
	}
	if status, ok := o.state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return fmt.Sprintf("killed by signal %d, %s", status.Signal(), status.Signal())
	}
	return fmt.Sprintf("exit status %d", o.state.ExitCode())
}

// capped keeps up to max bytes and calls full once when there are more.
type capped struct {
	b    []byte
	max  int
	over bool
	full func()
}

func (c *capped) Write(p []byte) (int, error) {
	if len(c.b)+len(p) > c.max {
		if !c.over {
			c.over = true
			c.full()
		}
		// The error closes the pipe; the writer gets SIGPIPE.
		return 0, errFlood
	}
	c.b = append(c.b, p...)
	return len(p), nil
}

// lastBytes keeps the last max bytes.
type lastBytes struct {
	b   []byte
	max int
}

func (l *lastBytes) Write(p []byte) (int, error) {
	l.b = append(l.b, p...)
	if len(l.b) > 2*l.max {
		l.b = append(l.b[:0], l.b[len(l.b)-l.max:]...)
	}
	return len(p), nil
}

func (l *lastBytes) bytes() []byte {
	return l.b[max(0, len(l.b)-l.max):]
}

// workDir is where children start: where the server is, or the home directory when
// that is / (as desktop applications start their servers) or gone.
func workDir(env []string) string {
	dir, err := os.Getwd()
	if err == nil && dir != "/" {
		if _, err := os.Stat(dir); err == nil {
			return dir
		}
	}
	for i := len(env) - 1; i >= 0; i-- {
		if home, ok := strings.CutPrefix(env[i], "HOME="); ok {
			if info, err := os.Stat(home); err == nil && info.IsDir() {
				return home
			}
			break
		}
	}
	return "/"
}
