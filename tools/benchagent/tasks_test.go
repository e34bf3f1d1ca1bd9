package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestEveryTaskIsDone does all tasks in all ways: a task checks its own result.
func TestEveryTaskIsDone(t *testing.T) {
	bin := filepath.Join(t.TempDir(), "pairmux")
	build := exec.Command("go", "build", "-buildvcs=false", "-tags", "urfave_cli_no_docs,urfave_cli_no_suggest", "-o", bin, ".")
	build.Dir = filepath.Join("..", "..", "pairmux")
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	// A group, so that the binary is there until the last of them.
	t.Run("task", func(t *testing.T) {
		for _, task := range tasks() {
			t.Run(task.name, func(t *testing.T) {
				t.Parallel()
				f, err := measure(bin, task)
				if err != nil {
					t.Fatal(err)
				}
				if f.CommandLine.Calls == 0 || f.MCP.Calls == 0 || f.MCP.Bytes == 0 {
					t.Errorf("nothing was counted: %+v", f)
				}
				if f.TmuxLeast.Calls > f.Tmux.Calls || f.TmuxLeast.Bytes > f.Tmux.Bytes {
					t.Errorf("the floor %v is over what was paid, %v", f.TmuxLeast, f.Tmux)
				}
			})
		}
	})
}
