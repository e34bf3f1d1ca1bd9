package tmuxio

import (
	"os"
	"strconv"
	"strings"
	"sync/atomic"
)

// An AttachSpec says what a human gets to see.
type AttachSpec struct {
	PaneID, WindowID string
	ReadOnly         bool
	Keys             KeySettings // see [UserKeys]; nil leaves tmux's own
	Env              []string    // the caller's environment; nil is os.Environ
}

// AttachCommand returns what the process is to be replaced by, or what a child
// is to be, so that a human sees the window: argv, whose first element is the
// path to execute, and the environment. It needs the terminal as stdin and
// stdout. It makes no tmux call.
//
// Each attach gets a session of its own in the group of ours, because clients
// of one session share the current window: a second human would pull the first
// one along. A hook ends it after its client. The window is selected before attaching,
// else the wrong one is left at this human's size (3.3a and later). A client
// of another version than the server could not attach, so the server's own
// executable is taken where the two differ.
func (s *Server) AttachCommand(spec AttachSpec) (argv, env []string) {
	// A session of this process's last attach may not have ended yet.
	name := "att" + strconv.Itoa(os.Getpid()) + "-" + strconv.FormatInt(attaches.Add(1), 10)
	session := "=" + name + ":"
	window := session + spec.WindowID
	cmds := [][]string{
		{"new-session", "-d", "-t", spec.PaneID, "-s", name},
		{"set", "-t", session, "@pm_attach", "1"},
		{"select-window", "-t", window},
		{"select-pane", "-t", spec.PaneID},
		{"set", "-w", "-t", window, "window-size", "latest"},
	}
	cmds = append(cmds, spec.Keys.commands(session)...)
	attach := []string{"attach-session", "-t", session}
	if spec.ReadOnly {
		attach = []string{"attach-session", "-r", "-t", session}
	}
	cmds = append(cmds, attach)

	bin := s.Binary()
	if exe, err := s.serverExe(); err == nil && !sameExecutable(exe, bin) {
		bin = exe
	}
	environ := spec.Env
	if environ == nil {
		environ = os.Environ()
	}
	for _, kv := range environ {
		key, _, _ := strings.Cut(kv, "=")
		// TMUX would make it a nested session, which tmux refuses.
		if key != "TMUX" && key != "TMUX_PANE" && key != "TMUX_TMPDIR" {
			env = append(env, kv)
		}
	}
	argv = s.argv(Chain(cmds...))
	argv[0] = bin
	return argv, append(env, "TMUX_TMPDIR="+s.tmpdir)
}

// attaches numbers the sessions of this process.
var attaches atomic.Int64
