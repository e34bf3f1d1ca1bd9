package detect

import (
	"flag"
	"os"
	"os/exec"
	"testing"
)

var update = flag.Bool("update", false, "rewrite api.txt")

// The exported surface is api.txt: a change of it is visible in review.
func TestSurfaceIsAsCommitted(t *testing.T) {
	got, err := exec.Command("go", "doc", "-all", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("api.txt", got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("api.txt")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Error("the exported surface differs from api.txt; if that is meant: go test -run Surface -update .")
	}
}
