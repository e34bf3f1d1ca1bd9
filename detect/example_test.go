package detect_test

import (
	"fmt"

	"github.com/pairmux/pairmux/detect"
)

func Example() {
	pane := "\x1b]133;A;aid=s3cret;n=1\a$ \x1b]133;B;aid=s3cret;n=1\amake\r\n" +
		"\x1b]133;C;aid=s3cret;n=1\aok\r\n" +
		"\x1b]133;D;0\a" + // printed by some file: not this shell's
		"\x1b]133;D;2;aid=s3cret;n=1\a"
	machine := detect.Machine{AID: "s3cret"}
	var scanner detect.Scanner
	scanner.Feed([]byte(pane), 0, func(m detect.Mark) {
		if machine.Feed(m) == detect.Finished {
			fmt.Println("exit", machine.Last.Status)
			fmt.Printf("%q\n", pane[machine.Last.Start:machine.Last.End])
		}
	})
	// Output:
	// exit 2
	// "ok\r\n\x1b]133;D;0\a"
}

func ExampleWording() {
	for _, line := range []string{"Password: ", "Continue? [Y/n] ", "Building... "} {
		kind, asks := detect.Wording(line, nil)
		fmt.Println(kind, asks)
	}
	// Output:
	// secret true
	// confirm true
	//  false
}
