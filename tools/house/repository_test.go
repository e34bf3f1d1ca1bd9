package house

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const prefix = "github.com/pairmux/pairmux/"

// modules of the repository, and the siblings that each may import. A leaf has
// none; "*" stands for all.
var modules = map[string][]string{
	"detect":    nil,
	"envelope":  nil,
	"journal":   nil,
	"lockfile":  nil,
	"mcpserver": {"envelope"},
	"pairmux":   {"*"},
	"shape":     nil,
	"skillpack": nil,
	"tmuxio":    nil,
	"tools":     {"*"},
}

func names() []string {
	var all []string
	for m := range modules {
		all = append(all, m)
	}
	slices.Sort(all)
	return all
}

// library says whether others import the module.
func library(module string) bool { return module != "pairmux" && module != "tools" }

func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// output runs a command in a directory of the repository, outside the
// workspace.
func output(t *testing.T, dir string, argv ...string) string {
	t.Helper()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = filepath.Join(root(t), dir)
	cmd.Env = append(os.Environ(), "GOWORK=off")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %s: %v\n%s", dir, strings.Join(argv, " "), err, stderr.String())
	}
	return string(out)
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root(t), path))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// modFile is what `go mod edit -json` and `go work edit -json` print.
type modFile struct {
	Module  struct{ Path string }
	Go      string
	Use     []struct{ DiskPath string }
	Require []struct {
		Path, Version string
		Indirect      bool
	}
	Replace []struct {
		Old struct{ Path, Version string }
		New struct{ Path, Version string }
	}
	Exclude   []json.RawMessage
	Retract   []json.RawMessage
	Godebug   []json.RawMessage
	Toolchain string
}

func decode(t *testing.T, text string) modFile {
	t.Helper()
	var m modFile
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// tracked lists the files that git has or would take.
func tracked(t *testing.T) []string {
	t.Helper()
	// The checkout may belong to another user, as in a container.
	out := output(t, ".", "git", "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	return strings.Split(strings.TrimRight(out, "\x00"), "\x00")
}
