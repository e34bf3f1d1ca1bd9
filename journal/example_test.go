package journal_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"strings"

	"github.com/pairmux/pairmux/journal"
)

// List the terminals of a server, follow one, and read a command's output as
// soon as the command has ended.
func Example() {
	root, server := demo()
	defer os.RemoveAll(root)

	names, err := journal.Terminals(root, server)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("terminals:", names)

	j, err := journal.Find(root, server, "build")
	if err != nil {
		log.Fatal(err)
	}
	defer j.Close()
	go play(j) // the command that we wait for

	f := j.Follow()
	defer f.Close()
	for {
		seen := f.Now() // first the mark, then the look: nothing is missed
		for e := range j.Backward() {
			if e.Type != journal.CmdEnd {
				continue
			}
			out, err := io.ReadAll(j.Section(e.Start, e.Offset))
			if err != nil {
				log.Fatal(err)
			}
			fmt.Printf("command %d: exit %d, output %q\n", e.CmdID, *e.ExitCode, out)
			return
		}
		if err := f.Wait(context.Background(), seen); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// terminals: [build]
	// command 1: exit 2, output "ls: /nope: No such file or directory\r\n"
}

// Any program may leave an event; a note is shown to the agent with its next reply.
func ExampleJournal_Append() {
	root, server := demo()
	defer os.RemoveAll(root)
	j, err := journal.Find(root, server, "build")
	if err != nil {
		log.Fatal(err)
	}
	defer j.Close()
	if err := j.Append(journal.Event{Type: journal.Note, Text: "the staging database is back"}); err != nil {
		log.Fatal(err)
	}
	for e := range j.Backward() {
		fmt.Println(e.Type, e.Text)
		break
	}
	// Output:
	// note the staging database is back
}

// demo makes the terminal "build" of a server of its own.
func demo() (root string, server journal.Endpoint) {
	root, err := os.MkdirTemp("", "journal-example-")
	if err != nil {
		log.Fatal(err)
	}
	server = journal.Endpoint{UID: os.Getuid(), Socket: journal.DefaultSocket}
	j, err := journal.Create(journal.Namespace(root, server)+"/build", journal.Meta{Name: "build"})
	if err != nil {
		log.Fatal(err)
	}
	j.Close()
	return root, server
}

// play does what pairmux does while a command runs in the terminal.
func play(j *journal.Journal) {
	const echo, output = "$ ls /nope\r\n", "ls: /nope: No such file or directory\r\n"
	pane := strings.NewReader(echo + output)
	if err := journal.Pump(j.Dir(), pane, journal.PumpOptions{KeepSignals: true}); err != nil {
		log.Fatal(err)
	}
	code := int64(2)
	err := j.Append(journal.Event{
		Type: journal.CmdEnd, CmdID: 1, ExitCode: &code,
		Start: int64(len(echo)), Offset: int64(len(echo + output)),
	})
	if err != nil {
		log.Fatal(err)
	}
}
