package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/pairmux/pairmux/envelope"
	"github.com/pairmux/pairmux/journal"
	"github.com/pairmux/pairmux/tmuxio"
	"golang.org/x/sys/unix"
)

// attach hands the human's terminal to a tmux client that looks at a terminal.

// attachPatience bounds how long tmux may take to say where the pane is.
const attachPatience = 5 * time.Second

func runAttach(c *call) *outcome {
	name := ""
	if len(c.args) == 1 {
		name = c.args[0]
		if !journal.ValidName(name) {
			return badName(name)
		}
	}
	ctx, cancel := context.WithTimeout(c.ctx, attachPatience)
	defer cancel()
	if problem := c.env.humanHere(ctx, name); problem != nil {
		return problem
	}
	if name == "" {
		newest, problem := c.env.newest()
		if problem != nil {
			return problem
		}
		name = newest
	}
	t, problem := c.env.open(name)
	if problem != nil {
		return problem
	}
	srv, spec, problem := t.view(ctx)
	if problem != nil {
		return problem
	}
	spec.ReadOnly = c.bool("read-only")
	spec.Keys = tmuxio.UserKeys(ctx, srv.Binary(), os.Environ())
	argv, env := srv.AttachCommand(spec)
	if err := syscall.Exec(argv[0], argv, env); err != nil {
		return fail(envelope.CodeTmux, fmt.Sprintf("%s cannot be started: %v", argv[0], err), "pairmux doctor")
	}
	return nil
}

// humanHere refuses where no human can be shown a pane: without a terminal, and
// in a pane of the very server, which would show itself in itself.
func (e *environment) humanHere(ctx context.Context, name string) *outcome {
	words := []string{"attach"}
	if name != "" {
		words = append(words, name)
	}
	outer := "in an outer shell, on a terminal of its own: " + e.line(words...)
	for _, f := range []*os.File{os.Stdin, os.Stdout} {
		if !isTerminal(f) {
			return badArgs("attach needs a terminal as standard input and output", outer)
		}
	}
	srv, err := e.server()
	if err != nil {
		return e.tmuxFailed(err)
	}
	inside := badArgs(fmt.Sprintf("this shell is in a pane of the same tmux server (socket %q), which cannot show itself", e.socket), outer)
	if socket, _, set := strings.Cut(os.Getenv("TMUX"), ","); set && realPath(socket) == srv.SocketPath() {
		return inside
	}
	// TMUX is lost on the way through sudo and the like; the terminal is not.
	var here unix.Stat_t
	if unix.Fstat(int(os.Stdin.Fd()), &here) != nil {
		return nil
	}
	out, err := srv.Run(ctx, "list-panes", "-a", "-F", "#{pane_tty}")
	if err != nil {
		return nil // whatever is wrong is reported where it matters
	}
	for tty := range strings.Lines(out) {
		var st unix.Stat_t
		if unix.Stat(strings.TrimSuffix(tty, "\n"), &st) == nil && st.Rdev == here.Rdev {
			return inside
		}
	}
	return nil
}

// realPath is the canonical form that tmuxio gives a socket's path; the socket
// itself may have been deleted.
func realPath(path string) string {
	if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		return filepath.Join(dir, filepath.Base(path))
	}
	return path
}

// newest is the terminal that was made last; a dead one only if all are.
func (e *environment) newest() (string, *outcome) {
	names, err := journal.Terminals(e.root, e.endpoint)
	if err != nil {
		return "", internal(err)
	}
	var best *terminal
	living := false
	for _, name := range names {
		j, err := journal.Find(e.root, e.endpoint, name)
		if err != nil {
			continue
		}
		t := e.wrap(name, j)
		lives := t.life() != gone
		if best == nil || lives && !living || lives == living && t.meta.CreatedAt.After(best.meta.CreatedAt) {
			best, living = t, lives
		}
	}
	if best == nil {
		return "", fail(envelope.CodeNoTerminal, "there is no terminal to attach to", e.line("new"))
	}
	return best.name, nil
}

// view finds the pane that a human is to be shown.
func (t *terminal) view(ctx context.Context) (*tmuxio.Server, tmuxio.AttachSpec, *outcome) {
	var spec tmuxio.AttachSpec
	s, err := t.derive(ctx)
	if err != nil {
		return nil, spec, internal(err)
	}
	if s.status == envelope.StatusDead {
		return nil, spec, t.dead(s)
	}
	srv, err := t.env.server()
	if err != nil {
		return nil, spec, t.env.tmuxFailed(err)
	}
	if err := srv.Revive(ctx, t.meta.ServerPID); err != nil {
		return nil, spec, t.env.tmuxFailed(err)
	}
	panes, err := srv.Panes(ctx)
	if err != nil {
		return nil, spec, t.env.tmuxFailed(err)
	}
	for _, p := range panes {
		if p.ID == t.meta.PaneID && p.ServerPID == t.meta.ServerPID && !p.Dead {
			spec.PaneID, spec.WindowID = p.ID, p.WindowID
			return srv, spec, nil
		}
	}
	// It has ended since, or its launcher outlives a pane that was destroyed.
	return nil, spec, fail(envelope.CodeDead, fmt.Sprintf("terminal %q has no pane any more", t.name), t.line("log", t.name))
}
