package envelope_test

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/pairmux/pairmux/envelope"
)

func Example() {
	line := []byte(`{"schema":"pairmux.v1","ok":true,"status":"done","terminal":"build","exit_code":2,"output":"make: *** Error 2"}`)
	r, err := envelope.Decode(line)
	if err != nil {
		panic(err)
	}
	if r.Status == envelope.StatusDone && r.ExitCode != nil {
		fmt.Println("exit", *r.ExitCode)
	}
	// Output: exit 2
}

func ExampleReply_WriteJSON() {
	r := envelope.New(envelope.StatusAwaitingInput)
	r.Terminal, r.Mode = "deploy", envelope.ModeHooks
	r.Prompt = &envelope.Prompt{Kind: envelope.KindConfirm, Evidence: envelope.EvidenceTTY}
	r.Next = []string{"pairmux send deploy --text <answer> --enter"}
	if err := r.WriteJSON(os.Stdout); err != nil {
		panic(err)
	}
	// Output: {"schema":"pairmux.v1","ok":true,"status":"awaiting-input","terminal":"deploy","mode":"hooks","prompt":{"kind":"confirm","evidence":"tty"},"next":["pairmux send deploy --text <answer> --enter"]}
}

func ExampleReply_WriteText() {
	r := envelope.New(envelope.StatusDone)
	r.Terminal, r.CmdID = "build", 3
	r.ExitCode, r.DurationMS = envelope.Int(0), envelope.Int(101)
	r.Output = "hello\nnext: this is output"
	r.Notes = []string{"use the staging token"}
	if err := r.WriteText(os.Stdout, envelope.TextOptions{}); err != nil {
		panic(err)
	}
	// Output:
	// done  build  exit 0  101 ms  cmd 3
	//   hello
	//   next: this is output
	// note: use the staging token
}

func ExampleReply_StreamText() {
	r := envelope.New(envelope.StatusOK)
	r.Terminal = "build"
	err := r.StreamText(os.Stdout, envelope.TextOptions{}, func(w io.Writer) error {
		for n := range 3 {
			if _, err := fmt.Fprintf(w, "line %d\n", n); err != nil {
				return err
			}
		}
		_, err := io.WriteString(w, "end")
		r.Cursor = envelope.Int(24)
		return err
	})
	if err != nil {
		panic(err)
	}
	// Output:
	// ok  build
	//   line 0
	//   line 1
	//   line 2
	//   end
	// cursor: 24
}

func ExampleFail() {
	r := envelope.Fail(envelope.CodeNoTerminal, `no terminal "biuld"; there is: build`, "pairmux peek build")
	if err := r.WriteText(os.Stdout, envelope.TextOptions{}); err != nil {
		panic(err)
	}
	// Output:
	// error E_NO_TERMINAL: no terminal "biuld"; there is: build
	// next: pairmux peek build
}

func ExampleDecode() {
	_, err := envelope.Decode([]byte(`{"schema":"pairmux.v2","ok":true}`))
	fmt.Println(errors.Is(err, envelope.ErrSchema), err)
	// Output: true unknown reply schema: found "pairmux.v2", can read "pairmux.v1"
}
