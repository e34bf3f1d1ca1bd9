package tmuxio

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// NameOption is the pane option that makes a pane a terminal of ours and holds
// its name.
const NameOption = "@pairmux_name"

// A WindowSpec describes the window of a new terminal.
type WindowSpec struct {
	// Name is the window's name and the value of [NameOption]. tmux expands
	// formats in window names; letters, digits, '-' and '_' are safe.
	Name string
	// Argv is run in the pane, with no shell in between.
	Argv []string
	// PipeCmd is a sh command that gets every byte of the pane on its stdin,
	// from the first on; "" for none. It is taken literally.
	PipeCmd string
	// Cols and Rows are the size while nobody is attached; 0 is the default.
	Cols, Rows int
	// Options are further options of the pane, such as "@key".
	Options map[string]string
}

// A Window is what tmux says of a window that it has just made.
type Window struct {
	PaneID, WindowID string // "%3", "@3": never used again in a server's life
	TTY              string // the pane's terminal device
	Version          string // of the server
	PanePID          int    // of Argv
	ServerPID        int
	ServerStart      int64 // seconds since 1970
}

const windowFormat = "#{pane_id}\t#{window_id}\t#{pane_tty}\t#{version}\t#{pane_pid}\t#{pid}\t#{start_time}"

// newest is the window that the chain has just made: with -a -t {end} it is
// always the last. A name would not do as a target, since an index wins over
// it ("3") and a human may have given it to another window.
const newest = "=" + SessionName + ":{end}"

// CreateWindow makes the window in one client call, starting the server if
// need be, so that not a byte of output is lost and no other call sees it half
// made. A server that ends just then ("the last terminal was closed") is
// started anew, three times at most. It does not look whether the name is in
// use. The size that the pane's program sees in its first instructions can be
// another while a human is attached (up to 3.6b): a launcher sets it itself.
func (s *Server) CreateWindow(ctx context.Context, spec WindowSpec) (Window, error) {
	args := createArgs(spec)
	for attempt := 0; ; attempt++ {
		w, err := s.createOnce(ctx, args)
		if err == nil || attempt == 3 || !(errors.Is(err, ErrServerExited) || errors.Is(err, ErrNoServer)) {
			return w, err
		}
		select {
		case <-ctx.Done():
			return w, err
		case <-time.After(30 * time.Millisecond):
		}
	}
}

func (s *Server) createOnce(ctx context.Context, args []string) (Window, error) {
	// A server keeps the umask of whoever started it.
	c := &Call{s: s, name: "new-window", args: args, umask: 0o077}
	if err := c.start(); err != nil {
		return Window{}, err
	}
	out, err := c.Wait(ctx)
	if err != nil {
		return Window{}, err
	}
	w, ok := parseWindow(out)
	if !ok {
		// The client of a server that is told to end exits with 0.
		return Window{}, &Error{Op: "new-window", Stderr: strings.TrimSpace(out), Err: ErrServerExited}
	}
	return w, nil
}

func createArgs(spec WindowSpec) []string {
	cols, rows := strconv.Itoa(DefaultCols), strconv.Itoa(DefaultRows)
	if spec.Cols > 0 && spec.Rows > 0 {
		cols, rows = strconv.Itoa(spec.Cols), strconv.Itoa(spec.Rows)
	}
	argv := spec.Argv
	if len(argv) == 1 {
		// tmux gives a single word to a shell.
		argv = []string{"/usr/bin/env", "--", argv[0]}
	}
	command := append([]string{"--"}, argv...)
	window := append([]string{"new-window", "-d", "-a", "-t", newest, "-n", spec.Name}, command...)
	session := append([]string{"new-session", "-d", "-s", SessionName, "-n", spec.Name, "-x", cols, "-y", rows}, command...)

	cmds := [][]string{{"start-server"}}
	cmds = append(cmds, settings()...)
	cmds = append(cmds,
		// Decided inside the server, so two calls cannot both make a session.
		[]string{"if-shell", "-F", "#{m:*|" + SessionName + "|*,#{S:|#{session_name}|}}", commandString(window), commandString(session)},
		[]string{"set", "-p", "-t", newest, NameOption, spec.Name},
		[]string{"set", "-w", "-t", newest, "@pmw", cols},
		[]string{"set", "-w", "-t", newest, "@pmh", rows},
	)
	for _, k := range slices.Sorted(maps.Keys(spec.Options)) {
		cmds = append(cmds, []string{"set", "-p", "-t", newest, "--", k, spec.Options[k]})
	}
	if spec.PipeCmd != "" {
		cmds = append(cmds, []string{"pipe-pane", "-t", newest, "--", FormatLiteral(spec.PipeCmd)})
	}
	cmds = append(cmds,
		// 3.2a ignores -x and -y, 3.3a to 3.5a take an attached human's size.
		[]string{"resize-window", "-t", newest, "-x", cols, "-y", rows},
		[]string{"display-message", "-p", "-t", newest, windowFormat},
	)
	return Chain(cmds...)
}

func parseWindow(out string) (w Window, ok bool) {
	f := strings.Split(strings.TrimSpace(out), "\t")
	if len(f) != 7 || !strings.HasPrefix(f[0], "%") {
		return Window{}, false
	}
	w = Window{PaneID: f[0], WindowID: f[1], TTY: f[2], Version: f[3]}
	w.PanePID = number(f[4])
	w.ServerPID = number(f[5])
	w.ServerStart, _ = strconv.ParseInt(f[6], 10, 64)
	return w, true
}

// number reads a count in tmux's output, where absent is 0.
func number(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}
