package main

import (
	"context"
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
		Dead: func(j *journal.Journal) (bool, error) { return c.env.wrap(j.Meta().Name, j).life() == gone, nil },
	}
	space := journal.Namespace(c.env.root, c.env.endpoint)
	o.Lock = func(name string) (func(), error) {
		ctx, cancel := context.WithTimeout(c.ctx, 50*time.Millisecond)
		defer cancel()
		return lockfile.Lock(ctx, filepath.Join(space, ".new."+name+".lock"), lockfile.Holder{Verb: "prune"})
	}
	if len(c.args) == 1 {
		t, problem := c.env.open(c.args[0])
		if problem != nil {
			return problem
		}
		o.Name = t.name
		if !c.given("older-than") {
			o.OlderThan = 0
		}
	}
	list, err := journal.Prune(c.env.root, c.env.endpoint, o)
	if err != nil {
		return internal(err)
	}
	return pruned(c, list)
}

func pruned(c *call, list []journal.Pruned) *outcome {
	status := envelope.StatusPruned
	if c.bool("dry-run") {
		status = envelope.StatusDryRun
	}
	r := envelope.New(status)
	var lines []string
	var freed int64
	for _, p := range list {
		name := p.Name
		if p.Prev {
			name += ".prev"
		}
		switch {
		case p.Err != nil:
			r.Warnings = append(r.Warnings, name+" was kept: "+p.Err.Error())
		case p.Removed:
			freed += p.Bytes
			lines = append(lines, fmt.Sprintf("%s  %d bytes  %s old", name, p.Bytes, p.Age.Round(time.Second)))
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
