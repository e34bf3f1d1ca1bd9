package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pairmux/pairmux/detect"
	"github.com/pairmux/pairmux/envelope"
	"github.com/pairmux/pairmux/journal"
	"github.com/pairmux/pairmux/tmuxio"
)

// The tiers of shells: how surely the end of a command is known.
const (
	tierHooks    = "hooks"
	tierNoStart  = "hooks-no-C"
	tierDegraded = "hooks-degraded->sentinel"
	tierSentinel = "sentinel"
)

// triedShells are looked for on PATH; the caller's own shell is tried too.
var triedShells = []string{"bash", "zsh", "fish", "dash", "ksh", "ksh93", "mksh", "lksh", "oksh", "yash", "busybox"}

// shellAtOnce is how many shells are tried at the same time.
const shellAtOnce = 3

// tryShells opens a terminal with each installed shell on a server of its own,
// under the user's own start-up files, and measures which tier it reaches.
// Nothing is left of it: no server, no directory, no line in a history.
func tryShells(ctx context.Context) []envelope.Check {
	const name = "shells"
	// Directly under /tmp: the socket's path must be short.
	dir, err := os.MkdirTemp(shortTemp(), "pairmux-doctor-")
	if err != nil {
		return []envelope.Check{faulty(name, err.Error(), "make a directory for temporary files writable, or set TMPDIR")}
	}
	l := &laboratory{dir: dir}
	defer l.close()
	if l.self, err = os.Executable(); err != nil {
		return []envelope.Check{faulty(name, err.Error(), "start pairmux by its full path")}
	}
	shells := installedShells(dir)
	checks := make([]envelope.Check, len(shells))
	var wg sync.WaitGroup
	slots := make(chan struct{}, shellAtOnce)
	for i, sh := range shells {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			checks[i] = l.try(ctx, sh)
		})
	}
	wg.Wait()
	return checks
}

// shortTemp is a directory for temporary files whose path is short.
func shortTemp() string {
	if tmp := os.TempDir(); len(tmp) <= 20 {
		return tmp
	}
	return "/tmp"
}

// installed is a shell that can be tried.
type installed struct{ name, path, real string }

// installedShells finds the shells, each once: sh is mostly another's name.
func installedShells(dir string) []installed {
	names := slices.Clone(triedShells)
	own := loginShell()
	if base := filepath.Base(own); base != "sh" && !slices.Contains(names, base) {
		names = append(names, own)
	}
	var list []installed
	seen := map[string]bool{}
	for _, name := range names {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		real, err := filepath.EvalSymlinks(path)
		if err != nil || seen[real] {
			continue
		}
		seen[real] = true
		sh := installed{filepath.Base(name), path, real}
		if sh.name == "busybox" {
			// Its name says which program it is.
			sh.path = filepath.Join(dir, "ash")
			if os.Symlink(real, sh.path) != nil {
				continue
			}
		}
		list = append(list, sh)
	}
	return list
}

// laboratory is a tmux server and a state directory that exist only for trying
// shells.
type laboratory struct{ dir, self string }

const laboratorySocket = "doctor"

// shellPatience bounds the trial of one shell: one without marks takes five
// seconds to be known as such.
const shellPatience = 15 * time.Second

// pairmux runs this program in the laboratory.
func (l *laboratory) pairmux(ctx context.Context, args ...string) (*envelope.Reply, error) {
	ctx, cancel := context.WithTimeout(ctx, shellPatience)
	defer cancel()
	cmd := exec.CommandContext(ctx, l.self, append([]string{"--json", "--socket", laboratorySocket, "--state-dir", filepath.Join(l.dir, "state")}, args...)...)
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "TMUX") && !strings.HasPrefix(kv, "PAIRMUX") {
			cmd.Env = append(cmd.Env, kv)
		}
	}
	cmd.Env = append(cmd.Env, "TMUX_TMPDIR="+l.dir)
	out, err := cmd.Output()
	if len(out) == 0 {
		return nil, cmp.Or(err, ctx.Err())
	}
	r, err := envelope.Decode(out)
	if err == nil && !r.OK {
		err = fmt.Errorf("%s: %s", r.Error.Code, r.Error.Message)
	}
	return r, err
}

