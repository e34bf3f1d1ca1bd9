package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/pairmux/pairmux/detect"
	"github.com/pairmux/pairmux/envelope"
	"github.com/pairmux/pairmux/journal"
	"github.com/pairmux/pairmux/lockfile"
	"github.com/pairmux/pairmux/shape"
	"github.com/pairmux/pairmux/tmuxio"
)

// Kinds of terminals, as in meta.json.
const (
	kindShell   = "shell"
	kindProgram = "program"
)

// terminal is one terminal's journal and what meta.json says about it.
type terminal struct {
	env  *environment
	name string
	j    *journal.Journal
	meta journal.Meta
	// told is the pane's size as tmux has just told it; zero when it was not
	// asked. A human's smaller client changes it.
	told shape.Options

	writer int // the process that was last seen to write the journal
}

// open finds a terminal by name.
func (e *environment) open(name string) (*terminal, *outcome) {
	if !journal.ValidName(name) {
		return nil, badName(name)
	}
	j, err := journal.Find(e.root, e.endpoint, name)
	switch {
	case errors.Is(err, journal.ErrNotFound):
		return nil, e.noTerminal(name)
	case errors.Is(err, journal.ErrNewerFormat):
		return nil, fail(envelope.CodeInternal, fmt.Sprintf("the journal of %q was written by a newer pairmux", name), "pairmux version")
	case err != nil:
		return nil, internal(err)
	}
	return e.wrap(name, j), nil
}

func (e *environment) wrap(name string, j *journal.Journal) *terminal {
	return &terminal{env: e, name: name, j: j, meta: j.Meta()}
}

func badName(name string) *outcome {
	return badArgs(fmt.Sprintf("bad terminal name %q: want a-z or 0-9, then up to 31 of a-z 0-9 _ -", name), "pairmux ls")
}

func (t *terminal) program() bool { return t.meta.Kind == kindProgram }

// strange reports whether the shell's syntax is unknown, so that no command can
// be wrapped for it.
func (t *terminal) strange() bool {
	return !t.program() && t.meta.Shell != "" && t.mode() == envelope.ModeSentinel && detect.Identify(t.meta.Shell) == detect.Unknown
}

func (t *terminal) mode() envelope.Mode {
	if t.meta.Mode == string(envelope.ModeHooks) {
		return envelope.ModeHooks
	}
	return envelope.ModeSentinel
}

// newMachine follows the marks of this terminal's shell.
func (t *terminal) newMachine() detect.Machine {
	return detect.Machine{AID: t.meta.Nonce, Sentinel: !t.program() && t.mode() == envelope.ModeSentinel}
}

// reply begins a reply about this terminal.
func (t *terminal) reply(status envelope.Status) *envelope.Reply {
	r := envelope.New(status)
	r.Terminal, r.Mode = t.name, t.mode()
	return r
}

func (t *terminal) line(words ...string) string { return t.env.line(words...) }

// writeLock is held by whoever runs a command; sendLock keeps keys together.
func (t *terminal) writeLock() string { return filepath.Join(t.j.Dir(), "write.lock") }
func (t *terminal) sendLock() string  { return filepath.Join(t.j.Dir(), "send.lock") }

// holder says who holds the write lock.
func (t *terminal) holder() (lockfile.Holder, bool) { return lockfile.Held(t.writeLock()) }

// grid is the pane's size: the one that tmux has told, else that of a pane
// nobody is attached to.
func (t *terminal) grid() shape.Options {
	if t.told.Cols > 0 {
		return t.told
	}
	cols, rows, err := parseGrid(t.meta.Size)
	if err != nil {
		cols, rows = 200, 50
	}
	return shape.Options{Cols: cols, Rows: rows}
}

// lastByte is when the pane last printed something.
func (t *terminal) lastByte() time.Time {
	st, err := os.Stat(filepath.Join(t.j.Dir(), "raw.log"))
	if err != nil {
		return t.meta.CreatedAt
	}
	return st.ModTime()
}

// lastActivity is the newest of the last byte and the last event.
func (t *terminal) lastActivity() time.Time {
	last := t.lastByte()
	for e := range t.j.Backward() {
		if e.TS.After(last) {
			last = e.TS
		}
		break
	}
	return last
}

// reach brings back a socket that was deleted (somebody cleaned /tmp) while its
// server lives; without it every call would take the terminal for dead.
func (t *terminal) reach(ctx context.Context, srv *tmuxio.Server) {
	if _, err := os.Lstat(srv.SocketPath()); err == nil || t.life() != alive {
		return
	}
	limit, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	_ = srv.Revive(limit, t.meta.ServerPID) // if it fails the call that follows tells
}

// life is whether the pane still exists, as far as the process table tells.
type life int

const (
	alive life = iota
	gone
	stopped // the tmux server is stopped: nothing in the pane can be judged
	unnamed // meta.json is lost, and with it who the pane's processes are
)

func (t *terminal) life() life {
	if t.meta.PanePID == 0 && len(t.j.Warnings()) > 0 {
		// Whether it lives only the journal's writer shows.
		if writing, err := journal.WriterAlive(t.j.Dir()); err != nil || writing {
			return unnamed
		}
		return gone
	}
	if start, _, ok := detect.Process(t.meta.PanePID); !ok || t.meta.PaneStart != 0 && start != t.meta.PaneStart {
		return gone
	}
	start, halted, ok := detect.Process(t.meta.ServerPID)
	switch {
	case !ok || t.meta.ServerStart != 0 && start != t.meta.ServerStart:
		return gone
	case halted:
		return stopped
	}
	return alive
}

// recent is what the end of the index says.
type recent struct {
	start *journal.Event // the newest cmd_start
	end   *journal.Event // the newest cmd_end
	sent  *journal.Event // the newest sent
	exit  *journal.Event // exited
	// killed is set when the terminal was killed on purpose.
	killed bool
	// notes are the unseen ones, oldest first: those behind the newest act.
	notes []string
}

// settledText marks a cmd_end that a later call wrote for a command whose own
// run gave up waiting. It is bookkeeping and not an act: notes stay unseen.
const settledText = "settled"

// recent reads the index from its end, no further than it must.
func (t *terminal) recent() recent {
	var r recent
	acted := false
	for e := range t.j.Backward() {
		switch e.Type {
		case journal.CmdStart:
			if r.start == nil && !isNested(e) {
				r.start = &e
			}
		case journal.CmdEnd:
			if r.end == nil && !isNested(e) {
				r.end = &e
			}
			acted = acted || isAct(e)
		case journal.Sent:
			if r.sent == nil {
				r.sent = &e
			}
			acted = true
		case journal.Note:
			if !acted {
				r.notes = append(r.notes, e.Text)
			}
		case journal.Exited:
			if r.exit == nil {
				r.exit = &e
			}
		case journal.Killed:
			r.killed = true
		case journal.Created:
			reverse(r.notes)
			return r
		}
		// What came before the newest cmd_start cannot matter any more.
		if acted && (r.start != nil || t.program()) {
			break
		}
	}
	reverse(r.notes)
	return r
}

func reverse(s []string) {
	for i, j := 0, len(s)-1; i < j; i, j = i+1, j-1 {
		s[i], s[j] = s[j], s[i]
	}
}

// pending returns the newest command of a run whose end no reply has reported.
func (r *recent) pending() *journal.Event {
	if r.start == nil || r.end != nil && r.end.CmdID >= r.start.CmdID {
		return nil
	}
	return r.start
}
