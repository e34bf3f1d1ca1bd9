package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/pairmux/pairmux/envelope"
	"github.com/rogpeppe/go-internal/testscript"
)

// lastReply remembers which standard output was read as a reply, so that it is
// checked as a whole once, and how long the last command took.
type lastReply struct {
	text  string
	tree  any
	took  time.Duration
	marks map[string]time.Time
}

func last(ts *testscript.TestScript) *lastReply { return ts.Value("last reply").(*lastReply) }

// pm ARGS…: pairmux --json ARGS, which must exit with 0 and a valid reply.
func pmCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("use refused")
	}
	if code := timed(ts, "pairmux", append([]string{"--json"}, args...)); code != 0 {
		ts.Fatalf("exit status %d", code)
	}
	read(ts)
}

// refused STATUS CODE ARGS…: pairmux --json ARGS, which must exit with STATUS
// and an error reply of CODE.
func refusedCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: refused STATUS CODE ARGS…")
	}
	code := timed(ts, "pairmux", append([]string{"--json"}, args[2:]...))
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("exit status %d, want %s", code, args[0])
	}
	read(ts)
	if got := fmt.Sprint(at(last(ts).tree, "error.code")); got != args[1] {
		ts.Fatalf("error code %s, want %s", got, args[1])
	}
	silent(ts)
}

// exits STATUS CMD…: CMD must exit with STATUS.
func exitsCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS CMD…")
	}
	if code := timed(ts, args[1], args[2:]); strconv.Itoa(code) != args[0] {
		ts.Fatalf("exit status %d, want %s", code, args[0])
	}
}

func timed(ts *testscript.TestScript, name string, args []string) int {
	began := time.Now()
	err := ts.Exec(name, args...)
	last(ts).took = time.Since(began)
	if err != nil {
		ts.Logf("[%v]", err)
	}
	return exitCode(err)
}

// silent asserts that nothing went to standard error.
func silent(ts *testscript.TestScript) {
	if s := ts.ReadFile("stderr"); s != "" {
		ts.Fatalf("standard error is not empty")
	}
}

// read takes the last standard output as one reply and checks what holds for
// every reply: one line, valid, and every command in next parses and carries
// the socket and the state directory that were used.
func read(ts *testscript.TestScript) any {
	l := last(ts)
	text := ts.ReadFile("stdout")
	if l.tree != nil && l.text == text {
		return l.tree
	}
	if strings.Count(text, "\n") != 1 || !strings.HasSuffix(text, "\n") {
		ts.Fatalf("not one line of JSON: %q", text)
	}
	r, err := envelope.Decode([]byte(text))
	ts.Check(err)
	ts.Check(r.Validate())
	var tree any
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	ts.Check(d.Decode(&tree))
	l.text, l.tree = text, tree
	hints := r.Next
	if r.Truncated != nil && r.Truncated.GetFull != "" {
		hints = append(hints, r.Truncated.GetFull)
	}
	for _, hint := range hints {
		if strings.HasPrefix(hint, "pairmux ") {
			checkHint(ts, hint)
		}
	}
	return tree
}

var placeholder = regexp.MustCompile(`<[^<>]*>`)

// checkHint has a shell split the hint and our own parser judge it.
func checkHint(ts *testscript.TestScript, hint string) {
	line := placeholder.ReplaceAllString(hint, "X")
	sh := exec.Command("/bin/sh", "-c", `pairmux() { printf '%s\0' "$@"; }; `+line)
	var stderr bytes.Buffer
	sh.Stderr = &stderr
	out, err := sh.Output()
	if err != nil || stderr.Len() > 0 {
		ts.Fatalf("the shell cannot read the hint %q: %v %s", hint, err, stderr.String())
	}
	w := parse(strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"))
	if w.name == "doctor" {
		return // a hint that reads the same before that command exists
	}
	if w.problem != nil {
		ts.Fatalf("the hint %q does not parse: %s", hint, w.problem.reply.Error.Message)
	}
	if dir := ts.Getenv("PAIRMUX_STATE_DIR"); dir != "" && w.name != "help" && w.given["state-dir"] == "" {
		ts.Fatalf("the hint %q does not carry --state-dir %s", hint, dir)
	}
}

// reply PATH [VALUE | OP VALUE]: checks a field of the last reply. PATH is
// dotted; a list is entered by index or by its rows' name, .len is its length
// and .* all of it, one a line. OP is = != < <= > >= or ~ (a regular
// expression). In VALUE, \n \t \e \\ are escapes and $D/ is the script's
// directory. Without VALUE: the field is
// there.
func replyCommand(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) == 0 {
		ts.Fatalf("usage: reply PATH [[OP] VALUE]")
	}
	value := at(read(ts), args[0])
	for i := range args[1:] {
		args[i+1] = strings.ReplaceAll(args[i+1], "$D/", ts.Getenv("D")+"/")
	}
	op, want := "=", ""
	switch len(args) {
	case 1:
		if (value != nil) == neg {
			ts.Fatalf("%s is %s", args[0], show(value))
		}
		return
	case 2:
		want = args[1]
	case 3:
		op, want = args[1], args[2]
	default:
		ts.Fatalf("usage: reply PATH [[OP] VALUE]")
	}
	if value == nil && !neg {
		ts.Fatalf("%s is not there", args[0])
	}
	got := ""
	if value != nil {
		got = fmt.Sprint(value)
	}
	if compare(ts, got, op, want) == neg {
		not := ""
		if neg {
			not = "not "
		}
		ts.Fatalf("%s is %s, want %s%s %q", args[0], show(value), not, op, want)
	}
}

