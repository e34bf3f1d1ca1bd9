package mcptest

import (
	"bytes"
	"strings"
	"testing"
)

// steps are what scenario.mjs reports, so that a step that was not taken fails.
const steps = `ok initialize
ok tools/list
ok new
ok run
ok send
ok wait
ok log
ok history
ok errors
ok cancellation
ok large reply
ok kill
ok close
`

func TestTypeScriptSDKs(t *testing.T) {
	for _, c := range []struct {
		name string
		argv []string
	}{
		{"v1", []string{"v1.mjs"}},
		{"v2 legacy", []string{"v2.mjs", "legacy", "2025-11-25"}},
		{"v2 auto", []string{"v2.mjs", "auto", "2026-07-28"}},
		{"v2 stateless only", []string{"v2.mjs", "pin", "2026-07-28"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			argv := append([]string{c.argv[0], binary}, c.argv[1:]...)
			cmd := w.node(needClients(t), argv...)
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			out, err := cmd.Output()
			if err != nil || strings.ReplaceAll(string(out), "\r", "") != steps {
				t.Fatalf("%v\n%s%s", err, out, stderr.String())
			}
		})
	}
}
