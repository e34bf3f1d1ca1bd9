package detect

import (
	"testing"
	"time"
)

func TestWordingClassesPrompts(t *testing.T) {
	extra, err := SecretPattern(`Widget code>$`)
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]Asking{
		"Password: ":                          AskSecret,
		"password for root@host:":             AskSecret,
		"[sudo] password for ann: ":           AskSecret,
		"[sudo] Passwort für ann: ":           AskSecret,
		"[sudo] Mot de passe de ann : ":       AskSecret,
		"[sudo] contraseña para ann: ":        AskSecret,
		"[sudo] ann 的密码：":                     AskSecret,
		"[sudo] пароль для ann: ":             AskSecret,
		"Enter passphrase for key '/k/id': ":  AskSecret,
		"Passcode:":                           AskSecret,
		"Enter PIN: ":                         AskSecret,
		"PIN for smart card:":                 AskSecret,
		"One-time password: ":                 AskSecret,
		"Verification code: ":                 AskSecret,
		"Security code:":                      AskSecret,
		"OTP: ":                               AskSecret,
		"2FA code: ":                          AskSecret,
		"API key: ":                           AskSecret,
		"Private key: ":                       AskSecret,
		"Encryption key:":                     AskSecret,
		"Access token: ":                      AskSecret,
		"Client secret: ":                     AskSecret,
		"Widget code>":                        AskSecret,
		"Do you want to continue? [Y/n] ":     AskConfirm,
		"Proceed [y/N]? ":                     AskConfirm,
		"Overwrite (y/n)?":                    AskConfirm,
		"Stage this hunk [y,n,q,a,d,e,?]? ":   "",
		"[y/n/a] ":                            AskConfirm,
		"connecting (yes/no/[fingerprint])? ": AskConfirm,
		"(yes/no) ":                           AskConfirm,
		"Press any key to continue . . . ":    AskConfirm,
		"Press ENTER to continue":             AskConfirm,
		"--More--":                            AskPager,
		"--More--(12%)":                       AskPager,
		"(END)":                               AskPager,
		":":                                   AskPager,
		">>> ":                                AskREPL,
		"In [3]: ":                            AskREPL,
		"mysql> ":                             AskREPL,
		"(gdb) ":                              AskREPL,
		"postgres=# ":                         AskREPL,
		"irb(main):001:0> ":                   AskREPL,
		"bash-5.2# ":                          AskShell,
		"ann@host:~/src$ ":                    AskShell,
		"$ ":                                  AskShell,
		"":                                    "",
		"Building... ":                        "",
		"total: ":                             "",
		"50%":                                 AskShell, // the kernel decides whether it is one
		"the password was wrong":              "",
		"Your password: is shown below, and more": "",
		"error: could not compile":                "",
		"http://host/path":                        "",
	} {
		if got, _ := Wording(line, extra); got != want {
			t.Errorf("Wording(%q) = %q, want %q", line, got, want)
		}
	}
}

func TestSecretPatternReportsABadExpression(t *testing.T) {
	if _, err := SecretPattern("("); err == nil {
		t.Error("no error")
	}
	if re, err := SecretPattern(""); re != nil || err != nil {
		t.Errorf("%v %v", re, err)
	}
}

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
	}{
		{"a read with a wording", reads, reads, time.Second, "go on? [y/N] ", false, Verdict{true, AskConfirm, ByText}},
		{"a read in mid-line", reads, reads, time.Second, "name? ", false, Verdict{true, AskText, ByKernel}},
		{"a read with nothing said", reads, reads, time.Second, "", false, Verdict{true, AskUnknown, ByKernel}},
		{"too soon", reads, reads, 200 * time.Millisecond, "name? ", false, Verdict{}},
		{"read only once", base, reads, time.Second, "name? [y/N] ", false, Verdict{}},
		{"select on the terminal", polls, polls, time.Second, "go? ", false, Verdict{true, AskText, ByKernel}},
		{"echo off", secret, secret, 200 * time.Millisecond, "Widget: ", false, Verdict{true, AskSecret, ByTTY}},
		{"echo off, setuid", hidden, hidden, 200 * time.Millisecond, "", false, Verdict{true, AskSecret, ByTTY}},
		{"echo off and asleep elsewhere", sleepNoEcho, sleepNoEcho, time.Minute, "Password: ", false, Verdict{}},
		{"setuid with echo", hiddenEcho, hiddenEcho, time.Second, "[y/N] ", false, Verdict{true, AskConfirm, ByText}},
		{"setuid that says nothing", hiddenEcho, hiddenEcho, time.Minute, "working", false, Verdict{}},
		{"asleep elsewhere, prompt-like", base, base, time.Minute, "total: ", false, Verdict{}},
		{"asleep elsewhere, a real wording", base, base, time.Minute, "Password: ", false, Verdict{}},
		{"burns CPU", reads, busy, time.Minute, "go on? [y/N] ", false, Verdict{}},
		{"a pager", less, less, time.Second, "", true, Verdict{true, AskPager, ByKernel}},
		{"a full screen", raw, raw, time.Second, "", true, Verdict{true, AskFullscreen, ByKernel}},
		{"a raw read", raw, raw, time.Second, "? choose", false, Verdict{true, AskUnknown, ByKernel}},
		{"a REPL", raw, raw, time.Second, ">>> ", false, Verdict{true, AskREPL, ByText}},
		{"ssh at a prompt", relay, relay, time.Second, "ann@far:~$ ", false, Verdict{true, AskShell, ByText}},
		{"ssh at work", relay, relay, time.Minute, "compiling", false, Verdict{}},
		{"ssh asks for a password", relay, relay, time.Second, "Password: ", false, Verdict{true, AskSecret, ByText}},
		{"no kernel, mid-line, short", quietOnly, quietOnly, 2 * time.Second, "name? ", false, Verdict{}},
		{"no kernel, mid-line, long", quietOnly, quietOnly, 11 * time.Second, "name? ", false, Verdict{true, AskText, ByQuiet}},
		{"no kernel, no line", quietOnly, quietOnly, time.Minute, "", false, Verdict{}},
		{"another group took over", reads, with(func(l *Look) { l.Reads, l.Foreground = true, 6 }), time.Second, "[y/N] ", false, Verdict{}},
	} {
		got := Judge(Evidence{Before: c.before, After: c.after, Silence: c.silence, Line: c.line, AltScreen: c.alt})
		if got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}
