package tmuxio

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// DefaultTimeout bounds a wait whose context has no deadline of its own.
const DefaultTimeout = 5 * time.Second

// maxArgs is what one message to the server holds of argv (tmux: 16 KB less
// headers), with a margin.
const maxArgs = 16000

// A Call is one tmux client at work. Its methods must not be called
// concurrently. It holds two descriptors and a process until [Call.Wait] or
// [Call.Poll] has seen the client's end; a process that ends itself may leave
// it alone.
type Call struct {
	s     *Server
	name  string // Error.Op; "" is the first command
	args  []string
	stdin []byte
	umask int // of the client; -1: the caller's

	pid      int
	out, err pipeEnd
	done     bool
	result   error
	retried  bool
}

// pipeEnd collects what the client writes to one of its outputs.
type pipeEnd struct {
	fd  int // -1 at its end
	buf bytes.Buffer
}

// Start starts a client with a chain of commands (see [Chain]) and does not
// wait for it. stdin is what the client can read there; nil is /dev/null. The
// whole of stdin is in place before the client starts, so that a caller that is
// killed leaves no half of it behind. Errors: [ErrTooLong], [ErrNoTmux], and
// those of the system.
func (s *Server) Start(stdin []byte, args ...string) (*Call, error) {
	c := &Call{s: s, args: args, stdin: stdin, umask: -1}
	if err := c.start(); err != nil {
		return nil, err
	}
	return c, nil
}

// Run starts a client and waits for it; see [Server.Start] and [Call.Wait].
func (s *Server) Run(ctx context.Context, args ...string) (string, error) {
	c, err := s.Start(nil, args...)
	if err != nil {
		return "", err
	}
	return c.Wait(ctx)
}

func (c *Call) op() string {
	switch {
	case c.name != "":
		return c.name
	case len(c.args) == 0:
		return "client"
	}
	return c.args[0]
}

func (c *Call) start() error {
	if n := size(c.args); n > maxArgs {
		return &Error{Op: c.op(), Stderr: fmt.Sprintf("%d bytes", n), ExitCode: -1, Err: ErrTooLong}
	}
	in, err := openInput(c.stdin)
	if err != nil {
		return err
	}
	defer unix.Close(in)
	outR, outW, err := pipe()
	if err != nil {
		return err
	}
	defer unix.Close(outW)
	errR, errW, err := pipe()
	if err != nil {
		unix.Close(outR)
		return err
	}
	defer unix.Close(errW)
	bin := c.s.Binary()
	pid, err := forkExec(bin, c.s.argv(c.args), &syscall.ProcAttr{
		Dir:   "/",
		Env:   c.s.clientEnv(),
		Files: []uintptr{uintptr(in), uintptr(outW), uintptr(errW)},
		// A Ctrl-C meant for us must not cut the client short.
		Sys: &syscall.SysProcAttr{Setpgid: true},
	}, c.umask)
	if err != nil {
		unix.Close(outR)
		unix.Close(errR)
		cause := error(nil)
		if errors.Is(err, syscall.ENOENT) {
			cause = ErrNoTmux
		}
		return &Error{Op: c.op(), Stderr: bin + ": " + err.Error(), ExitCode: -1, Err: cause}
	}
	c.pid = pid
	c.out, c.err = pipeEnd{fd: outR}, pipeEnd{fd: errR}
	c.done = false
	return nil
}

// size is what args take in a message.
func size(args []string) int {
	n := 0
	for _, a := range args {
		n += len(a) + 1
	}
	return n
}

// umaskMu keeps two calls from taking each other's umask for the caller's.
var umaskMu sync.Mutex

// forkExec starts a process; a umask of -1 is the caller's. The umask belongs
// to the whole process, so another goroutine that makes a file in the fraction
// of a millisecond between may make it more private than it meant to.
func forkExec(bin string, argv []string, attr *syscall.ProcAttr, umask int) (int, error) {
	if umask >= 0 {
		umaskMu.Lock()
		defer umaskMu.Unlock()
		defer syscall.Umask(syscall.Umask(umask))
	}
	return syscall.ForkExec(bin, argv, attr)
}

// Poll looks, without blocking, whether the client has ended, and how. It does
// not try again after a version mismatch, as [Call.Wait] does.
func (c *Call) Poll() (done bool, err error) {
	if !c.done {
		c.drain()
		c.reap(unix.WNOHANG)
	}
	return c.done, c.result
}

