package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/pairmux/pairmux/detect"
	"github.com/pairmux/pairmux/envelope"
	"github.com/pairmux/pairmux/journal"
	"github.com/pairmux/pairmux/lockfile"
	"github.com/pairmux/pairmux/tmuxio"
)

// new opens a terminal: a directory for its journal, a tmux window whose bytes
// go there from the first one on, and a shell or program in it.

type newOptions struct {
	name, cwd, cmd, shell string
	cols, rows            int
	env                   []string
	timeout               time.Duration
	maxJournal            int64
}

func runNew(c *call) *outcome {
	o := newOptions{
		name: c.text("name"), cwd: c.text("cwd"), cmd: c.text("cmd"), shell: c.text("shell"),
		env: c.list("env"), timeout: c.duration("timeout"), maxJournal: c.size("max-journal"),
	}
	o.cols, o.rows, _ = parseGrid(c.text("size"))
	if len(c.args) == 1 {
		if c.given("name") {
			return usage("the name is given twice: "+detect.Quote(c.args[0])+" and --name", "pairmux help new")
		}
		o.name = c.args[0]
	}
	ctx, stop := interruptible(c.ctx)
	defer stop()
	if problem := o.check(c); problem != nil {
		return problem
	}
	ctx, cancel := context.WithDeadline(ctx, c.began.Add(max(o.timeout, time.Second)))
	defer cancel()
	t, problem := o.open(ctx, c.env)
	if problem != nil {
		return problem
	}
	return afterSignal(ctx, t.firstLook(ctx, c.began.Add(o.timeout)))
}

// check refuses what can be refused before anything is made.
func (o *newOptions) check(c *call) *outcome {
	if (c.given("name") || len(c.args) == 1) && !journal.ValidName(o.name) {
		return badName(o.name)
	}
	for _, kv := range o.env {
		if k, _, ok := strings.Cut(kv, "="); !ok || k == "" || strings.ContainsRune(kv, 0) {
			return badArgs(fmt.Sprintf("--env %s: want NAME=VALUE", detect.Quote(kv)), "pairmux help new")
		}
	}
	if c.given("cmd") && strings.TrimSpace(o.cmd) == "" {
		return badArgs("--cmd is empty", "pairmux help new")
	}
	if strings.ContainsRune(o.cmd, 0) {
		return badArgs("--cmd holds a NUL byte, which no command line can", "")
	}
	here, err := os.Getwd()
	if err != nil && !filepath.IsAbs(o.cwd) {
		return badArgs("the current directory is gone; name one with --cwd", c.env.line("new", "--cwd", "/tmp"))
	}
	switch {
	case !c.given("cwd"):
		o.cwd = here
		// The logical path, when it is the same place, is what a person calls it.
		if pwd := os.Getenv("PWD"); samePlace(pwd, here) {
			o.cwd = pwd
		}
	case !filepath.IsAbs(o.cwd):
		o.cwd = filepath.Join(here, o.cwd)
	}
	if st, err := os.Stat(o.cwd); err != nil || !st.IsDir() {
		return badArgs(fmt.Sprintf("--cwd %s is not a directory", detect.Quote(o.cwd)), "")
	}
	if o.cmd != "" {
		o.shell = "/bin/sh"
		return nil
	}
	if o.shell == "" {
		o.shell = loginShell()
	}
	path, err := exec.LookPath(o.shell)
	if err != nil {
		return badArgs(fmt.Sprintf("shell %s cannot be run: %v", detect.Quote(o.shell), reason(err)), c.env.line("new", "--shell", "/bin/sh"))
	}
	if o.shell, err = filepath.Abs(path); err != nil {
		return internal(err)
	}
	return nil
}

func samePlace(a, b string) bool {
	if !filepath.IsAbs(a) {
		return false
	}
	x, e1 := os.Stat(a)
	y, e2 := os.Stat(b)
	return e1 == nil && e2 == nil && os.SameFile(x, y)
}

