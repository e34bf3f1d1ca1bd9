package shape

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write what is found as what is wanted")

// TestRedraws renders what real programs wrote to a terminal of 200 by 50:
// docker-pull, pip, cargo, npm and git-clone are recorded, the others written
// after their sources.
func TestRedraws(t *testing.T) {
	files, err := filepath.Glob("testdata/redraw/*.pane")
	if err != nil || len(files) < 8 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".pane")
		t.Run(name, func(t *testing.T) {
			in, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			golden := strings.TrimSuffix(file, ".pane") + ".txt"
			got := Text(in, Options{}) + "\n"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			if fault := check(in, 200, 50, 1); fault != "" {
				t.Error(fault)
			}
		})
	}
}
