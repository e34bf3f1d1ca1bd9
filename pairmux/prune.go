package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/pairmux/pairmux/envelope"
	"github.com/pairmux/pairmux/journal"
	"github.com/pairmux/pairmux/lockfile"
)

// prune deletes journals that nobody needs any more.
func runPrune(c *call) *outcome {
	o := journal.PruneOptions{
		OlderThan: c.duration("older-than"), DryRun: c.bool("dry-run"),
		Dead: func(j *journal.Journal) (bool, error) { return c.env.wrap(j.Meta().Name, j).abandoned(c.ctx) },
	}
	space := journal.Namespace(c.env.root, c.env.endpoint)
	o.Lock = func(name string) (func(), error) {
		ctx, cancel := context.WithTimeout(c.ctx, 50*time.Millisecond)
		defer cancel()
		return lockfile.Lock(ctx, filepath.Join(space, ".new."+name+".lock"), lockfile.Holder{Verb: "prune"})
	}
	if len(c.args) == 1 {
		if o.Name = c.args[0]; !journal.ValidName(o.Name) {
			return badName(o.Name)
		}
		if !c.given("older-than") {
			o.OlderThan = 0
		}
	}
	list, err := journal.Prune(c.env.root, c.env.endpoint, o)
	if errors.Is(err, journal.ErrNotFound) {
		return c.env.noTerminal(o.Name)
	}
	if err != nil {
		return internal(err)
	}
	return pruned(c, list)
}

// abandoned reports whether nothing of the terminal lives any more: neither its
// pane nor, where meta.json no longer tells of that, its journal's writer. A
// call that is still at work on the terminal is an error.
func (t *terminal) abandoned(ctx context.Context) (bool, error) {
	if t.life() != gone {
		return false, nil
	}
	if h, held := t.holder(); held {
		return false, &lockfile.HeldError{Path: t.writeLock(), Holder: h}
	}
	// The writer of a pane that has just ended needs a moment to end too.
	ctx, cancel := context.WithTimeout(ctx, 500*time.Millisecond)
	defer cancel()
	f := t.j.Follow()
	for {
		seen := f.Now()
		writing, err := journal.WriterAlive(t.j.Dir())
		if err != nil || !writing {
			return err == nil, err
		}
		wait, stop := context.WithTimeout(ctx, 10*time.Millisecond)
		_ = f.Wait(wait, seen)
		stop()
		if ctx.Err() != nil || t.meta.PanePID == 0 {
			return false, nil
		}
	}
}

func pruned(c *call, list []journal.Pruned) *outcome {
	status := envelope.StatusPruned
	if c.bool("dry-run") {
		status = envelope.StatusDryRun
	}
	r := envelope.New(status)
	named := len(c.args) == 1
	var lines []string
	var freed int64
	for _, p := range list {
		name := p.Name
		if p.Prev {
			name += ".prev"
		}
		switch {
		case errors.Is(p.Err, journal.ErrLive):
			// Kept as it should be; worth a word only to who named it.
			if named {
				r.Warnings = append(r.Warnings, name+" was kept: it is live (kill it first)")
			}
		case p.Err != nil:
			r.Warnings = append(r.Warnings, name+" was kept: "+keptBecause(p.Err))
		case p.Removed:
			freed += p.Bytes
			lines = append(lines, fmt.Sprintf("%s  %d bytes  %s old", name, p.Bytes, p.Age.Round(time.Second)))
		case named:
			r.Warnings = append(r.Warnings, fmt.Sprintf("%s was kept: its last byte or event is %s old", name, p.Age.Round(time.Second)))
		}
	}
	if len(lines) == 0 {
		lines = append(lines, "nothing to delete")
	} else {
		lines = append(lines, fmt.Sprintf("%d bytes in all", freed))
	}
	r.Output = strings.Join(lines, "\n")
	r.Next = []string{c.env.line("ls")}
	return &outcome{reply: r}
}

func keptBecause(err error) string {
	var held *lockfile.HeldError
	switch {
	case errors.As(err, &held) && held.Holder.PID > 0:
		return fmt.Sprintf("it is locked by pid %d (%s)", held.Holder.PID, held.Holder.Verb)
	case errors.Is(err, lockfile.ErrHeld):
		return "it is locked"
	case errors.Is(err, journal.ErrNewerFormat):
		return "a newer pairmux wrote it"
	}
	return err.Error()
}