// reason is the cause at the bottom of an error.
func reason(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}

// open makes the terminal under a reservation of its name, which is a lock on a
// file outside the terminal's directory: the directory itself may be renamed.
func (o *newOptions) open(ctx context.Context, e *environment) (*terminal, *outcome) {
	srv, err := e.server()
	if err != nil {
		return nil, e.tmuxFailed(err)
	}
	space := journal.Namespace(e.root, e.endpoint)
	if err := os.MkdirAll(space, 0o700); err != nil {
		return nil, internal(err)
	}
	e.reach(ctx, srv)
	auto := o.name == ""
	for {
		if auto {
			o.name = e.nextName()
		}
		unlock, err := lockfile.Lock(ctx, filepath.Join(space, ".new."+o.name+".lock"), lockfile.Holder{Verb: "new"})
		if err != nil {
			if ctx.Err() != nil {
				return nil, fail(envelope.CodeBusy, fmt.Sprintf("another new of %q is still at work", o.name), e.line("ls"))
			}
			return nil, internal(err)
		}
		t, problem := o.make(ctx, e, srv, filepath.Join(space, o.name))
		unlock()
		if problem != nil && auto && problem.reply.Error.Code == envelope.CodeExists {
			continue
		}
		return t, problem
	}
}

// stateOption is the pane option that names the terminal's state directory.
const stateOption = "@pairmux_state"

// reach is terminal.reach for a server of which any terminal is known: a new one
// beside it would have the socket's name, and nobody could reach the old one.
func (e *environment) reach(ctx context.Context, srv *tmuxio.Server) {
	if _, err := os.Lstat(srv.SocketPath()); err == nil {
		return
	}
	names, _ := journal.Terminals(e.root, e.endpoint)
	for _, name := range names {
		if j, err := journal.Find(e.root, e.endpoint, name); err == nil {
			e.wrap(name, j).reach(ctx, srv)
			_ = j.Close()
		}
	}
}

// nextName is t1, t2, …: the highest in use plus one.
func (e *environment) nextName() string {
	names, _ := journal.Terminals(e.root, e.endpoint)
	highest := 0
	for _, n := range names {
		if digits, ok := strings.CutPrefix(n, "t"); ok {
			if i, err := strconv.Atoi(digits); err == nil && i > highest && digits[0] != '0' {
				highest = i
			}
		}
	}
	return "t" + strconv.Itoa(highest+1)
}

