package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pairmux/pairmux/detect"
	"github.com/pairmux/pairmux/envelope"
)

var updateDocs = flag.Bool("update-docs", false, "rewrite docs/shells.md from what passed")

// shellUnderTest is one column of docs/shells.md.
type shellUnderTest struct {
	name string
	path string
	// mode is what new has to answer.
	mode envelope.Mode
	// prepare returns the path to use, for shells that have to be made first.
	prepare func(t *testing.T, dir string) string
}

var shellsUnderTest = []shellUnderTest{
	{name: "bash", path: "bash", mode: envelope.ModeHooks},
	{name: "bash without PS0", path: "bash", mode: envelope.ModeHooks, prepare: oldBash},
	{name: "zsh", path: "zsh", mode: envelope.ModeHooks},
	{name: "fish", path: "fish", mode: envelope.ModeHooks},
	{name: "dash", path: "dash", mode: envelope.ModeSentinel},
	{name: "ksh", path: "ksh", mode: envelope.ModeSentinel},
	{name: "mksh", path: "mksh", mode: envelope.ModeSentinel},
	{name: "tcsh", path: "tcsh", mode: envelope.ModeSentinel},
	{name: "busybox", path: "busybox", mode: envelope.ModeSentinel, prepare: busyboxSh},
}

// oldBash is a bash that behaves as version 3.2 does for our hooks: no PS0, and
// PROMPT_COMMAND is one string.
func oldBash(t *testing.T, dir string) string {
	path := filepath.Join(dir, "bash")
	script := "#!/bin/sh\nsed -i 's/local v=.*1\\]))/local v=302/' \"$2\"\nexec " + mustFind(t, "bash") + " \"$@\"\n"
	if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func busyboxSh(t *testing.T, dir string) string {
	path := filepath.Join(dir, "ash")
	if err := os.Symlink(mustFind(t, "busybox"), path); err != nil {
		t.Fatal(err)
	}
	return path
}

func mustFind(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Fatalf("%s has to be installed (make test installs it): %v", name, err)
	}
	return path
}

// step is one call and what its reply must say. Fields left zero are not
// looked at; out is compared when it begins with "=".
type step struct {
	args   []string
	stdin  string
	status string
	code   string // exit code, "-" for none
	out    string
	err    string // error code
}

func call1(words ...string) step { return step{args: words} }

func (s step) done(code, out string) step {
	s.status, s.code, s.out = "done", code, "="+out
	return s
}
func (s step) is(status string) step { s.status = status; return s }
func (s step) fails(code string) step {
	s.status, s.err = "error", code
	return s
}
func (s step) exit(code string) step  { s.code = code; return s }
func (s step) input(text string) step { s.stdin = text; return s }

func run1(cmd string, flags ...string) step {
	if len(flags) > 0 {
		return call1(append([]string{"run", "t", cmd}, flags...)...)
	}
	return call1("run", "t", cmd, "--timeout", "20s")
}

// shellCase is one row: what is done in which family of shells. A family that
// is not there is a shell where the case makes no sense.
type shellCase struct {
	id, title string
	only      func(shellUnderTest) bool
	posix     []step
	fish      []step // where fish's syntax differs
	csh       bool   // csh understands the posix steps
}

func hooksOnly(s shellUnderTest) bool { return s.mode == envelope.ModeHooks }

// fits reports whether the case makes sense in a shell.
func (c *shellCase) fits(s shellUnderTest) bool {
	return (c.only == nil || c.only(s)) && (s.name != "tcsh" || c.csh)
}

func notFish(s shellUnderTest) bool { return s.name != "fish" }
func named(names ...string) func(shellUnderTest) bool {
	return func(s shellUnderTest) bool { return slices.Contains(names, s.name) }
}

var longWord = strings.Repeat("0123456789", 1200)

