package tmuxio_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/pairmux/pairmux/tmuxio"
)

// A terminal from its creation to its end.
func Example() {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	s, err := tmuxio.New(tmuxio.Config{Label: "demo"})
	if err != nil {
		log.Fatal(err)
	}
	w, err := s.CreateWindow(ctx, tmuxio.WindowSpec{
		Name:    "build",
		Argv:    []string{"/bin/sh", "-i"},
		PipeCmd: "exec cat >>" + tmuxio.ShellQuote("/tmp/build.log"),
	})
	if err != nil {
		log.Fatal(err)
	}
	defer s.KillPane(ctx, w.PaneID)

	call, err := s.Type(tmuxio.TypeSpec{
		Pane: w.PaneID, Name: "build", ServerPID: w.ServerPID,
		Text: []byte("make all;"), Enter: true,
		NotAfter: time.Now().Add(5 * time.Second),
	})
	if err != nil {
		log.Fatal(err)
	}
	// The journal can be looked at while the client is still at work.
	report, err := call.Report(ctx)
	switch {
	case errors.Is(err, tmuxio.ErrNoTarget):
		fmt.Println("the terminal is gone")
	case err != nil:
		log.Fatal(err)
	case !report.Typed:
		fmt.Println("it takes no input")
	}
}

// Several commands in one client call.
func ExampleChain() {
	args := tmuxio.Chain(
		[]string{"set", "-p", "-t", "%0", "@note", "first; then this;"},
		[]string{"display-message", "-p", "-t", "%0", "#{@note}"},
	)
	fmt.Printf("%q\n", args)
	// Output: ["set" "-p" "-t" "%0" "@note" "first; then this\\;" ";" "display-message" "-p" "-t" "%0" "#{@note}"]
}

func ExampleKey() {
	for _, name := range []string{"Enter", "c-C", "S-Tab", "y"} {
		key, err := tmuxio.Key(name)
		fmt.Println(key, err)
	}
	// Output:
	// Enter <nil>
	// C-c <nil>
	// BTab <nil>
	//  key "y" is text: use --text
}