// make creates the terminal whose name is reserved. When it fails nothing new
// is left behind.
func (o *newOptions) make(ctx context.Context, e *environment, srv *tmuxio.Server, dir string) (*terminal, *outcome) {
	if problem := o.vacate(ctx, e, srv, dir); problem != nil {
		return nil, problem
	}
	nonce := newNonce()
	kind, mode, shell := kindShell, envelope.ModeSentinel, o.shell
	plan := launchSpec{
		Path: o.shell, Argv: []string{filepath.Base(o.shell)}, Cwd: o.cwd, Cols: o.cols, Rows: o.rows,
		Nonce: nonce, Dir: dir, Shell: true, Umask: currentUmask(),
	}
	var integration detect.Integration
	if o.cmd != "" {
		kind, shell = kindProgram, ""
		plan.Path, plan.Argv, plan.Shell = "/bin/sh", []string{"sh", "-c", o.cmd}, false
	} else if in, ok := detect.Integrate(o.shell, dir, nonce, o.variable); ok {
		mode, integration = envelope.ModeHooks, in
		plan.Argv = in.Argv
	}
	plan.Env = o.environ(e, integration.Env)
	j, err := journal.Create(dir, journal.Meta{
		Name: o.name, Shell: shell, Mode: string(mode), Socket: e.socket, Endpoint: e.endpoint.Path(),
		TmuxTmpdir: srv.TmuxTmpdir(), Cmd: o.cmd, Cwd: o.cwd, Size: fmt.Sprintf("%dx%d", o.cols, o.rows),
		Nonce: nonce, Kind: kind, MaxJournal: o.maxJournal,
	})
	if err != nil {
		return nil, internal(err)
	}
	undo := func() { _ = j.Close(); _ = os.RemoveAll(dir) }
	files := integration.Files
	if files == nil {
		files = map[string][]byte{}
	}
	start := filepath.Join(dir, "start.json")
	files["start.json"], _ = json.Marshal(plan)
	for name, content := range files {
		if sub := filepath.Dir(name); sub != "." {
			_ = os.Mkdir(filepath.Join(dir, sub), 0o700)
		}
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			undo()
			return nil, internal(err)
		}
	}
	self, err := os.Executable()
	if err != nil {
		undo()
		return nil, internal(err)
	}
	w, err := srv.CreateWindow(ctx, tmuxio.WindowSpec{
		Name: o.name, Argv: []string{self, "__launch", start}, PipeCmd: pipeCommand(self, dir),
		Cols: o.cols, Rows: o.rows, Options: map[string]string{stateOption: e.root},
	})
	if err != nil {
		undo()
		// An old tmux fails in its own words.
		if v, old := tmuxio.Version(ctx, srv.Binary()); errors.Is(old, tmuxio.ErrTooOld) {
			err = fmt.Errorf("%w: this is version %s, %s is needed", tmuxio.ErrTooOld, v, tmuxio.MinVersion)
		}
		return nil, e.tmuxFailed(err)
	}
	if err := tmuxio.CheckVersion(w.Version); errors.Is(err, tmuxio.ErrTooOld) {
		_ = srv.KillPane(ctx, w.PaneID)
		undo()
		return nil, e.tmuxFailed(fmt.Errorf("%w: the server is version %s, %s is needed", tmuxio.ErrTooOld, w.Version, tmuxio.MinVersion))
	}
	m := j.Meta()
	m.PaneID, m.TTY, m.PanePID, m.ServerPID = w.PaneID, w.TTY, w.PanePID, w.ServerPID
	m.PaneStart, _, _ = detect.Process(w.PanePID)
	m.ServerStart, _, _ = detect.Process(w.ServerPID)
	if err := j.SetMeta(m); err != nil {
		_ = srv.KillPane(ctx, w.PaneID)
		undo()
		return nil, internal(err)
	}
	return e.wrap(o.name, j), nil
}

