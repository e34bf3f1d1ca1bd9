package shape_test

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/pairmux/pairmux/shape"
)

func Example() {
	pane := "fetching\r\n 1%\r50%\r\x1b[K\x1b[32mdone\x1b[0m in 2 s\r\n"
	fmt.Println(shape.Text([]byte(pane), shape.Options{}))
	// Output:
	// fetching
	// done in 2 s
}

func ExampleRenderer() {
	r := shape.NewRenderer(shape.Options{Cols: 80, Rows: 2}, func(line []byte) {
		fmt.Printf("final: %s\n", line)
	})
	r.Write([]byte("one\r\ntwo\r\nPassword: "))
	r.Live(func(line []byte) bool {
		fmt.Printf("live: %s\n", line)
		return true
	})
	// Output:
	// final: one
	// live: two
	// live: Password:
}

func ExampleRender() {
	src := strings.NewReader("1\r\n2\r\n3\r\n4\r\n5\r\n")
	res, err := shape.Render(src, shape.Options{}, shape.Limits{Head: 1, Tail: 2, MaxBytes: 64 << 10})
	fmt.Println(res.Text, res.OmittedLines, err)
	// Output:
	// 1
	// …
	// 4
	// 5 2 <nil>
}

func ExampleGrep() {
	src := strings.NewReader("a\r\nb\r\n\x1b[31mer\x1b[1mror\x1b[m\r\nc\r\nd\r\ne\r\n")
	o := shape.GrepOptions{Pattern: regexp.MustCompile("error"), Context: 1}
	err := shape.Grep(context.Background(), src, o, func(n int64, line []byte, match bool) error {
		mark := "-"
		if match {
			mark = ":"
		}
		_, err := fmt.Printf("%d%s%s\n", n, mark, line)
		return err
	})
	fmt.Println(err)
	// Output:
	// 2-b
	// 3:error
	// 4-c
	// <nil>
}
