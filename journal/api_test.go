package journal

import (
	"flag"
	"os"
	"os/exec"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite api.txt")

// A change of the surface has to show in review.
func TestAPI(t *testing.T) {
	doc := exec.Command("go", "doc", "-all", ".")
	doc.Stderr = os.Stderr
	got, err := doc.Output()
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
		t.Error("api.txt is not what go doc -all prints; go test -run TestAPI -update rewrites it")
	}
}

// Third parties get this module and two others, nothing of the house.
func TestDependencies(t *testing.T) {
	list := exec.Command("go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", ".")
	list.Stderr = os.Stderr
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range strings.Fields(string(out)) {
		switch {
		case path == "github.com/pairmux/pairmux/journal",
			strings.HasPrefix(path, "github.com/fsnotify/fsnotify"),
			strings.HasPrefix(path, "golang.org/x/sys/"):
		default:
			t.Errorf("imports %s", path)
		}
	}
}