// vacate makes sure that the name is free, and moves a dead terminal's journal
// out of the way.
func (o *newOptions) vacate(ctx context.Context, e *environment, srv *tmuxio.Server, dir string) *outcome {
	exists := func(where string) *outcome {
		return fail(envelope.CodeExists, fmt.Sprintf("terminal %q exists already%s", o.name, where), e.line("peek", o.name))
	}
	dead := false
	if j, err := journal.Find(e.root, e.endpoint, o.name); err == nil {
		t := e.wrap(o.name, j)
		switch t.life() {
		case gone:
			dead = true
		case unnamed: // tmux tells below whether there is such a pane
		default:
			return exists("")
		}
		_ = j.Close()
	} else if !errors.Is(err, journal.ErrNotFound) {
		return internal(err)
	}
	// tmux may need a moment to notice that a dead terminal's pane is gone.
	where, err := elsewhere(ctx, srv, o.name)
	for end := time.Now().Add(2 * time.Second); err == nil && dead && where == e.root && time.Now().Before(end); {
		time.Sleep(5 * time.Millisecond)
		where, err = elsewhere(ctx, srv, o.name)
	}
	switch {
	case err != nil:
		return e.tmuxFailed(err)
	case where == e.root:
		return exists("")
	case where != "":
		out := exists(" on this server under another state directory: " + where)
		hint := "pairmux" + e.socketFlag() + " --state-dir " + detect.Quote(where) + " peek " + o.name
		out.reply = envelope.Fail(envelope.CodeExists, out.reply.Error.Message, hint)
		return out
	}
	if _, err := os.Lstat(dir); err == nil {
		if err := journal.Retire(dir); err != nil && !errors.Is(err, journal.ErrNotFound) {
			return internal(err)
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return internal(err)
	}
	return nil
}

// elsewhere asks the server for a live terminal of this name and returns the
// state directory it belongs to.
func elsewhere(ctx context.Context, srv *tmuxio.Server, name string) (string, error) {
	if srv.Health() != tmuxio.Alive {
		return "", nil
	}
	ctx, cancel := context.WithTimeout(ctx, tmuxio.DefaultTimeout)
	defer cancel()
	const format = "#{" + tmuxio.NameOption + "}\t#{" + stateOption + "}\t#{pane_dead}"
	out, err := srv.Run(ctx, "list-panes", "-s", "-t", "="+tmuxio.SessionName, "-F", format)
	if err != nil {
		// A server that ends just now has no terminal either.
		if errors.Is(err, tmuxio.ErrNoTarget) || errors.Is(err, tmuxio.ErrNoServer) || errors.Is(err, tmuxio.ErrServerExited) {
			return "", nil
		}
		return "", err
	}
	for row := range strings.Lines(out) {
		f := strings.Split(strings.TrimRight(row, "\n"), "\t")
		if len(f) == 3 && f[0] == name && f[2] != "1" {
			return f[1], nil
		}
	}
	return "", nil
}

// environ is the caller's environment as the pane gets it.
func (o *newOptions) environ(e *environment, extra []string) []string {
	tmp := e.endpoint.TmuxTmpdir
	if tmp == "" {
		tmp = "/tmp"
	}
	set := map[string]string{
		"PAIRMUX": "1", "PAIRMUX_NAME": o.name, "PAIRMUX_SOCKET": e.socket, "PAIRMUX_STATE_DIR": e.root,
		"TMUX_TMPDIR": tmp, "PWD": o.cwd,
	}
	for _, kv := range append(slices.Clone(o.env), extra...) {
		k, v, _ := strings.Cut(kv, "=")
		set[k] = v
	}
	var env []string
	for _, kv := range os.Environ() {
		k, _, _ := strings.Cut(kv, "=")
		switch {
		case set[k] != "", k == "COLUMNS", k == "LINES", k == "SHLVL", k == "TERM", k == "OLDPWD",
			strings.HasPrefix(k, "TMUX"), strings.HasPrefix(k, "TERM_PROGRAM"):
			continue
		}
		if _, ok := set[k]; !ok {
			env = append(env, kv)
		}
	}
	for k, v := range set {
		env = append(env, k+"="+v)
	}
	return env
}

// variable is a variable of the pane, before the integration's own.
func (o *newOptions) variable(name string) (string, bool) {
	for _, kv := range o.env {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			return v, true
		}
	}
	return os.LookupEnv(name)
}

// pipeCommand is the shell command that tmux pipes the pane into.
func pipeCommand(self, dir string) string {
	return "exec " + detect.Quote(self) + " __journal " + detect.Quote(dir)
}

// newNonce is the secret that the terminal's own marks carry.
func newNonce() string {
	var b [12]byte
	_, _ = rand.Read(b[:]) // never fails (crypto/rand)
	return hex.EncodeToString(b[:])
}

// currentUmask reads the umask; there is no way to read it without setting it.
func currentUmask() int {
	u := syscall.Umask(0o077)
	syscall.Umask(u)
	return u
}

// noMarkAfter is how long a quiet shell may sit in the foreground without a
// mark before it is taken for one that reads no hooks.
const noMarkAfter = 5 * time.Second

// programQuiet and programLook bound how long new waits for a program's first
// output.
const (
	programQuiet = 150 * time.Millisecond
	programLook  = time.Second
)

