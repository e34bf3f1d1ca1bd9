package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/pairmux/pairmux/detect"
	"github.com/pairmux/pairmux/envelope"
	"github.com/pairmux/pairmux/journal"
	"github.com/pairmux/pairmux/tmuxio"
	"golang.org/x/sys/unix"
)

// doctor looks at everything that pairmux needs, and says how to mend what is
// wrong. It changes nothing: shells are tried on a server of their own.

// doctorPatience bounds the whole of it.
const doctorPatience = 40 * time.Second

func runDoctor(c *call) *outcome {
	ctx, stop := interruptible(c.ctx)
	defer stop()
	limit, cancel := context.WithTimeout(ctx, doctorPatience)
	defer cancel()
	e := c.env
	checks := []envelope.Check{e.checkTmux(limit)}
	usable := checks[0].OK
	if usable {
		checks = append(checks, e.checkServer(limit))
	}
	checks = append(checks, e.checkSocket(), e.checkState())
	if usable {
		checks = append(checks, tryShells(limit)...)
	}
	checks = append(checks, checkNotifier(), checkSecretPrompts(), e.checkLifetime())
	r := envelope.New(envelope.StatusOK)
	r.Checks = checks
	for _, check := range checks {
		if !check.OK {
			r.Status = envelope.StatusIssues
		}
	}
	return afterSignal(ctx, &outcome{reply: r})
}

func sound(name, detail string) envelope.Check {
	return envelope.Check{Name: name, OK: true, Detail: detail}
}

func faulty(name, detail, fix string) envelope.Check {
	return envelope.Check{Name: name, Detail: detail, Fix: fix}
}

// checkTmux looks for tmux and its version.
func (e *environment) checkTmux(ctx context.Context) envelope.Check {
	path, err := exec.LookPath("tmux")
	if err != nil {
		return faulty("tmux", "not on PATH", installTmux())
	}
	version, err := tmuxio.Version(ctx, path)
	if err != nil {
		return faulty("tmux", fmt.Sprintf("%s: %v", path, err), installTmux()+", version "+tmuxio.MinVersion+" or newer")
	}
	return sound("tmux", fmt.Sprintf("%s at %s", version, path))
}

// checkServer says whether the server of this socket lives and answers.
func (e *environment) checkServer(ctx context.Context) envelope.Check {
	const name = "server"
	srv, err := e.server()
	if err != nil {
		return faulty(name, err.Error(), installTmux())
	}
	switch health := srv.Health(); health {
	case tmuxio.Gone, tmuxio.Dead:
		if pid := e.orphan(); pid != 0 {
			return faulty(name, fmt.Sprintf("tmux (process %d) runs, but its socket is gone", pid), fmt.Sprintf("kill -USR1 %d", pid))
		}
		return sound(name, "none runs; the first new starts it")
	case tmuxio.Overloaded:
		return faulty(name, "so many clients wait that it takes no more", "wait a moment; then "+e.line("ls"))
	}
	pid, err := srv.ServerPID()
	if err != nil {
		return faulty(name, err.Error(), "choose another socket: pairmux --socket NAME …")
	}
	halted := func() bool {
		_, stopped, _ := detect.Process(pid)
		return stopped
	}
	asleep := faulty(name, fmt.Sprintf("tmux (process %d) is stopped", pid), fmt.Sprintf("kill -CONT %d", pid))
	if halted() {
		return asleep
	}
	limit, cancel := context.WithTimeout(ctx, tmuxio.DefaultTimeout)
	defer cancel()
	panes, err := srv.Panes(limit)
	if err != nil && halted() { // by a signal that came just now
		return asleep
	}
	if err != nil {
		return faulty(name, fmt.Sprintf("tmux (process %d): %v", pid, err), fmt.Sprintf("if it stays so: kill %d, which ends its terminals; their journals stay", pid))
	}
	return sound(name, fmt.Sprintf("process %d, %s", pid, many(len(panes), "terminal")))
}