// try measures one shell: it has to show its prompt, run a command, and tell
// its exit code.
func (l *laboratory) try(ctx context.Context, sh installed) envelope.Check {
	name := "shell-" + sh.name
	where := sh.path
	if sh.name == "busybox" {
		where = sh.real
	}
	fix := "look at what happens: pairmux new x --shell " + detect.Quote(where) + "; pairmux attach x"
	// A shell writes its history where its user keeps it; these settings, which
	// the shells know, keep the trial out of it.
	args := []string{"new", sh.name, "--shell", sh.path, "--timeout", "8s",
		"--env", "HISTFILE=/dev/null", "--env", "HISTIGNORE=*", "--env", "HISTORY_IGNORE=*", "--env", "fish_history="}
	if detect.Identify(sh.path) == detect.Fish {
		// fish makes its directories when it starts.
		args = append(args, "--env", "XDG_DATA_HOME="+l.dir, "--env", "XDG_CACHE_HOME="+l.dir, "--env", "XDG_RUNTIME_DIR="+l.dir)
		if config, err := os.UserConfigDir(); err != nil || !exists(filepath.Join(config, "fish")) {
			args = append(args, "--env", "XDG_CONFIG_HOME="+l.dir)
		}
	}
	r, err := l.pairmux(ctx, args...)
	if err != nil {
		return faulty(name, fmt.Sprintf("%s cannot be used: %v", where, err), fix)
	}
	if r.Status != envelope.StatusCreated {
		return faulty(name, fmt.Sprintf("%s shows no prompt of its own: %s", where, r.Status), fix)
	}
	mode := r.Mode
	r, err = l.pairmux(ctx, "run", sh.name, "sh -c 'exit 3'", "--timeout", "8s")
	switch {
	case err != nil:
		return faulty(name, fmt.Sprintf("%s: no command can be run: %v", where, err), fix)
	case r.Status != envelope.StatusDone || r.ExitCode == nil || *r.ExitCode != 3:
		return faulty(name, where+": the exit code of a command does not arrive", fix)
	}
	_, hooked := detect.Integrate(sh.path, l.dir, "", os.LookupEnv)
	switch {
	case !hooked:
		return sound(name, tierSentinel+", "+where)
	case mode != envelope.ModeHooks || r.Mode != envelope.ModeHooks:
		return faulty(name, tierDegraded+", "+where+": its start-up files undo the hooks", "try without them: "+bare(sh)+"; then find the line that replaces the prompt, PROMPT_COMMAND or precmd")
	case !l.startMarks(sh.name):
		return sound(name, tierNoStart+", "+where)
	}
	return sound(name, tierHooks+", "+where)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// bare is how a shell is started without its user's start-up files.
func bare(sh installed) string {
	switch detect.Identify(sh.path) {
	case detect.Bash:
		return "HOME=/nonexistent pairmux new x --shell " + detect.Quote(sh.path)
	case detect.Zsh:
		return "ZDOTDIR=/nonexistent pairmux new x --shell " + detect.Quote(sh.path)
	}
	return "XDG_CONFIG_HOME=/nonexistent pairmux new x --shell " + detect.Quote(sh.path)
}

// startMarks reports whether the shell's own marks say where output begins.
func (l *laboratory) startMarks(name string) bool {
	j, err := journal.Find(filepath.Join(l.dir, "state"), l.endpoint(), name)
	if err != nil {
		return false
	}
	defer j.Close()
	size, _ := j.Size()
	b := make([]byte, size)
	n, _ := j.ReadAt(b, j.Base())
	return bytes.Contains(b[:n], []byte("\x1b]133;C"))
}

func (l *laboratory) endpoint() journal.Endpoint {
	return journal.Endpoint{TmuxTmpdir: l.dir, UID: os.Getuid(), Socket: laboratorySocket}
}

// close ends the server with everything on it and removes the directory. It
// works also when the caller was interrupted.
func (l *laboratory) close() {
	ctx, cancel := context.WithTimeout(context.Background(), shellPatience)
	defer cancel()
	_, _ = l.pairmux(ctx, "kill", "--all")
	srv, err := tmuxio.New(tmuxio.Config{Label: laboratorySocket, TmuxTmpdir: l.dir})
	if err == nil {
		pid, _ := srv.ServerPID()
		_, _ = srv.Run(ctx, "kill-server")
		for pid > 0 && ctx.Err() == nil {
			if _, _, alive := detect.Process(pid); !alive {
				break
			}
			time.Sleep(5 * time.Millisecond)
		}
	}
	// The journals' writers may still be at their last bytes.
	for os.RemoveAll(l.dir) != nil && ctx.Err() == nil {
		time.Sleep(10 * time.Millisecond)
	}
}
