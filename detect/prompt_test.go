package detect

import (
	"testing"
	"time"
)

func TestJudge(t *testing.T) {
	base := Look{Known: true, Foreground: 5, Termios: true, Echo: true, Canonical: true}
	with := func(f func(*Look)) Look { l := base; f(&l); return l }
	reads := with(func(l *Look) { l.Reads = true })
	polls := with(func(l *Look) { l.Polls = true })
	raw := with(func(l *Look) { l.Reads, l.Echo, l.Canonical = true, false, false })
	secret := with(func(l *Look) { l.Reads, l.Echo = true, false })
	hidden := with(func(l *Look) { l.Hidden, l.Echo = true, false })
	hiddenEcho := with(func(l *Look) { l.Hidden = true })
	relay := with(func(l *Look) { l.Polls, l.Relay, l.Echo, l.Canonical = true, true, false, false })
	less := with(func(l *Look) { l.Reads, l.Echo, l.Canonical, l.Names = true, false, false, []string{"seq", "less"} })
	busy := with(func(l *Look) { l.Reads, l.Ticks = true, 50 })
	quietOnly := Look{Termios: true, Echo: true, Canonical: true}
	sleepNoEcho := with(func(l *Look) { l.Echo = false })
	for _, c := range []struct {
		name          string
		before, after Look
		silence       time.Duration
		line          string
		alt           bool
		want          Verdict
		addressed     bool
	}{
		{"a read with a wording", reads, reads, time.Second, "go on? [y/N] ", false, Verdict{true, AskConfirm, ByText}, false},
		{"a read in mid-line", reads, reads, time.Second, "name? ", false, Verdict{true, AskText, ByKernel}, false},
		{"a read with nothing said", reads, reads, time.Second, "", false, Verdict{true, AskUnknown, ByKernel}, false},
		{"too soon", reads, reads, 200 * time.Millisecond, "name? ", false, Verdict{}, false},
		{"read only once", base, reads, time.Second, "name? [y/N] ", false, Verdict{}, false},
		{"select on the terminal", polls, polls, time.Second, "go? ", false, Verdict{true, AskText, ByKernel}, false},
		{"echo off", secret, secret, 200 * time.Millisecond, "Widget: ", false, Verdict{true, AskSecret, ByTTY}, false},
		{"echo off, setuid", hidden, hidden, 200 * time.Millisecond, "", false, Verdict{true, AskSecret, ByTTY}, false},
		{"echo off and asleep elsewhere", sleepNoEcho, sleepNoEcho, time.Minute, "Password: ", false, Verdict{}, false},
		{"setuid with echo", hiddenEcho, hiddenEcho, time.Second, "[y/N] ", false, Verdict{true, AskConfirm, ByText}, false},
		{"setuid that says nothing", hiddenEcho, hiddenEcho, time.Minute, "working", false, Verdict{}, false},
		{"asleep elsewhere, prompt-like", base, base, time.Minute, "total: ", false, Verdict{}, false},
		{"asleep elsewhere, a real wording", base, base, time.Minute, "Password: ", false, Verdict{}, false},
		{"burns CPU", reads, busy, time.Minute, "go on? [y/N] ", false, Verdict{}, false},
		{"a pager", less, less, time.Second, "", true, Verdict{true, AskPager, ByKernel}, false},
		{"a full screen", raw, raw, time.Second, "", true, Verdict{true, AskFullscreen, ByKernel}, false},
		{"a raw read", raw, raw, time.Second, "? choose", false, Verdict{true, AskUnknown, ByKernel}, false},
		{"readline in mid-line", raw, raw, time.Second, "Command (m for help): ", false, Verdict{true, AskText, ByKernel}, false},
		{"a screen without the alternate one", raw, raw, time.Second, "%Cpu(s)", false, Verdict{true, AskFullscreen, ByKernel}, true},
		{"a REPL below a cleared screen", raw, raw, time.Second, ">>> ", false, Verdict{true, AskREPL, ByText}, true},
		{"a line read below a cleared screen", reads, reads, time.Second, "name? ", false, Verdict{true, AskText, ByKernel}, true},
		{"an editor at the far end", relay, relay, time.Second, "", true, Verdict{}, false},
		{"an editor at the far end, long", relay, relay, 11 * time.Second, "", true, Verdict{true, AskFullscreen, ByQuiet}, false},
		{"a REPL", raw, raw, time.Second, ">>> ", false, Verdict{true, AskREPL, ByText}, false},
		{"ssh at a prompt", relay, relay, time.Second, "ann@far:~$ ", false, Verdict{true, AskShell, ByText}, false},
		{"ssh at work", relay, relay, time.Minute, "compiling", false, Verdict{}, false},
		{"ssh asks for a password", relay, relay, time.Second, "Password: ", false, Verdict{true, AskSecret, ByText}, false},
		{"no kernel, mid-line, short", quietOnly, quietOnly, 2 * time.Second, "name? ", false, Verdict{}, false},
		{"no kernel, mid-line, long", quietOnly, quietOnly, 11 * time.Second, "name? ", false, Verdict{true, AskText, ByQuiet}, false},
		{"no kernel, no line", quietOnly, quietOnly, time.Minute, "", false, Verdict{}, false},
		{"another group took over", reads, with(func(l *Look) { l.Reads, l.Foreground = true, 6 }), time.Second, "[y/N] ", false, Verdict{}, false},
	} {
		got := Judge(Evidence{Before: c.before, After: c.after, Silence: c.silence, Line: c.line, AltScreen: c.alt, Addressed: c.addressed})
		if got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}