var shellCases = []shellCase{
	{id: "A1", title: "a second run while one is at work is refused; codes never mix", csh: true,
		posix: []step{run1("sleep 1; echo A", "--timeout", "100ms").is("running"), run1("echo B").fails("E_BUSY"), call1("wait", "t", "--done", "--timeout", "20s").done("0", "A")}},
	{id: "A2", title: "a pattern does not match the echo of typed input", only: hooksOnly,
		posix: []step{call1("send", "t", "--text", "sleep 1; echo REA''DY", "--enter").is("sent"), call1("wait", "t", "--pattern", "^READY", "--timeout", "20s").is("pattern-found")}},
	{id: "A3", title: "a here-document as a script", only: notFish,
		posix: []step{call1("run", "t", "--script", "-").input("cat <<E\nhi\nE\n").done("0", "hi")}},
	{id: "A4", title: "an open quote is incomplete; nothing runs; the next command works",
		posix: []step{run1("echo 'abc").fails("E_BAD_ARGS"), run1("echo ok").done("0", "ok")},
	},
	{id: "A4b", title: "an unfinished compound command is incomplete, whatever the carrier",
		posix: []step{run1("if true; then echo a!").fails("E_BAD_ARGS"), run1("if true; then echo a").fails("E_BAD_ARGS"), run1("echo ok").done("0", "ok")},
		fish:  []step{run1("if true; echo a!").fails("E_BAD_ARGS"), run1("if true; echo a").fails("E_BAD_ARGS"), run1("echo ok").done("0", "ok")}},
	{id: "A4c", title: "a here-document without its end is incomplete", only: named("bash", "bash without PS0", "zsh"),
		posix: []step{run1("cat <<E").fails("E_BAD_ARGS"), run1("cat <<E!").fails("E_BAD_ARGS"), run1("echo ok").done("0", "ok")}},
	{id: "A5", title: "Ctrl-C ends a command with 130", only: hooksOnly,
		posix: []step{run1("sleep 30", "--timeout", "200ms").is("running"), call1("send", "t", "--key", "C-c").is("sent"), call1("wait", "t", "--done", "--timeout", "20s").is("done").exit("130"), run1("echo ok").done("0", "ok")}},
	{id: "A5b", title: "Ctrl-C takes the sentinel with it: the end is still noticed, the next command works", csh: true,
		only:  func(s shellUnderTest) bool { return s.mode == envelope.ModeSentinel },
		posix: []step{run1("sleep 30", "--timeout", "200ms").is("running"), call1("send", "t", "--key", "C-c").is("sent"), call1("wait", "t", "--done", "--timeout", "20s").is("done"), run1("echo ok").done("0", "ok")}},
	{id: "A6", title: "the user changes the prompt",
		posix: []step{run1("PS1='x '; true").done("0", ""), run1("false").done("1", ""), run1("echo ok").done("0", "ok")},
		fish:  []step{run1("function fish_prompt; echo -n 'x '; end").done("0", ""), run1("false").done("1", ""), run1("echo ok").done("0", "ok")}},
	{id: "A7", title: "a progress line folds to its last state",
		posix: []step{run1(`for i in 1 2 3; do printf "\r%s%%" $i; sleep .1; done`).done("0", "3%")},
		fish:  []step{run1(`for i in 1 2 3; printf "\r%s%%" $i; sleep .1; end`).done("0", "3%")}},
	{id: "A8", title: "a shell that is killed is dead with 137",
		posix: []step{run1("kill -9 $$").is("dead").exit("137")},
		fish:  []step{run1("kill -9 $fish_pid").is("dead").exit("137")}},
	{id: "A12", title: "output without a line end is exact", csh: true,
		posix: []step{run1("printf abc").done("0", "abc"), run1("echo next").done("0", "next")}},
	{id: "A13", title: "a block on one line",
		posix: []step{run1("for i in 1 2; do echo $i; done").done("0", "1\n2")},
		fish:  []step{run1("for i in 1 2; echo $i; end").done("0", "1\n2")}},
	{id: "A14", title: "a prompt of a command is answered",
		posix: []step{run1(`printf "go? "; read x; echo $x`).is("awaiting-input"), call1("send", "t", "--text", "y", "--enter").is("sent"), call1("wait", "t", "--done", "--timeout", "20s").is("done").exit("0")},
		fish:  []step{run1(`read -P "go? " x; echo $x`).is("awaiting-input"), call1("send", "t", "--text", "y", "--enter").is("sent"), call1("wait", "t", "--done", "--timeout", "20s").is("done").exit("0")}},
	{id: "A15", title: "a line without an end is no prompt", csh: true,
		posix: []step{run1(`printf "total: "; sleep 2; echo 9`).done("0", "total: 9")}},
	{id: "A16", title: "printed marks end nothing", csh: true,
		posix: []step{run1(`printf '\033]133;D;0\007\033]133;A\007'; sleep 1; false`).done("1", "")}},
	{id: "A17", title: "a script of two lines is one unit",
		posix: []step{call1("run", "t", "--script", "-").input("sleep 0.2\nsleep 0.2; false\n").done("1", "")}},
	{id: "A17b", title: "a script changes the shell: directory, variables, functions",
		posix: []step{call1("run", "t", "--script", "-").input("cd /\nx=5\nf() { echo \"f$x\"; }\n").done("0", ""), run1("pwd; f").done("0", "/\nf5")},
		fish:  []step{call1("run", "t", "--script", "-").input("cd /\nset -g x 5\nfunction f; echo \"f$x\"; end\n").done("0", ""), run1("pwd; f").done("0", "/\nf5")}},
	{id: "A18", title: "a pipeline's code is its last command's",
		posix: []step{run1("false | tail -1").done("0", "")}},
	{id: "A19", title: "codes 1, 7 and 127",
		posix: []step{run1("false").done("1", ""), run1("sh -c 'exit 7'").done("7", ""), run1("nosuchcommand-x 2>/dev/null").is("done").exit("127")}},
	{id: "A22", title: "exit ends the terminal with its code",
		posix: []step{run1("exit 7").is("dead").exit("7"), run1("echo no").fails("E_DEAD")}},
	{id: "A23", title: "a nested shell is no end; afterwards all is normal",
		posix: []step{run1("sh").is("awaiting-input"), run1("echo no").fails("E_BUSY"), call1("run", "t", "--nested", "echo inner; (exit 4)").done("4", "inner"),
			call1("send", "t", "--text", "exit", "--enter", "--wait", "done", "--timeout", "20s").is("done"), run1("echo back").done("0", "back")}},
	{id: "A24", title: "a stopped command", only: named("bash", "bash without PS0", "zsh"),
		posix: []step{run1("sleep 100", "--timeout", "200ms").is("running"), call1("send", "t", "--key", "C-z").is("sent"), call1("wait", "t", "--done", "--timeout", "20s").is("done").exit("148"), run1("kill %1; echo ok").is("done").exit("0")}},
	{id: "A25", title: "nothing and a comment type nothing", csh: true,
		posix: []step{run1("").done("0", ""), run1("  ").done("0", ""), run1("# only a comment").done("0", ""), run1("echo ok").done("0", "ok")}},
	{id: "A29", title: "a wrong command is the shell's business",
		posix: []step{run1("if )").is("done"), run1("echo ok").done("0", "ok")}},
	{id: "B1", title: "semicolons and backslashes arrive",
		posix: []step{run1("echo a;").done("0", "a"), run1(`echo \;`).done("0", ";"), run1(`echo 'x\\y'`).is("done").exit("0")}},
	{id: "B2", title: "12,000 bytes on one line",
		posix: []step{run1("printf %s " + longWord + " | wc -c").is("done").exit("0"), run1("printf %s "+longWord+" | tail -c 12").done("0", longWord[len(longWord)-12:])}},
	{id: "B4", title: "exclamation marks",
		posix: []step{run1(`echo "hi!" !x`).done("0", "hi! !x")}},
	{id: "B10", title: "a tab, CJK and emoji", csh: true,
		posix: []step{run1("echo 'a\tb' 漢字 😀").done("0", "a\tb 漢字 😀")}},
	{id: "B11", title: "several positionals are an argv",
		posix: []step{call1("run", "t", "printf", "%s|", "two words", "it's", "$HOME", "*").done("0", "two words|it's|$HOME|*|")},
		fish:  []step{call1("run", "t", "printf", "%s|", "two words", "$HOME", "*").done("0", "two words|$HOME|*|")}},
	{id: "C7", title: "an error text and its code", csh: true,
		posix: []step{run1("ls /nope").done("2", "ls: cannot access '/nope': No such file or directory")}},
	{id: "C9", title: "invalid UTF-8 and NUL",
		posix: []step{run1(`printf 'a\377b\000c\n'`).done("0", "a\ufffdbc")}},
	{id: "D20", title: "half-typed input is never mixed with a command", only: hooksOnly,
		posix: []step{call1("send", "t", "--text", "abc").is("sent"), call1("wait", "t", "--idle", "100", "--timeout", "20s").is("idle"), run1("echo x").fails("E_BUSY"), call1("send", "t", "--key", "C-c").is("sent"), run1("echo ok").done("0", "ok")}},
}

