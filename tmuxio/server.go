package tmuxio

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"sync/atomic"
)

// SessionName is the session in which all terminals are windows.
const SessionName = "pairmux"

// Config says which server is meant.
type Config struct {
	Label      string // tmux -L
	TmuxTmpdir string // "" is /tmp, and so is one that does not exist, as for tmux
	Binary     string // "" is looked up in PATH
}

// A Server is a tmux server that may or may not be running.
type Server struct {
	label  string
	tmpdir string
	socket string
	binary atomic.Pointer[string]
}

// New finds the tmux binary and works out the socket's path. It makes no tmux
// call. Errors: [ErrNoTmux], and a label or directory that makes the socket's
// path longer than the system allows (107 bytes on Linux, 103 on macOS).
func New(c Config) (*Server, error) {
	name := c.Binary
	if name == "" {
		name = "tmux"
	}
	bin, err := exec.LookPath(name)
	if err == nil {
		bin, err = filepath.Abs(bin)
	}
	if err != nil {
		return nil, &Error{Op: "look-up", Stderr: name, ExitCode: -1, Err: ErrNoTmux}
	}
	dir := canonicalDir(c.TmuxTmpdir)
	s := &Server{
		label:  c.Label,
		tmpdir: dir,
		socket: filepath.Join(dir, "tmux-"+strconv.Itoa(os.Getuid()), c.Label),
	}
	s.binary.Store(&bin)
	if limit := maxSocketPath(); len(s.socket) > limit {
		return nil, fmt.Errorf("tmux socket path is %d bytes long, the system allows %d: %s", len(s.socket), limit, s.socket)
	}
	return s, nil
}

// canonicalDir resolves the directory as tmux does, so that the path is the
// same one whichever link the caller came by.
func canonicalDir(dir string) string {
	if dir != "" {
		if abs, err := filepath.Abs(dir); err == nil {
			if real, err := filepath.EvalSymlinks(abs); err == nil {
				return real
			}
		}
	}
	if real, err := filepath.EvalSymlinks("/tmp"); err == nil {
		return real
	}
	return "/tmp"
}

func maxSocketPath() int {
	if runtime.GOOS == "linux" {
		return 107
	}
	return 103
}

// Label returns the label of tmux -L.
func (s *Server) Label() string { return s.label }

// SocketPath returns the socket's canonical path, whether or not it exists.
func (s *Server) SocketPath() string { return s.socket }

// TmuxTmpdir returns the canonical directory that a tmux command line needs in
// TMUX_TMPDIR to reach this server.
func (s *Server) TmuxTmpdir() string { return s.tmpdir }

// Binary returns the path of the tmux client in use.
func (s *Server) Binary() string { return *s.binary.Load() }

// argv is the whole command line for a chain of commands. -f counts only for
// the call that starts the server; -u keeps non-ASCII whole in what a client
// prints, whatever the locale.
func (s *Server) argv(args []string) []string {
	return append([]string{"tmux", "-u", "-L", s.label, "-f", "/dev/null"}, args...)
}

// clientEnv is all that a client, and a server started by it, gets to see.
// Each variable is a message to the server, so there are few; panes have
// theirs from the launcher. TMUX is left out: it would choose another server.
func (s *Server) clientEnv() []string {
	env := []string{"LANG=C.UTF-8", "TMUX_TMPDIR=" + s.tmpdir}
	for _, k := range []string{"PATH", "HOME", "SHELL", "TERM", "USER"} {
		if v := os.Getenv(k); v != "" {
			env = append(env, k+"="+v)
		}
	}
	return env
}
