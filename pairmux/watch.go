package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// watch shows all terminals and who needs a human first, for as long as a human
// looks; without a terminal it prints what there is once.

// watchFloor is the shortest interval: looking takes time too.
const watchFloor = 100 * time.Millisecond

func runWatch(c *call) *outcome {
	every := c.duration("interval")
	if every < watchFloor {
		return usage("--interval "+c.text("interval")+": want at least "+formatDuration(watchFloor), "pairmux help watch")
	}
	r := newRoster(c.env, every)
	if !isTerminal(os.Stdin) || !isTerminal(os.Stdout) || os.Getenv("TERM") == "dumb" || os.Getenv("TERM") == "" {
		if _, err := r.round(c.ctx); err != nil {
			return internal(err)
		}
		rows := r.rows()
		return &outcome{raw: func(w io.Writer) error { return writeSnapshot(w, c.env.socket, rows, time.Now()) }}
	}
	screen, err := openScreen(os.Stdin, os.Stdout)
	if err != nil {
		return internal(err)
	}
	defer screen.close()
	return newWatcher(c.env, r, screen).run(c.ctx)
}

// writeSnapshot prints all rows as they are, with the texts of the notes.
func writeSnapshot(w io.Writer, socket string, rows []watchRow, now time.Time) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", watchHeader(socket, rows, now))
	if len(rows) == 0 {
		b.WriteString("no terminals\n")
	} else {
		cols := measure(rows, 0)
		b.WriteString(strings.TrimRight(cols.heads(), " ") + "\n")
		for i := range rows {
			b.WriteString(strings.TrimRight(cols.line(&rows[i], now), " ") + "\n")
			for _, note := range rows[i].notes {
				b.WriteString("   note: " + tame(note) + "\n")
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