// TestShells runs every case in every shell where it makes sense, and holds
// docs/shells.md against what passed.
func TestShells(t *testing.T) {
	passed := map[string]map[string]bool{}
	var mu sync.Mutex
	t.Run("group", func(t *testing.T) {
		for _, sh := range shellsUnderTest {
			passed[sh.name] = map[string]bool{}
			t.Run(strings.ReplaceAll(sh.name, " ", "-"), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				path := mustFind(t, sh.path)
				if sh.prepare != nil {
					path = sh.prepare(t, w.dir)
				}
				for _, c := range shellCases {
					if !c.fits(sh) {
						continue
					}
					steps := c.posix
					if detect.Identify(path) == detect.Fish && c.fish != nil {
						steps = c.fish
					}
					ok := t.Run(c.id, func(t *testing.T) { w.play(t, sh, path, steps) })
					mu.Lock()
					passed[sh.name][c.id] = ok
					mu.Unlock()
				}
			})
		}
	})
	if t.Failed() {
		return
	}
	for _, sh := range shellsUnderTest {
		for _, c := range shellCases {
			if _, ran := passed[sh.name][c.id]; !ran && c.fits(sh) {
				return // -run has chosen some
			}
		}
	}
	got := shellsTable(passed)
	const file = "../docs/shells.md"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- table: made by go test -run TestShells -update-docs -->\n", "<!-- end of table -->\n"
	before, rest, ok1 := strings.Cut(string(text), begin)
	table, after, ok2 := strings.Cut(rest, end)
	if !ok1 || !ok2 {
		t.Fatalf("%s has no place for the table", file)
	}
	if *updateDocs {
		if err := os.WriteFile(file, []byte(before+begin+got+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if table != got {
		t.Errorf("%s claims something else than what passed; go test -run TestShells -update-docs rewrites it", file)
	}
}

func shellsTable(passed map[string]map[string]bool) string {
	var b strings.Builder
	b.WriteString("| case | |")
	for _, s := range shellsUnderTest {
		b.WriteString(" " + s.name + " |")
	}
	b.WriteString("\n|---|---|" + strings.Repeat("---|", len(shellsUnderTest)) + "\n| | mode |")
	for _, s := range shellsUnderTest {
		b.WriteString(" " + string(s.mode) + " |")
	}
	b.WriteString("\n")
	for _, c := range shellCases {
		fmt.Fprintf(&b, "| %s | %s |", c.id, c.title)
		for _, s := range shellsUnderTest {
			cell := "–"
			if passed[s.name][c.id] {
				cell = "✓"
			}
			b.WriteString(" " + cell + " |")
		}
		b.WriteString("\n")
	}
	return b.String()
}

// world is a private place for tests that drive the binary from Go.
type world struct {
	dir string
	env []string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "pw")
	if err != nil {
		t.Fatal(err)
	}
	w := &world{dir: dir}
	home := filepath.Join(dir, "home")
	if err := os.Mkdir(home, 0o755); err != nil {
		t.Fatal(err)
	}
	w.env = []string{
		"HOME=" + home, "PATH=" + binDir + string(os.PathListSeparator) + os.Getenv("PATH"), "SHELL=/bin/bash", "TERM=xterm-256color",
		"LC_ALL=C.UTF-8", "USER=tester", "TMUX_TMPDIR=" + dir, "PAIRMUX_STATE_DIR=" + filepath.Join(dir, "state"),
	}
	t.Cleanup(func() {
		out, _ := w.call("", "kill", "--all")
		if out != nil && !out.OK {
			t.Log(out.Error)
		}
		sockets, _ := filepath.Glob(filepath.Join(dir, "tmux-*", "*"))
		for _, s := range sockets {
			_ = exec.Command("tmux", "-S", s, "kill-server").Run()
		}
		_ = os.RemoveAll(dir)
	})
	return w
}

// call runs the binary with --json and decodes its reply.
func (w *world) call(stdin string, args ...string) (*envelope.Reply, error) {
	cmd := exec.Command(binary, append([]string{"--json"}, args...)...)
	cmd.Env = w.env
	cmd.Stdin = strings.NewReader(stdin)
	cmd.Dir = w.dir
	out, err := cmd.Output()
	r, e := envelope.Decode(out)
	if e != nil {
		return nil, fmt.Errorf("%v: %q (%v)", args, out, err)
	}
	return r, nil
}

// play does one case in a terminal of its own.
func (w *world) play(t *testing.T, sh shellUnderTest, path string, steps []step) {
	t.Helper()
	r, err := w.call("", "new", "t", "--shell", path, "--timeout", "60s")
	if err != nil {
		t.Fatal(err)
	}
	if r.Status != envelope.StatusCreated || r.Mode != sh.mode {
		t.Fatalf("new: %s", brief(r))
	}
	defer func() { _, _ = w.call("", "kill", "t") }()
	for _, s := range steps {
		r, err := w.call(s.stdin, s.args...)
		if err != nil {
			t.Fatal(err)
		}
		code := "-"
		if r.ExitCode != nil {
			code = fmt.Sprint(*r.ExitCode)
		}
		bad := s.status != "" && string(r.Status) != s.status || s.code != "" && code != s.code ||
			strings.HasPrefix(s.out, "=") && r.Output != s.out[1:] || s.err != "" && (r.Error == nil || string(r.Error.Code) != s.err)
		if bad {
			log, _ := w.call("", "log", "t", "--tail", "20")
			t.Fatalf("%.300q\n got %s\nwant status %q code %q output %.300q error %q\nlog: %q", s.args, brief(r), s.status, s.code, s.out, s.err, log.Output)
		}
	}
}

func brief(r *envelope.Reply) string {
	b, _ := json.Marshal(r)
	if len(b) > 600 {
		b = b[:600]
	}
	return string(b)
}
