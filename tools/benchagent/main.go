package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
)

func main() {
	bin := flag.String("bin", "bin/pairmux", "the `binary` to use")
	only := flag.String("only", "", "only the tasks that match this `regexp`")
	out := flag.String("json", "bin/bench-agent.json", "write the figures to this `file`")
	page := flag.String("doc", "", "also write the table into this `page`, between its two marks")
	flag.Parse()
	if err := bench(*bin, *only, *out, *page); err != nil {
		fmt.Fprintln(os.Stderr, "benchagent:", err)
		os.Exit(1)
	}
}

func bench(bin, only, out, page string) error {
	filter, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	if bin, err = filepath.Abs(bin); err != nil {
		return err
	}
	once, err := onceOnly(bin)
	if err != nil {
		return err
	}
	r := report{Once: once}
	var failed error
	for _, t := range tasks() {
		if !filter.MatchString(t.name) {
			continue
		}
		x, err := measure(bin, t)
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", t.name, err))
			continue
		}
		r.Tasks = append(r.Tasks, x)
	}
	table := r.table()
	fmt.Print(table)
	b, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(out, append(b, '\n'), 0o644); err != nil {
		return err
	}
	if page != "" && failed == nil {
		failed = writeInto(page, table)
	}
	return failed
}

// measure does a task in each of the ways.
func measure(bin string, t task) (figures, error) {
	x := figures{Name: t.name}
	for _, way := range []func(*world) error{
		func(w *world) error {
			a := byCommandLine(w)
			t.pairmux(a)
			x.CommandLine = a.cost
			return a.err
		},
		func(w *world) error {
			a, stop, err := byMCP(w)
			if err != nil {
				return err
			}
			defer stop()
			t.pairmux(a)
			x.MCP = a.cost
			return a.err
		},
		func(w *world) error {
			a := byTmux(w)
			t.tmux(a)
			x.Tmux, x.TmuxLeast = a.cost, a.least
			return a.err
		},
	} {
		w, err := newWorld(bin)
		if err != nil {
			return x, err
		}
		if err := errors.Join(way(w), w.close()); err != nil {
			return x, err
		}
	}
	return x, nil
}

// onceOnly counts what an agent reads once a session, before any task.
func onceOnly(bin string) (_ once, err error) {
	w, err := newWorld(bin)
	if err != nil {
		return once{}, err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	a, stop, err := byMCP(w)
	if err != nil {
		return once{}, err
	}
	defer stop()
	tools, err := a.list()
	return once{Tools: tools, Skill: skillBytes()}, err
}
