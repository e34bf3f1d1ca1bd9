// Outside lists the terminals of the default tmux server, follows one until its
// next command has ended, and prints what that command printed.
//
//	outside STATE-ROOT NAME
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"time"

	"github.com/pairmux/pairmux/journal"
)

func main() {
	root, name := os.Args[1], os.Args[2]
	server := journal.Endpoint{TmuxTmpdir: os.Getenv("TMUX_TMPDIR"), UID: os.Getuid(), Socket: journal.DefaultSocket}
	names, err := journal.Terminals(root, server)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("terminals:", names)

	j, err := journal.Find(root, server, name)
	if err != nil {
		log.Fatal(err)
	}
	defer j.Close()
	before, err := j.MaxCmdID()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("following:", j.Meta().Name, j.Meta().Kind)

	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	f := j.Follow()
	defer f.Close()
	for {
		seen := f.Now()
		if end, ok := ended(j, before+1); ok {
			out, err := io.ReadAll(j.Section(end.Start, end.Offset))
			if err != nil {
				log.Fatal(err)
			}
			fmt.Printf("command %d: exit %d, output %q\n", end.CmdID, *end.ExitCode, out)
			return
		}
		if err := f.Wait(ctx, seen); err != nil {
			log.Fatal(err)
		}
	}
}

// ended finds the end of a command.
func ended(j *journal.Journal, id int64) (journal.Event, bool) {
	for e := range j.Backward() {
		if e.Type == journal.CmdEnd && e.CmdID == id {
			return e, true
		}
	}
	return journal.Event{}, false
}
