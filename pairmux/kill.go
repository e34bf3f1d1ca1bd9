package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/pairmux/pairmux/detect"
	"github.com/pairmux/pairmux/envelope"
	"github.com/pairmux/pairmux/journal"
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
	if t.life() == gone {
		return nil
	}
	before := descendants(t.meta.PanePID)
	// Before the signals, so that whoever sees the pane die knows why.
	if size, err := t.j.Size(); err == nil {
		_ = t.j.Append(journal.Event{Type: journal.Killed, Offset: size})
	}
	_ = syscall.Kill(t.meta.PanePID, syscall.SIGHUP)
	if !t.goneWithin(hangupPatience) {
		for _, pid := range session(t.meta.PanePID) {
			if pid != t.meta.PanePID {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		}
		if !t.goneWithin(killPatience) {
			srv, err := t.env.server()
			if err != nil {
				return err
			}
			limit, cancel := context.WithTimeout(ctx, 5*time.Second)
			defer cancel()
			if err := srv.KillPane(limit, t.meta.PaneID); err != nil {
				return err
			}
			_ = syscall.Kill(t.meta.PanePID, syscall.SIGKILL)
		}
	}
	var left []string
	for _, p := range before {
		if start, _, ok := detect.Process(p.pid); ok && start == p.start {
			left = append(left, fmt.Sprintf("%s (%d)", p.name, p.pid))
		}
	}
	if len(left) > 0 {
		r.Warnings = append(r.Warnings, t.name+": still running outside the pane: "+strings.Join(left, ", "))
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

// process is one entry of the process table.
type process struct {
	pid   int
	start uint64
	name  string
}

// session lists the processes of a session. The pane's shell and each of its
// jobs have groups of their own; the session is what they share.
func session(sid int) []int {
	var pids []int
	eachProcess(func(pid int, stat []string, _ string) {
		if len(stat) > 3 && stat[3] == strconv.Itoa(sid) {
			pids = append(pids, pid)
		}
	})
	return pids
}

// descendants lists what a process started, also indirectly.
func descendants(root int) []process {
	parents := map[int]int{}
	names := map[int]string{}
	eachProcess(func(pid int, stat []string, name string) {
		if len(stat) > 1 {
			parents[pid], _ = strconv.Atoi(stat[1])
			names[pid] = name
		}
	})
	var list []process
	for pid := range parents {
		for p, depth := pid, 0; p > 1 && depth < 64; p, depth = parents[p], depth+1 {
			if parents[p] == root {
				start, _, _ := detect.Process(pid)
				list = append(list, process{pid, start, names[pid]})
				break
			}
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
