package main

import (
	"fmt"
	"regexp"
	"time"
)

// A raw agent does things by tmux itself: send-keys, and capture-pane again and
// again until it sees what it waits for. It never sleeps, so that it loses no time;
// each look is a call. The least that it could have paid, had it looked at the one
// right moment each time, is counted beside.
type raw struct {
	*world
	cost
	least cost
	err   error
}

func byTmux(w *world) *raw { return &raw{world: w} }

// tmux is one call.
func (a *raw) tmux(argv ...string) string {
	out, ok := a.run(append([]string{"tmux", "-L", "raw"}, argv...)...)
	if !ok {
		return ""
	}
	a.least.add(len(out))
	return out
}

func (a *raw) run(argv ...string) (string, bool) {
	if a.err != nil {
		return "", false
	}
	out, err := a.output(nil, argv...)
	if err != nil {
		a.err = err
		return "", false
	}
	a.add(len(out))
	return string(out), true
}

// open makes a session of the size of a pairmux terminal.
func (a *raw) open(name string, command ...string) {
	a.tmux(append([]string{"-f", "/dev/null", "new-session", "-d", "-s", name, "-x", "200", "-y", "50"}, command...)...)
}

// line types a line and Enter.
func (a *raw) line(name, text string) {
	// One call: the text literally, then the key.
	a.tmux("send-keys", "-t", name, "-l", text, ";", "send-keys", "-t", name, "Enter")
}

// look captures until the screen matches, and returns what the groups matched.
func (a *raw) look(name, pattern string, lines ...string) []string {
	re := regexp.MustCompile("(?m)" + pattern)
	for end := time.Now().Add(patience); a.err == nil; {
		screen, ok := a.run(append([]string{"tmux", "-L", "raw", "capture-pane", "-p", "-J", "-t", name}, lines...)...)
		if m := re.FindStringSubmatch(screen); ok && m != nil {
			a.least.add(len(screen))
			return m
		}
		if time.Now().After(end) {
			a.err = fmt.Errorf("never saw %q in:\n%s", pattern, screen)
		}
	}
	return make([]string, re.NumSubexp()+1)
}

func (a *raw) must(ok bool, what string) {
	if a.err == nil && !ok {
		a.err = fmt.Errorf("%s", what)
	}
}