// Wait waits for the client's end and returns what it wrote to stdout. The
// error is an *[Error]; when ctx ends first the client is killed, and the error
// matches [ErrTimeout], or the context's error if it was cancelled. What a
// killed client has handed over may still be done by a server that wakes up.
func (c *Call) Wait(ctx context.Context) (string, error) {
	if _, ok := ctx.Deadline(); !ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, DefaultTimeout)
		defer cancel()
	}
	for {
		for !c.done {
			if ctx.Err() != nil {
				if done, _ := c.Poll(); !done {
					c.kill(ctx)
				}
				break
			}
			c.block(ctx)
			c.drain()
			if c.out.fd < 0 && c.err.fd < 0 {
				c.reap(0)
			} else {
				c.reap(unix.WNOHANG)
			}
		}
		if !c.mismatched() {
			return c.out.buf.String(), c.result
		}
	}
}

// block waits until the client writes or closes its outputs, for 20 ms at most
// so that a cancelled context is seen.
func (c *Call) block(ctx context.Context) {
	wait := 20 * time.Millisecond
	if d, ok := ctx.Deadline(); ok {
		wait = min(wait, time.Until(d))
	}
	var fds []unix.PollFd
	for _, fd := range []int{c.out.fd, c.err.fd} {
		if fd >= 0 {
			fds = append(fds, unix.PollFd{Fd: int32(fd), Events: unix.POLLIN})
		}
	}
	unix.Poll(fds, int((max(wait, 0)+time.Millisecond-1)/time.Millisecond))
}

func (c *Call) drain() {
	c.out.drain()
	c.err.drain()
}

func (p *pipeEnd) drain() {
	var chunk [16 << 10]byte
	for p.fd >= 0 {
		n, err := unix.Read(p.fd, chunk[:])
		switch {
		case n > 0:
			p.buf.Write(chunk[:n])
		case err == unix.EINTR:
		case err == unix.EAGAIN:
			return
		default:
			p.close()
		}
	}
}

func (p *pipeEnd) close() {
	if p.fd >= 0 {
		unix.Close(p.fd)
		p.fd = -1
	}
}

// reap takes the client's exit status if it has one; without WNOHANG it waits.
func (c *Call) reap(options int) {
	var ws unix.WaitStatus
	for {
		pid, err := unix.Wait4(c.pid, &ws, options, nil)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			c.finish(&Error{Op: c.op(), Stderr: "wait: " + err.Error(), ExitCode: -1})
		} else if pid == c.pid {
			c.drain()
			c.finish(c.failure(ws))
		}
		return
	}
}

func (c *Call) failure(ws unix.WaitStatus) error {
	text := strings.TrimSpace(c.err.buf.String())
	switch {
	case ws.Exited() && ws.ExitStatus() == 0:
		return nil
	case ws.Exited():
		return &Error{Op: c.op(), Stderr: text, ExitCode: ws.ExitStatus(), Err: sentinel(text)}
	}
	return &Error{Op: c.op(), Stderr: strings.TrimSpace("client ended by " + ws.Signal().String() + " " + text), ExitCode: -1}
}

func (c *Call) finish(result error) {
	c.out.close()
	c.err.close()
	c.done = true
	c.result = result
}

// kill ends a client that has outstayed its context.
func (c *Call) kill(ctx context.Context) {
	unix.Kill(c.pid, unix.SIGKILL)
	c.reap(0)
	cause := context.Cause(ctx)
	if errors.Is(cause, context.DeadlineExceeded) {
		cause = ErrTimeout
	}
	c.result = &Error{Op: c.op(), ExitCode: -1, Err: cause}
}

// mismatched says whether the call was started anew with the server's own
// executable. Across 3.5/3.6 the two sides do not understand each other: the
// client says that the server exited, having done nothing.
func (c *Call) mismatched() bool {
	if c.retried || !errors.Is(c.result, ErrServerExited) {
		return false
	}
	exe, err := c.s.serverExe()
	if err != nil || exe == c.s.Binary() || sameExecutable(exe, c.s.Binary()) {
		return false
	}
	c.retried = true
	c.s.binary.Store(&exe)
	if err := c.start(); err != nil {
		c.finish(&Error{Op: c.op(), Stderr: err.Error(), ExitCode: -1, Err: ErrVersionMismatch})
		return false
	}
	return true
}