var unescape = strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\e`, "\x1b", `\\`, `\`)

func compare(ts *testscript.TestScript, got, op, want string) bool {
	if op == "~" {
		re, err := regexp.Compile(want)
		ts.Check(err)
		return re.MatchString(got)
	}
	want = unescape.Replace(want)
	switch op {
	case "=":
		return got == want
	case "!=":
		return got != want
	}
	a, err := strconv.ParseInt(got, 10, 64)
	ts.Check(err)
	b, err := strconv.ParseInt(want, 10, 64)
	ts.Check(err)
	return holds(ts, cmp.Compare(a, b), op)
}

func holds(ts *testscript.TestScript, order int, op string) bool {
	switch op {
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	case ">":
		return order > 0
	case ">=":
		return order >= 0
	}
	ts.Fatalf("unknown operator %q", op)
	return false
}

func show(v any) string {
	if v == nil {
		return "not there"
	}
	return fmt.Sprintf("%q", fmt.Sprint(v))
}

// at walks a path through a decoded reply; nil means that nothing is there.
func at(v any, path string) any {
	for step := range strings.SplitSeq(path, ".") {
		switch node := v.(type) {
		case map[string]any:
			v = node[step]
		case []any:
			v = entry(node, step)
		default:
			if step == "len" {
				return 0
			}
			return nil
		}
	}
	return v
}

func entry(list []any, step string) any {
	switch step {
	case "len":
		return len(list)
	case "*":
		lines := make([]string, len(list))
		for i, e := range list {
			lines[i] = fmt.Sprint(e)
		}
		return strings.Join(lines, "\n")
	}
	if i, err := strconv.Atoi(step); err == nil {
		if i < len(list) {
			return list[i]
		}
		return nil
	}
	for _, e := range list {
		if row, ok := e.(map[string]any); ok && row["name"] == step {
			return row
		}
	}
	return nil
}

// took OP DURATION: how long the last pm, refused or exits took.
func tookCommand(ts *testscript.TestScript, neg bool, args []string) {
	want, err := time.ParseDuration(args[1])
	ts.Check(err)
	if got := last(ts).took; holds(ts, cmp.Compare(got, want), args[0]) == neg {
		ts.Fatalf("took %v, want %s %v", got, args[0], want)
	}
}

// since NAME sets a mark in time; since NAME OP DURATION compares with it.
func sinceCommand(ts *testscript.TestScript, neg bool, args []string) {
	l := last(ts)
	if len(args) == 1 {
		if l.marks == nil {
			l.marks = map[string]time.Time{}
		}
		l.marks[args[0]] = time.Now()
		return
	}
	want, err := time.ParseDuration(args[2])
	ts.Check(err)
	if got := time.Since(l.marks[args[0]]); holds(ts, cmp.Compare(got, want), args[1]) == neg {
		ts.Fatalf("%v since %s, want %s %v", got, args[0], args[1], want)
	}
}

// poll PATTERN CMD…: runs CMD until its standard output matches.
func pollCommand(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: poll PATTERN CMD…")
	}
	re, err := regexp.Compile(args[0])
	ts.Check(err)
	ok := until(10*time.Second, func() bool {
		return re.MatchString(run(ts, args[1], args[2:]...)) != neg
	})
	if !ok {
		ts.Fatalf("%v never showed %q; the last was:\n%s", args[1:], args[0], run(ts, args[1], args[2:]...))
	}
}

// run is a command in the script's environment whose output the script's own
// checks do not see.
func run(ts *testscript.TestScript, name string, args ...string) string {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "env", append([]string{name}, args...)...)
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = scriptEnv(ts)
	out, _ := cmd.CombinedOutput()
	return string(out)
}

func scriptEnv(ts *testscript.TestScript) []string {
	var env []string
	for _, name := range []string{"HOME", "PATH", "SHELL", "TERM", "LC_ALL", "TMUX_TMPDIR", "PAIRMUX_STATE_DIR", "PAIRMUX_SOCKET", "TMUX", "D"} {
		if v := ts.Getenv(name); v != "" {
			env = append(env, name+"="+v)
		}
	}
	return env
}

func label(ts *testscript.TestScript) string {
	return cmp.Or(ts.Getenv("PAIRMUX_SOCKET"), "pairmux")
}

// paneOf is the pane id of a terminal, "" if it has none.
func paneOf(ts *testscript.TestScript, name string) string {
	for line := range strings.Lines(run(ts, "tmux", "-L", label(ts), "list-panes", "-s", "-t", "=pairmux", "-F", "#{@pairmux_name} #{pane_id}")) {
		if f := strings.Fields(line); len(f) == 2 && f[0] == name {
			return f[1]
		}
	}
	return ""
}

// screen NAME PATTERN: waits until the terminal's pane shows a match.
func screenCommand(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: screen NAME PATTERN")
	}
	pane := paneOf(ts, args[0])
	if pane == "" {
		ts.Fatalf("no pane of %s", args[0])
	}
	shows(ts, neg, args[1], func() string {
		return run(ts, "tmux", "-L", label(ts), "capture-pane", "-p", "-J", "-t", pane)
	})
}

// shows waits for a match; the negated form looks once.
func shows(ts *testscript.TestScript, neg bool, pattern string, look func() string) {
	re, err := regexp.Compile("(?m)" + pattern)
	ts.Check(err)
	if neg {
		if now := look(); re.MatchString(now) {
			ts.Fatalf("the screen shows %q:\n%s", pattern, now)
		}
		return
	}
	if !until(10*time.Second, func() bool { return re.MatchString(look()) }) {
		ts.Fatalf("the screen never showed %q:\n%s", pattern, strings.TrimRight(look(), "\n"))
	}
}

// human attach [TMUX-TARGET] | detach | type TEXT | key KEY… | screen PATTERN:
// a person at a second tmux client, which runs in a pane of a server of its
// own and is thus a real terminal.
func humanCommand(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) == 0 {
		ts.Fatalf("usage: human attach|detach|type|key|screen …")
	}
	desk := func(args ...string) string {
		return run(ts, "tmux", append([]string{"-L", "human", "-f", "/dev/null"}, args...)...)
	}
	clients := func() string { return run(ts, "tmux", "-L", label(ts), "list-clients", "-F", "client") }
	switch args[0] {
	case "attach":
		target := "=pairmux"
		if len(args) > 1 {
			target = args[1]
		}
		desk("new-session", "-d", "-x", "100", "-y", "30", "exec env -u TMUX -u TMUX_PANE tmux -u -L "+label(ts)+" attach-session -t '"+target+"'")
		if !until(10*time.Second, func() bool { return strings.Contains(clients(), "client") }) {
			ts.Fatalf("no client attached: %s", clients())
		}
	case "detach":
		desk("kill-server")
		if !until(10*time.Second, func() bool { return !strings.Contains(clients(), "client") }) {
			ts.Fatalf("still attached: %s", clients())
		}
	case "type":
		desk("send-keys", "-l", "--", args[1])
	case "key":
		desk(append([]string{"send-keys", "--"}, args[1:]...)...)
	case "screen":
		shows(ts, neg, args[1], func() string { return desk("capture-pane", "-p", "-J") })
	default:
		ts.Fatalf("unknown: human %s", args[0])
	}
}

// gone PID-FILE: waits until the process whose id the file holds has ended.
func goneCommand(ts *testscript.TestScript, neg bool, args []string) {
	pid := strings.TrimSpace(ts.ReadFile(args[0]))
	if pid == "" {
		ts.Fatalf("%s holds no process id", args[0])
	}
	alive := func() bool { _, err := os.Stat("/proc/" + pid); return err == nil }
	if neg {
		if !alive() {
			ts.Fatalf("process %s has ended", pid)
		}
		return
	}
	if !until(10*time.Second, func() bool { return !alive() }) {
		ts.Fatalf("process %s is still there", pid)
	}
}
