package detect

import (
	"regexp"
	"slices"
	"strings"
	"time"
)

// Asking is how a waiting program's question is classed; the values are those
// of the reply's prompt.kind.
type Asking string

// The kinds of prompts.
const (
	AskConfirm    Asking = "confirm"
	AskText       Asking = "text"
	AskSecret     Asking = "secret"
	AskPager      Asking = "pager"
	AskREPL       Asking = "repl"
	AskShell      Asking = "shell"
	AskFullscreen Asking = "fullscreen"
	AskIncomplete Asking = "incomplete"
	AskUnknown    Asking = "unknown"
)

// Basis is what a verdict rests on, strongest first: the line discipline, the
// wording, what the process sleeps in, silence.
type Basis string

// The bases, as in the reply's prompt.evidence.
const (
	ByTTY    Basis = "tty"
	ByText   Basis = "text"
	ByKernel Basis = "kernel"
	ByQuiet  Basis = "quiet"
)

// How long a terminal must have been silent before a look at it counts. A
// program that reads its terminal with echo off asks for a secret, whatever it
// printed; a wording that the kernel confirms needs less patience than a read
// without one; and where the kernel cannot be asked silence in mid-line has to
// last.
const (
	SilenceSecret = 150 * time.Millisecond
	SilenceText   = 400 * time.Millisecond
	SilenceKernel = 900 * time.Millisecond
	SilenceQuiet  = 10 * time.Second
)

// Evidence is everything a verdict is made from.
type Evidence struct {
	// Before and After are two looks with nothing printed between them; Between
	// is the time between.
	Before, After Look
	Between       time.Duration
	// Silence is the time since the last output byte or the last keys sent.
	Silence time.Duration
	// Line is the unfinished last line of the output, Previous the line above.
	Line, Previous string
	// AltScreen is set while the program shows the alternate screen; Addressed
	// when it puts its cursor at places of the normal one (top, dialog), which
	// has no last line either.
	AltScreen, Addressed bool
	// Secret extends the wordings of secrets; nil for none.
	Secret *regexp.Regexp
}

// Verdict says whether a running program waits for its user.
type Verdict struct {
	Waiting bool
	Kind    Asking
	Basis   Basis
}

// Judge turns evidence into a verdict. Silence alone never makes a prompt while
// the kernel can be asked; a group that burns CPU or sleeps elsewhere runs,
// whatever its last line says.
func Judge(e Evidence) Verdict {
	a, b := e.Before, e.After
	if b.Ticks >= a.Ticks+5 && a.Foreground == b.Foreground {
		return Verdict{}
	}
	if a.Known && b.Known && a.Foreground != b.Foreground {
		return Verdict{}
	}
	reads := (a.Reads || a.Polls) && (b.Reads || b.Polls)
	hidden := b.Hidden || b.Unclear || !b.Known
	if b.Termios && a.Termios && !b.Echo && b.Canonical && !a.Echo && a.Canonical && (reads || b.Hidden) && e.Silence >= SilenceSecret {
		return Verdict{true, AskSecret, ByTTY}
	}
	wording, worded := Wording(e.Line, e.Secret)
	switch {
	case reads && !b.Relay:
		switch {
		case worded && e.Silence >= SilenceText && !e.AltScreen:
			return Verdict{true, wording, ByText}
		case e.Silence < SilenceText:
			return Verdict{}
		}
		kind := AskUnknown
		switch {
		case pager(b.Names):
			kind = AskPager
		case e.AltScreen, e.Addressed && b.Termios && !b.Canonical:
			kind = AskFullscreen
		case b.Termios && strings.TrimSpace(e.Line) != "" && (b.Canonical || question(e.Line)):
			kind = AskText
		}
		if kind == AskUnknown || kind == AskText {
			if e.Silence < SilenceKernel {
				return Verdict{}
			}
		}
		return Verdict{true, kind, ByKernel}
	case hidden || b.Relay:
		if worded && e.Silence >= SilenceText {
			return Verdict{true, wording, ByText}
		}
		switch {
		case e.Silence < SilenceQuiet:
		case b.Relay && e.AltScreen && b.Termios && !b.Canonical:
			// An editor or pager at the far end; a relay's own poll says nothing.
			return Verdict{true, AskFullscreen, ByQuiet}
		case !b.Known && strings.TrimSpace(e.Line) != "":
			return Verdict{true, AskText, ByQuiet}
		}
	}
	return Verdict{}
}

func pager(names []string) bool {
	return slices.ContainsFunc(names, func(n string) bool {
		return slices.Contains([]string{"less", "more", "most", "pg", "pager", "lv", "moar", "ov"}, n)
	})
}

// question reports whether a line ends as questions do. A program that edits
// the line itself (readline) reads raw, like one that waits for single keys.
func question(line string) bool {
	line = strings.TrimRight(line, " ")
	for _, end := range []string{":", "?", ">", "：", "？"} {
		if strings.HasSuffix(line, end) {
			return true
		}
	}
	return false
}
