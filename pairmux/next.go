package main

import (
	"github.com/pairmux/pairmux/envelope"
)

// The sentences that stand before commands where safety comes first.
const (
	neverSecret = "do not guess or type secrets: a human has to answer in the pane"
	mayEcho     = "recognised by its wording only: what is typed there may be shown and kept in the journal"
)

// next lists what can sensibly be done now, in order. This is the only place
// that decides it; each entry parses and fits the state.
func (t *terminal) next(s *state, status envelope.Status) []string {
	switch status {
	case envelope.StatusCreated, envelope.StatusIdle:
		if t.strange() {
			return []string{t.line("send", t.name) + " --text <text> --enter --wait idle"}
		}
		return []string{t.runHint()}
	case envelope.StatusRunning:
		return t.runningHints(s)
	case envelope.StatusAwaitingInput:
		return t.promptHints(s.prompt)
	case envelope.StatusDead:
		return []string{t.line("log", t.name), t.line("new", t.name)}
	case envelope.StatusUnknown:
		return []string{t.line("peek", t.name)}
	}
	return nil
}

func (t *terminal) runHint() string { return t.line("run", t.name) + ` "<command>"` }

func (t *terminal) runningHints(s *state) []string {
	if t.program() {
		return []string{t.line("peek", t.name), t.line("send", t.name) + " --text <text> --enter"}
	}
	hints := []string{t.line("wait", t.name, "--done"), t.line("peek", t.name)}
	if s != nil && s.pending != nil {
		hints = append(hints, t.line("log", t.name, "--cmd", itoa(s.pending.CmdID)))
	}
	return hints
}

func (t *terminal) promptHints(p *envelope.Prompt) []string {
	answer := t.line("send", t.name) + " --text <answer> --enter"
	if p == nil {
		return []string{answer}
	}
	switch p.Kind {
	case envelope.KindPager:
		return []string{t.line("send", t.name, "--text", "q"), t.line("peek", t.name, "--screen")}
	case envelope.KindFullscreen:
		return []string{t.line("peek", t.name, "--screen")}
	case envelope.KindIncomplete:
		return []string{t.line("send", t.name, "--key", "C-c"), answer}
	case envelope.KindSecret:
		hints := []string{neverSecret}
		if p.Evidence == envelope.EvidenceText {
			hints = append(hints, mayEcho)
		}
		return append(hints, t.line("wait", t.name, "--human", "--notify"))
	}
	return []string{answer}
}
