package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/pairmux/pairmux/envelope"
	"github.com/pairmux/pairmux/journal"
	"github.com/pairmux/pairmux/tmuxio"
)

// kill ends what runs in a pane, and the pane; the journal stays. It takes no
// lock, so that it works while a run holds the terminal.

func runKill(c *call) *outcome {
	if c.bool("all") == (len(c.args) == 1) {
		return usage("kill needs a terminal's name or --all", "pairmux help kill")
	}
	ctx := c.ctx
	if !c.bool("all") {
		t, problem := c.env.open(c.args[0])
		if problem != nil {
			return problem
		}
		r := t.reply(envelope.StatusKilled)
		if err := t.kill(ctx, r); err != nil {
			return c.env.tmuxFailed(err)
		}
		r.Next = []string{t.line("log", t.name), t.line("new", t.name)}
		return &outcome{reply: r}
	}
	names, err := journal.Terminals(c.env.root, c.env.endpoint)
	if err != nil {
		return internal(err)
	}
	r := envelope.New(envelope.StatusKilled)
	for _, name := range names {
		t, problem := c.env.open(name)
		if problem != nil {
			r.Warnings = append(r.Warnings, problem.reply.Error.Message)
			continue
		}
		if t.life() == gone {
			continue
		}
		if err := t.kill(ctx, r); err != nil {
			r.Warnings = append(r.Warnings, name+": "+err.Error())
			continue
		}
		row := envelope.Terminal{Name: name, Status: envelope.StatusDead, Mode: t.mode()}
		r.Terminals = append(r.Terminals, row)
	}
	r.Next = []string{c.env.line("ls")}
	return &outcome{reply: r}
}

// How long each step of a kill may take before the next, stronger one.
const (
	hangupPatience = 150 * time.Millisecond
	killPatience   = 2 * time.Second
)

// kill hangs up the launcher, which passes it on, then kills the pane's whole
// session, and asks tmux only as the last resort: tmux throws away output that
// it has not handed to the journal yet.
func (t *terminal) kill(ctx context.Context, r *envelope.Reply) error {
	switch t.life() {
	case gone:
		return nil
	case unnamed:
		return t.killByName(ctx)
	}
	// Before the signals, so that whoever sees the pane die knows why.
	if size, err := t.j.Size(); err == nil {
		_ = t.j.Append(journal.Event{Type: journal.Killed, Offset: size})
	}
	_ = syscall.Kill(t.meta.PanePID, syscall.SIGHUP)
	hungUp := t.goneWithin(hangupPatience)
	// The shell and each of its jobs have groups of their own; the session is
	// what they share, also after its leader is gone.
	for _, pid := range t.session() {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	if !hungUp && !t.goneWithin(killPatience) {
		srv, err := t.env.server()
		if err != nil {
			return err
		}
		limit, cancel := context.WithTimeout(ctx, 5*time.Second)
		defer cancel()
		if err := srv.KillPane(limit, t.meta.PaneID); err != nil && !errors.Is(err, tmuxio.ErrNoTarget) && !errors.Is(err, tmuxio.ErrNoServer) {
			return err
		}
		_ = syscall.Kill(t.meta.PanePID, syscall.SIGKILL)
	}
	if left := t.strays(); len(left) > 0 {
		r.Warnings = append(r.Warnings, t.name+": still running, in a session of its own: "+strings.Join(left, ", "))
	}
	return nil
}

// killByName ends the pane of a terminal whose meta.json is lost: tmux knows its
// name.
func (t *terminal) killByName(ctx context.Context) error {
	srv, err := t.env.server()
	if err != nil {
		return err
	}
	limit, cancel := context.WithTimeout(ctx, tmuxio.DefaultTimeout)
	defer cancel()
	panes, err := srv.Panes(limit)
	if err != nil {
		return err
	}
	for _, p := range panes {
		if p.Name == t.name {
			return srv.KillPane(limit, p.ID)
		}
	}
	return nil
}

func (t *terminal) goneWithin(d time.Duration) bool {
	for deadline := time.Now().Add(d); ; time.Sleep(2 * time.Millisecond) {
		if t.life() == gone {
			return true
		}
		if !time.Now().Before(deadline) {
			return false
		}
	}
}

// session lists the processes of the pane's session but for the launcher, which
// reports the exit.
func (t *terminal) session() []int {
	var pids []int
	eachProcess(func(pid int, stat []string, _ string) {
		if len(stat) > 3 && stat[0] != "Z" && stat[3] == strconv.Itoa(t.meta.PanePID) && pid != t.meta.PanePID {
			pids = append(pids, pid)
		}
	})
	return pids
}

// strays names the processes that were started in the pane and left its
// session: their environment still says where they come from.
func (t *terminal) strays() []string {
	ours := map[int]bool{}
	parents := map[int]int{}
	var list []string
	want := []string{"PAIRMUX_NAME=" + t.name, "PAIRMUX_SOCKET=" + t.env.socket, "PAIRMUX_STATE_DIR=" + t.env.root}
	type candidate struct {
		pid  int
		name string
	}
	var found []candidate
	eachProcess(func(pid int, stat []string, name string) {
		if len(stat) < 20 || stat[0] == "Z" {
			return
		}
		parents[pid], _ = strconv.Atoi(stat[1])
		if start, _ := strconv.ParseUint(stat[19], 10, 64); start < t.meta.PaneStart {
			return // of a terminal that had this name before
		}
		b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
		if err != nil {
			return
		}
		env := "\x00" + string(b)
		for _, kv := range want {
			if !strings.Contains(env, "\x00"+kv+"\x00") {
				return
			}
		}
		found = append(found, candidate{pid, name})
	})
	// This very process may run in the pane.
	for pid := os.Getpid(); pid > 1 && !ours[pid]; pid = parents[pid] {
		ours[pid] = true
	}
	for _, c := range found {
		if !ours[c.pid] {
			list = append(list, fmt.Sprintf("%s (%d)", c.name, c.pid))
		}
	}
	return list
}

// eachProcess visits /proc; stat holds the fields behind the name. Where there
// is no /proc nothing is visited.
func eachProcess(visit func(pid int, stat []string, name string)) {
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			continue
		}
		text := string(b)
		open, end := strings.IndexByte(text, '('), strings.LastIndexByte(text, ')')
		if open < 0 || end < open {
			continue
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(f)))
		visit(pid, strings.Fields(text[end+1:]), text[open+1:end])
	}
}
