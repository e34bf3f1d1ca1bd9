package shape

import (
	"os"
	"os/exec"
	"testing"
)

// TestAPI keeps api.txt what go doc says, so that a change of the surface shows.
func TestAPI(t *testing.T) {
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
		t.Error("the exported names or their comments changed: go test -run TestAPI -update")
	}
}
