package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/pairmux/pairmux/envelope"
	"github.com/pairmux/pairmux/journal"
	"github.com/pairmux/pairmux/tmuxio"
)

// A watcher runs the dashboard: it brings together what the human does, what
// the terminals do, and the clock.
type watcher struct {
	env    *environment
	roster *roster
	screen *screen
	board  dashboard

	signals  chan os.Signal
	keys     chan []keyPress
	rows     chan []watchRow
	pictures chan picture

	subject subject // whose picture is being taken
	stop    context.CancelFunc
}

// A subject is taken anew when another terminal is selected, has the name, or
// when its screen is no longer there.
type subject struct {
	j    *journal.Journal
	pane string
	live bool
}

const (
	// glance is how often the journals' sizes are looked at.
	glance = 250 * time.Millisecond
	// frameEvery bounds how often the screen is drawn.
	frameEvery = 25 * time.Millisecond
)

func newWatcher(env *environment, r *roster, s *screen) *watcher {
	w := &watcher{
		env: env, roster: r, screen: s, signals: make(chan os.Signal, 4),
		keys: make(chan []keyPress), rows: make(chan []watchRow, 1), pictures: make(chan picture, 1),
		stop: func() {},
	}
	w.board.socket = env.socket
	w.board.color = os.Getenv("NO_COLOR") == ""
	return w
}

