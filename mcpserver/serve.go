package mcpserver

import (
	"context"
	"errors"
	"io"
	"log"
	"os"
	"strings"
	"time"

	"github.com/sourcegraph/jsonrpc2"
)

// Config says how calls are run.
type Config struct {
	// Executable is the path of pairmux; Args are its global flags, such as --socket
	// and --state-dir, passed with every call.
	Executable string
	Args       []string
	// Env is the environment of the children; nil means that of this process.
	Env []string
	// Version is what the server calls itself.
	Version string
	// Stderr gets diagnostics, never a part of the protocol; nil means os.Stderr.
	Stderr io.Writer
}

// ErrWrite is what [Serve] returns, wrapped, when the client no longer reads.
var ErrWrite = errors.New("cannot write to the client")

const (
	// drainWaiting is how long, after the end of input, calls that wait for a
	// terminal may still come to their end by themselves; drainQuick is the same for
	// all others.
	drainWaiting = 400 * time.Millisecond
	drainQuick   = 5 * time.Second
	// lastWord bounds the wait for calls that were told to end.
	lastWord = killAfter + pipeDelay + 500*time.Millisecond

	parentEvery = 5 * time.Second
)

// Serve speaks MCP on in and out until the end of input, until ctx ends, until a
// write fails, or until the parent process is gone. It starts nothing before the
// first tool call. It reads and writes whole lines; nothing else may write to out.
//
// At the end of input, calls in flight are answered where they end soon, and ended
// where not; when Serve returns no child of it runs any more. It returns nil at the
// end of input, the cause of ctx, or an error that wraps [ErrWrite].
//
// A read of in that blocks cannot be interrupted: after a return that was not
// caused by the end of input one goroutine may still be reading.
func Serve(ctx context.Context, in io.Reader, out io.Writer, c Config) error {
	s, err := newServer(c)
	if err != nil {
		return err
	}
	defer s.close()
	return s.serve(ctx, in, out)
}

func newServer(c Config) (*server, error) {
	if c.Env == nil {
		c.Env = os.Environ()
	}
	if c.Stderr == nil {
		c.Stderr = os.Stderr
	}
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	env := append([]string{}, c.Env...)
	return &server{
		log:     log.New(c.Stderr, "pairmux mcp: ", 0),
		version: c.Version,
		tools:   Tools(),
		calls:   newCalls(),
		every:   progressEvery,
		grace:   grace,
		quick:   quickLimit,
		life:    write,
		child: launcher{
			// The kernel's name of a program that was replaced while it ran.
			executable: strings.TrimSuffix(c.Executable, " (deleted)"),
			globals:    append([]string{}, c.Args...),
			env:        append(env, lifeVariable+"=3"),
			dir:        workDir(env),
			life:       read,
		},
	}, nil
}

func (s *server) close() {
	s.child.life.Close()
	s.life.Close()
}

func (s *server) serve(ctx context.Context, in io.Reader, out io.Writer) error {
	s.stream = newStream(in, out)
	s.stream.batches = s.batches
	s.stream.drain = func() { s.calls.drain(ctx, s.stream.broken) }
	conn := jsonrpc2.NewConn(context.Background(), s.stream, s, jsonrpc2.SetLogger(s.log))

	parent := os.Getppid()
	ticker := time.NewTicker(parentEvery)
	defer ticker.Stop()
	var err error
wait:
	for {
		select {
		case <-conn.DisconnectNotify():
			break wait
		case <-ctx.Done():
			err = context.Cause(ctx)
			break wait
		case <-s.stream.broken:
			err = errors.Join(ErrWrite, s.stream.werr)
			break wait
		case <-ticker.C:
			if os.Getppid() != parent {
				s.log.Print("the parent process is gone")
				break wait
			}
		}
	}
	s.calls.endAll()
	s.calls.wait(lastWord)
	conn.Close()
	return err
}
