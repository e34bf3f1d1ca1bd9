package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/pairmux/pairmux/detect"
	"github.com/pairmux/pairmux/envelope"
	"github.com/pairmux/pairmux/journal"
	"github.com/pairmux/pairmux/tmuxio"
)

// environment is where a call works: one tmux server and one state directory.
type environment struct {
	socket   string
	root     string // the state directory
	endpoint journal.Endpoint
	// carry holds the global flags that every command in a reply needs to
	// reach the same place.
	carry string

	server func() (*tmuxio.Server, error)
}

// validSocket reports whether name may be a socket label:
// ^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$. Written out, because every call checks it
// and compiling the expression costs half a millisecond.
func validSocket(name string) bool {
	if name == "" || len(name) > 64 {
		return false
	}
	for i := range len(name) {
		switch c := name[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9':
		case i > 0 && (c == '.' || c == '_' || c == '-'):
		default:
			return false
		}
	}
	return true
}

// newEnvironment resolves flags, variables and defaults, in this order. An
// empty variable counts as unset.
func newEnvironment(given map[string]string) (*environment, *outcome) {
	e := &environment{socket: journal.DefaultSocket}
	named := false
	if v := os.Getenv("PAIRMUX_SOCKET"); v != "" {
		e.socket = v
	}
	if v, ok := given["socket"]; ok {
		e.socket = v
	}
	if !validSocket(e.socket) {
		return nil, badArgs(fmt.Sprintf("bad socket name %q: want a letter or digit, then up to 63 of A-Z a-z 0-9 . _ -", e.socket), "")
	}
	home, _ := os.UserHomeDir()
	fallback := filepath.Join(home, ".local", "state", "pairmux")
	if v := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(v) {
		fallback = filepath.Join(v, "pairmux")
	}
	e.root = fallback
	if v := os.Getenv("PAIRMUX_STATE_DIR"); v != "" {
		e.root, named = v, true
	}
	if v, ok := given["state-dir"]; ok {
		e.root, named = v, true
	}
	if !filepath.IsAbs(e.root) {
		if !named {
			return nil, badArgs("no state directory: HOME is not set", "pairmux --state-dir /path/to/state ls")
		}
		return nil, badArgs(fmt.Sprintf("state directory %q is not an absolute path", e.root), "")
	}
	e.root = filepath.Clean(e.root)
	e.carry = e.socketFlag()
	if e.root != fallback {
		e.carry += " --state-dir " + detect.Quote(e.root)
	}
	e.endpoint = journal.Endpoint{TmuxTmpdir: os.Getenv("TMUX_TMPDIR"), UID: os.Getuid(), Socket: e.socket}
	e.server = sync.OnceValues(func() (*tmuxio.Server, error) {
		return tmuxio.New(tmuxio.Config{Label: e.socket, TmuxTmpdir: os.Getenv("TMUX_TMPDIR")})
	})
	return e, nil
}

func (e *environment) socketFlag() string {
	if e.socket == journal.DefaultSocket {
		return ""
	}
	return " --socket " + e.socket
}

// line spells a pairmux command that reaches the same place, its words quoted.
func (e *environment) line(words ...string) string {
	s := "pairmux" + e.carry
	for _, w := range words {
		s += " " + detect.Quote(w)
	}
	return s
}

// globalArgs are the flags by which a child reaches the same place, whatever
// its environment.
func (e *environment) globalArgs() []string {
	return []string{"--socket", e.socket, "--state-dir", e.root}
}

// carryInto completes the commands of a reply that were written without knowing
// the environment, such as those of the parser.
func (e *environment) carryInto(r *envelope.Reply) {
	complete := func(s string) string {
		rest, ok := strings.CutPrefix(s, "pairmux ")
		if !ok || e.carry == "" || strings.Contains(s, " --socket ") || strings.Contains(s, " --state-dir ") {
			return s
		}
		return "pairmux" + e.carry + " " + rest
	}
	for i := range r.Next {
		r.Next[i] = complete(r.Next[i])
	}
	if r.Error != nil {
		r.Error.Hint = complete(r.Error.Hint)
	}
}

// loginShell is the caller's shell: $SHELL, else the passwd entry's, else sh.
func loginShell() string {
	if s := os.Getenv("SHELL"); s != "" {
		return s
	}
	if s := passwdShell(); s != "" {
		return s
	}
	return "/bin/sh"
}

func passwdShell() string {
	b, err := os.ReadFile("/etc/passwd")
	if err != nil {
		return ""
	}
	return shellOf(string(b), strconv.Itoa(os.Getuid()))
}

// shellOf finds a user's shell in the text of a passwd file.
func shellOf(passwd, uid string) string {
	for line := range strings.Lines(passwd) {
		f := strings.Split(strings.TrimRight(line, "\n"), ":")
		if len(f) >= 7 && f[2] == uid {
			return f[6]
		}
	}
	return ""
}
