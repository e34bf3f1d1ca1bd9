package detect

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
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
	// AltScreen is set while the program shows the alternate screen.
	AltScreen bool
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
		case e.AltScreen:
			kind = AskFullscreen
		case b.Termios && b.Canonical && strings.TrimSpace(e.Line) != "":
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
		if !b.Known && e.Silence >= SilenceQuiet && strings.TrimSpace(e.Line) != "" {
			return Verdict{true, AskText, ByQuiet}
		}
	}
	return Verdict{}
}

func pager(names []string) bool {
	return slices.ContainsFunc(names, func(n string) bool {
		return n == "less" || n == "more" || n == "most" || n == "pg"
	})
}

type wordings struct{ secret, confirm, pager, repl, shell *regexp.Regexp }

var known = sync.OnceValue(func() wordings {
	return wordings{
		secret: regexp.MustCompile(`(?i)(` +
			`\b(password|passwd|passphrase|passcode|pin|otp|mfa|2fa|token|secret|totp)( code| number)?\b[^:：]{0,60}` +
			`|\b(one[- ]time|verification|security|access|authentication|auth) (code|password|pass|pin|token|key)\b[^:：]{0,60}` +
			`|\b(api|private|encryption|access|secret)[ _-]key\b[^:：]{0,60}` +
			`|\bclient[ _-]secret\b[^:：]{0,60}` +
			`|^\[sudo\][^:：]{0,80}` +
			`)\s?[:：]\s*$`),
		confirm: regexp.MustCompile(`(?i)([\[(](y|yes)\s*[/|]\s*(n|no)([/|][^\])]{1,40})?[\])]|[\[(]n/y[\])]|\(yes/no[^)]{0,40}\))\s*[?:>]?\s*$` +
			`|press (any key|enter|return|\[?enter\]?)\b.{0,40}$|hit (any key|enter|return)\b.{0,40}$`),
		pager: regexp.MustCompile(`^(:|\(END\)|.{0,200}--More--(\([0-9]+%\))?.{0,60}|lines [0-9]+-[0-9]+.{0,60}|.{0,200}\(END\)|Manual page .{1,100} line [0-9]+.{0,60})\s*$`),
		repl: regexp.MustCompile(`^(>>>|\.\.\.|In \[[0-9]+\]:|>|\(gdb\)|\(lldb\)|\(Pdb\)|[a-z]{2,20}(\[[^\]]*\])?>|` +
			`[a-zA-Z0-9_]{1,40}[=\-'"(*][>#]|MariaDB \[[^\]]*\]>|irb\([^)]*\):[0-9]+[:>*0-9]*>?|iex\([0-9]+\)>|ghci>|scala>|julia>|R>)\s*$`),
		shell: regexp.MustCompile(`^(.{0,200}[\w\])~/:. -])?[$#%]\s*$`),
	}
})

// Wording classes the unfinished last line of an output by what it says.
// extra, when not nil, adds to the wordings of secrets.
func Wording(line string, extra *regexp.Regexp) (Asking, bool) {
	line = strings.TrimRight(line, " \t")
	if line == "" || len(line) > 1000 {
		return "", false
	}
	if extra != nil && extra.MatchString(line) {
		return AskSecret, true
	}
	w := known()
	switch {
	case w.secret.MatchString(line):
		return AskSecret, true
	case w.confirm.MatchString(line):
		return AskConfirm, true
	case w.pager.MatchString(line):
		return AskPager, true
	case w.repl.MatchString(line):
		return AskREPL, true
	case w.shell.MatchString(line):
		return AskShell, true
	}
	return "", false
}

// SecretPattern compiles an expression that extends the wordings of secrets.
// An empty one is none.
func SecretPattern(expr string) (*regexp.Regexp, error) {
	if expr == "" {
		return nil, nil
	}
	re, err := regexp.Compile(expr)
	if err != nil {
		return nil, fmt.Errorf("secret prompt expression %q: %w", expr, err)
	}
	return re, nil
}