// run shows the dashboard until the human leaves it or a signal ends it.
func (w *watcher) run(ctx context.Context) *outcome {
	signal.Notify(w.signals, syscall.SIGWINCH, syscall.SIGCONT, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(w.signals)
	ctx, cancel := context.WithCancel(ctx)
	looking := make(chan error, 1)
	go func() { looking <- w.look(ctx) }()
	err := w.screen.take(w.keys)
	out := &outcome{raw: nothing}
	if err == nil {
		out, err = w.loop(ctx, looking)
	}
	cancel()
	w.stop()
	w.screen.release()
	if err != nil {
		return internal(err)
	}
	return out
}

// look keeps the rows coming; the newest are all that matters.
func (w *watcher) look(ctx context.Context) error {
	for first := true; ; first = false {
		changed, err := w.roster.round(ctx)
		if err != nil {
			return err
		}
		if changed || first {
			latest(w.rows, w.roster.rows())
		}
		if !rest(ctx, glance) {
			return nil
		}
	}
}

// latest leaves v in the channel, in place of what nobody has taken.
func latest[T any](c chan T, v T) {
	for {
		select {
		case c <- v:
			return
		default:
		}
		select {
		case <-c:
		default:
		}
	}
}

func (w *watcher) loop(ctx context.Context, looking <-chan error) (*outcome, error) {
	w.board.cols, w.board.lines = w.screen.size()
	var drawn time.Time
	for {
		now := time.Now()
		next := time.Duration(0)
		if wait := frameEvery - now.Sub(drawn); wait > 0 {
			next = wait
		} else {
			if err := w.screen.draw(w.board.draw(now)); err != nil {
				return nil, err
			}
			drawn = now
			next = now.Truncate(time.Second).Add(time.Second).Sub(now)
		}
		// What comes within a frame's time is drawn together.
		tick := time.NewTimer(next)
		select {
		case keys := <-w.keys:
			for _, k := range keys {
				a := w.board.press(k)
				if out, err := w.do(ctx, a); out != nil || err != nil {
					return out, err
				}
				if a == doAttach {
					break // what was typed behind it was not meant for the list
				}
			}
			w.follow(ctx)
		case rows := <-w.rows:
			w.board.setRows(rows)
			w.follow(ctx)
		case p := <-w.pictures:
			w.board.picture = p
		case err := <-looking:
			return nil, err
		case s := <-w.signals:
			switch s {
			case syscall.SIGWINCH:
				w.board.cols, w.board.lines = w.screen.size()
				w.screen.forget()
			case syscall.SIGCONT: // whoever had the terminal may have left it otherwise
				w.screen.release()
				if err := w.screen.take(w.keys); err != nil {
					return nil, err
				}
			default:
				return &outcome{raw: nothing, exit: 128 + int(s.(syscall.Signal))}, nil
			}
		case <-tick.C:
		}
		tick.Stop()
	}
}

// do carries out what a key asked for.
func (w *watcher) do(ctx context.Context, a action) (*outcome, error) {
	switch a {
	case doQuit:
		return &outcome{raw: nothing}, nil
	case doRedraw:
		w.screen.forget()
	case doNote:
		n := w.board.writing
		w.board.writing = nil
		w.board.notice = told(runNote(&call{ctx: ctx, env: w.env, args: []string{n.name, n.text}}), "the note to "+n.name+" is left")
	case doAttach:
		if r := w.board.row(); r != nil {
			return nil, w.attach(ctx, r)
		}
	}
	return nil, nil
}

// told is an outcome in one line.
func told(out *outcome, well string) string {
	if out.reply.Error == nil {
		return well
	}
	return string(out.reply.Error.Code) + ": " + out.reply.Error.Message
}

// follow takes pictures of the selected terminal.
func (w *watcher) follow(ctx context.Context) {
	var now subject
	r := w.board.row()
	if r != nil && r.t != nil {
		now = subject{j: r.t.j, pane: r.t.meta.PaneID, live: r.Status != envelope.StatusDead}
	}
	if w.subject == now {
		return
	}
	w.stop()
	w.subject = now
	w.stop = func() {}
	if now.j == nil {
		return
	}
	ctx, w.stop = context.WithCancel(ctx)
	go r.t.film(ctx, now.live, func(p picture) { latest(w.pictures, p) })
}

// lendPatience bounds how long the dashboard stands still while tmux is asked.
const lendPatience = 2 * time.Second

// attach lends the terminal to a tmux client until the human detaches.
func (w *watcher) attach(ctx context.Context, r *watchRow) error {
	argv, env, problem := w.client(ctx, r.Name)
	if problem != nil {
		w.board.notice = told(problem, "")
		return nil
	}
	w.screen.release()
	if err := w.lend(argv, env); err != nil {
		w.board.notice = "tmux: " + err.Error()
	}
	w.board.cols, w.board.lines = w.screen.size()
	return w.screen.take(w.keys)
}

// client is the command that shows a terminal.
func (w *watcher) client(ctx context.Context, name string) (argv, env []string, problem *outcome) {
	ctx, cancel := context.WithTimeout(ctx, lendPatience)
	defer cancel()
	if problem := w.env.humanHere(ctx, name); problem != nil {
		return nil, nil, problem
	}
	t, problem := w.env.open(name)
	if problem != nil {
		return nil, nil, problem
	}
	srv, spec, problem := t.view(ctx)
	if problem != nil {
		return nil, nil, problem
	}
	spec.Keys = tmuxio.UserKeys(ctx, srv.Binary(), os.Environ())
	argv, env = srv.AttachCommand(spec)
	return argv, env, nil
}

// lend runs the client. A signal that ends the dashboard ends the client first,
// and is kept for the loop.
func (w *watcher) lend(argv, env []string) error {
	var said strings.Builder
	child := exec.Command(argv[0], argv[1:]...)
	child.Env, child.Stdin, child.Stdout, child.Stderr = env, os.Stdin, os.Stdout, &said
	if err := child.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- child.Wait() }()
	for {
		select {
		case err := <-ended:
			if err != nil {
				return fmt.Errorf("%w %s", err, firstLine(said.String()))
			}
			return nil
		case s := <-w.signals:
			if s == syscall.SIGWINCH || s == syscall.SIGCONT {
				continue
			}
			_ = child.Process.Signal(syscall.SIGTERM)
			err := <-ended
			for len(w.signals) > 0 {
				<-w.signals
			}
			w.signals <- s
			return err
		}
	}
}
