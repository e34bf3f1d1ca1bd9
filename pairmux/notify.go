package main

import (
	"context"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// notify tells a human, once, that a wait needs one: on the desktop and on the
// status line of attached clients. No text of the pane is shown. It returns a
// warning when nobody could be told.
func notify(e *environment, t *terminal, o *waitOptions) string {
	what := "waits for a human"
	if !o.human && !o.note {
		what = "is being waited for"
	}
	message := t.name + " " + what + ": " + t.line("attach", t.name)
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	shown := false
	if srv, err := e.server(); err == nil {
		_ = srv.DisplayMessage(ctx, message)
	}
	for _, argv := range notifiers(message) {
		if path, err := exec.LookPath(argv[0]); err == nil {
			if exec.CommandContext(ctx, path, argv[1:]...).Run() == nil {
				shown = true
				break
			}
		}
	}
	if !shown {
		return "no desktop notification could be shown; only attached clients were told"
	}
	return ""
}

func notifiers(message string) [][]string {
	if runtime.GOOS == "darwin" {
		quoted := `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(message) + `"`
		return [][]string{{"osascript", "-e", "display notification " + quoted + ` with title "pairmux"`}}
	}
	return [][]string{{"notify-send", "--app-name=pairmux", "pairmux", message}}
}