// firstLook waits until the terminal can be used and says so.
func (t *terminal) firstLook(ctx context.Context, deadline time.Time) *outcome {
	began := time.Now()
	f := t.j.Follow()
	s := &state{}
	s.machine = t.newMachine()
	s.scanned = t.j.Base()
	for {
		seen := f.Now()
		if err := t.scan(s, seen.Raw, nil); err != nil {
			return internal(err)
		}
		s.recent = t.recent()
		if s.machine.Phase == detect.Ready || s.machine.Phase == detect.Exited || time.Since(began) > detect.SilenceSecret {
			t.classify(ctx, s)
		} else {
			s.status = envelope.StatusRunning
		}
		quiet := t.quiet(s)
		asks := s.status == envelope.StatusAwaitingInput
		if asks && !t.program() && s.prompt.Kind == envelope.KindShell && s.machine.Phase == detect.Unseen {
			asks = false // another shell's prompt, without our marks: no question
		}
		settled := s.status == envelope.StatusDead || asks || s.status == envelope.StatusIdle
		if t.program() {
			settled = settled || seen.Raw > t.j.Base() && quiet >= programQuiet || time.Since(began) >= programLook
		} else if !settled && t.unhooked(s, min(quiet, time.Since(began))) {
			if problem := t.degrade(s); problem != nil {
				return problem
			}
			s.warnings = append(s.warnings, "the shell printed no mark: its commands' ends are recognised by sentinels from now on")
			s.status, s.prompt, settled = envelope.StatusIdle, nil, true
		}
		if settled || ctx.Err() != nil || !time.Now().Before(deadline) {
			return t.created(s)
		}
		tick := 50 * time.Millisecond
		if d := time.Until(deadline); d < tick {
			tick = d
		}
		wait, cancel := context.WithTimeout(ctx, max(tick, time.Millisecond))
		err := f.Wait(wait, seen)
		cancel()
		if errors.Is(err, journal.ErrRetired) {
			return t.created(s)
		}
	}
}

// unhooked reports whether a shell that should have shown its marks by now never
// will: it has been quiet in the foreground for long, or a start-up file has
// replaced it by another.
func (t *terminal) unhooked(s *state, quiet time.Duration) bool {
	if t.mode() != envelope.ModeHooks || s.machine.Phase != detect.Unseen || !s.look.ShellForeground {
		return false
	}
	reads := s.look.Reads || s.look.Polls
	if !reads && !s.look.Unclear {
		return false // it is at work, however silently
	}
	return quiet >= noMarkAfter || reads && quiet >= detect.SilenceText && t.replacedBy(s)
}

// degrade turns a hooks terminal whose shell shows no marks into a sentinel one.
func (t *terminal) degrade(s *state) *outcome {
	m := t.j.Meta()
	m.Mode = string(envelope.ModeSentinel)
	if t.replacedBy(s) {
		m.Shell = s.look.Names[0]
	}
	if err := t.j.SetMeta(m); err != nil {
		return internal(err)
	}
	t.meta = m
	return nil
}

func (t *terminal) created(s *state) *outcome {
	status := s.status
	if status == envelope.StatusIdle && !t.program() {
		status = envelope.StatusCreated
	}
	r := t.reply(status)
	r.Cursor = envelope.Int(t.j.Base())
	r.Prompt = s.prompt
	r.Warnings = s.warnings
	if t.strange() {
		r.Warnings = append(r.Warnings, "run does not know the syntax of "+filepath.Base(t.meta.Shell)+": drive it with send, wait and peek")
	}
	switch status {
	case envelope.StatusDead:
		t.reportDead(r, s)
		from := t.j.Base()
		t.quote(r, from, s.scanned, 5)
	case envelope.StatusAwaitingInput:
		t.quote(r, t.j.Base(), s.scanned, 5)
	case envelope.StatusRunning:
		if !t.program() {
			r.Warnings = append(r.Warnings, "the shell has not shown its prompt yet; run waits for it")
		}
	}
	r.Next = t.next(s, status)
	return &outcome{reply: r}
}
