package main

import (
	"context"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/pairmux/pairmux/envelope"
)

// notifyPatience bounds how long a notifier may take.
const notifyPatience = 2 * time.Second

// notify tells a human, once, that a wait needs one: on the desktop and on the
// status line of attached clients. Nothing that the pane shows is told. It does
// not block; a warning, or "" if somebody could be told, comes from the channel.
func notify(e *environment, o *waitOptions, all []*waiter) chan string {
	message := notification(e, o, all)
	done := make(chan string, 1)
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), notifyPatience)
		defer cancel()
		if srv, err := e.server(); err == nil {
			_ = srv.DisplayMessage(ctx, message)
		}
		if argv := notifier(message); argv == nil {
			done <- "no desktop notification: no " + notifierName() + " on PATH; only attached clients were told"
		} else if err := exec.CommandContext(ctx, argv[0], argv[1:]...).Run(); err != nil {
			done <- "no desktop notification: " + notifierName() + ": " + err.Error() + "; only attached clients were told"
		} else {
			done <- ""
		}
	}()
	return done
}

// notification says which terminals wait, for what, and where to go.
func notification(e *environment, o *waitOptions, all []*waiter) string {
	names := make([]string, len(all))
	what := ""
	for i, w := range all {
		names[i] = w.t.name
		if p := w.s.prompt; p != nil && w.s.status == envelope.StatusAwaitingInput && what == "" {
			what = "asks for input (" + string(p.Kind) + ")"
			if p.Kind == envelope.KindSecret {
				what = "asks for a secret"
			}
		}
	}
	switch {
	case what != "":
	case o.human || o.note:
		what = "waits for a human"
	default:
		what = "is being waited for"
	}
	return strings.Join(names, ", ") + " " + what + ": " + e.line("attach", names[0])
}

func notifierName() string {
	if runtime.GOOS == "darwin" {
		return "osascript"
	}
	return "notify-send"
}

// notifier is the command that shows a message on the desktop, nil if there is
// none.
func notifier(message string) []string {
	path, err := exec.LookPath(notifierName())
	if err != nil {
		return nil
	}
	if runtime.GOOS == "darwin" {
		quoted := `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(message) + `"`
		return []string{path, "-e", "display notification " + quoted + ` with title "pairmux"`}
	}
	return []string{path, "--app-name=pairmux", "--", "pairmux", message}
}