func many(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// orphan is the living server of a terminal of ours, 0 if none lives.
func (e *environment) orphan() int {
	names, _ := journal.Terminals(e.root, e.endpoint)
	for _, name := range names {
		if j, err := journal.Find(e.root, e.endpoint, name); err == nil {
			t := e.wrap(name, j)
			life := t.life()
			_ = j.Close()
			if life != gone {
				return t.meta.ServerPID
			}
		}
	}
	return 0
}

// longestSocket is what fits into a socket's address everywhere.
const longestSocket = 103

// checkSocket looks at the socket's path and its directory.
func (e *environment) checkSocket() envelope.Check {
	const name = "socket"
	path := e.endpoint.Path()
	if len(path) > longestSocket {
		return faulty(name, fmt.Sprintf("%s is %d bytes long, %d are possible", path, len(path), longestSocket), "set TMUX_TMPDIR to a shorter directory")
	}
	detail := fmt.Sprintf("%s at %s", e.socket, path)
	dir := filepath.Dir(path)
	st, err := os.Stat(dir)
	if os.IsNotExist(err) {
		if parent := filepath.Dir(dir); unix.Access(parent, unix.W_OK|unix.X_OK) != nil {
			return faulty(name, parent+" is not a directory you can write to", "export TMUX_TMPDIR=/tmp, or make that directory yours")
		}
		return sound(name, detail)
	}
	if err != nil {
		return faulty(name, err.Error(), "export TMUX_TMPDIR=/tmp, or make that directory yours")
	}
	if sys, ok := st.Sys().(*syscall.Stat_t); !st.IsDir() || ok && int(sys.Uid) != os.Getuid() || st.Mode().Perm()&0o077 != 0 {
		return faulty(name, dir+" must be a directory of yours that nobody else may enter", "chmod 700 "+detect.Quote(dir)+", or export TMUX_TMPDIR to a directory of your own")
	}
	return sound(name, detail)
}

// scarce is how little room on the disk is too little.
const scarce = 64 << 20

// checkState looks at the state directory: writable, room, what it keeps.
func (e *environment) checkState() envelope.Check {
	const name = "state"
	dir := e.root
	for { // the nearest directory that exists
		st, err := os.Stat(dir)
		if err == nil && !st.IsDir() {
			return faulty(name, dir+" is not a directory", "set PAIRMUX_STATE_DIR, or remove "+detect.Quote(dir))
		}
		if err == nil {
			break
		}
		if !os.IsNotExist(err) || filepath.Dir(dir) == dir {
			return faulty(name, err.Error(), "set PAIRMUX_STATE_DIR to a directory of yours")
		}
		dir = filepath.Dir(dir)
	}
	if err := unix.Access(dir, unix.W_OK|unix.X_OK); err != nil {
		return faulty(name, fmt.Sprintf("%s is not writable: %v", dir, err), "make it yours, or set PAIRMUX_STATE_DIR to a directory of yours")
	}
	var room unix.Statfs_t
	if unix.Statfs(dir, &room) == nil {
		if free := uint64(room.Bavail) * uint64(room.Bsize); free < scarce {
			return faulty(name, fmt.Sprintf("%s has %s free: journals will have gaps", dir, bytesOf(int64(free))), "free some; "+e.line("prune", "--dry-run")+" shows what pairmux could")
		}
	}
	if dir != e.root {
		return sound(name, e.root+", to be made by the first new")
	}
	total, largest, most := kept(e.root)
	detail := fmt.Sprintf("%s, writable, %s kept", e.root, bytesOf(total))
	if largest != "" {
		detail += fmt.Sprintf(", most by %s (%s)", largest, bytesOf(most))
	}
	return sound(name, detail)
}

// kept is how much the journals take, and which terminal's takes most.
func kept(root string) (total int64, largest string, most int64) {
	spaces, _ := journal.Namespaces(root)
	for _, space := range append(spaces, root) {
		entries, _ := os.ReadDir(space)
		for _, entry := range entries {
			if !entry.IsDir() || space == root && entry.Name() == ".sockets" {
				continue
			}
			var n int64
			_ = filepath.WalkDir(filepath.Join(space, entry.Name()), func(_ string, d fs.DirEntry, err error) error {
				if err == nil && d.Type().IsRegular() {
					if st, err := d.Info(); err == nil {
						n += st.Size()
					}
				}
				return nil
			})
			total += n
			if n > most {
				largest, most = entry.Name(), n
			}
		}
	}
	return total, largest, most
}

// bytesOf is a size for people.
func bytesOf(n int64) string {
	for _, u := range []struct {
		size int64
		name string
	}{{1 << 30, "GiB"}, {1 << 20, "MiB"}, {1 << 10, "KiB"}} {
		if n >= u.size {
			return fmt.Sprintf("%.1f %s", float64(n)/float64(u.size), u.name)
		}
	}
	return fmt.Sprintf("%d B", n)
}

// checkNotifier looks for what wait --notify uses. Without one attached humans
// are still told, so its absence is no fault.
func checkNotifier() envelope.Check {
	const name = "notifier"
	if path, err := exec.LookPath(notifierName()); err == nil {
		return sound(name, path)
	}
	check := sound(name, "no "+notifierName()+" on PATH: wait --notify tells attached humans only")
	check.Fix = "install libnotify (the package libnotify-bin or libnotify) if this machine has a desktop"
	return check
}

// checkSecretPrompts looks at the user's own wordings of secrets.
func checkSecretPrompts() envelope.Check {
	const name = "secret-prompts"
	expr := os.Getenv("PAIRMUX_SECRET_PROMPT_RE")
	re, err := detect.SecretPattern(expr)
	switch {
	case err != nil:
		return faulty(name, "PAIRMUX_SECRET_PROMPT_RE is ignored: "+err.Error(), "correct or unset PAIRMUX_SECRET_PROMPT_RE; the syntax is RE2's")
	case re == nil:
		return sound(name, "the built-in wordings; PAIRMUX_SECRET_PROMPT_RE adds to them")
	}
	return sound(name, "the built-in wordings and "+expr)
}
