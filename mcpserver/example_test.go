package mcpserver_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/pairmux/pairmux/mcpserver"
)

// A client that only asks whether the server is there.
func ExampleServe() {
	in := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n")
	config := mcpserver.Config{Executable: "/usr/local/bin/pairmux", Version: "1.0.0"}
	if err := mcpserver.Serve(context.Background(), in, os.Stdout, config); err != nil {
		fmt.Println(err)
	}
	// Output: {"jsonrpc":"2.0","id":1,"result":{}}
}

// What a call of a tool becomes.
func ExampleTool_Invocation() {
	for _, tool := range mcpserver.Tools() {
		if tool.Name != "pairmux_send" {
			continue
		}
		inv, err := tool.Invocation([]byte(`{"terminal":"build","text":"y","enter":true}`))
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println("pairmux", strings.Join(inv.Argv, " "), "<", string(inv.Stdin))
	}
	// Output: pairmux send --stdin --enter --json -- build < y
}
