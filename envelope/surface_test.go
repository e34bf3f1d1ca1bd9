package envelope

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The exported surface is committed, so that a change of it shows in review.
func TestSurface(t *testing.T) {
	golden(t, "api.txt", command(t, "go", "doc", "-all", "."))
}

// Whoever imports the reply's types imports nothing else; nor do these tests.
func TestStandardLibraryAlone(t *testing.T) {
	out := command(t, "go", "list", "-deps", "-test", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", ".")
	for line := range strings.Lines(string(out)) {
		if path, _, _ := strings.Cut(strings.TrimSpace(line), " "); strings.TrimSuffix(strings.TrimSuffix(path, ".test"), "_test") != "github.com/pairmux/pairmux/envelope" {
			t.Errorf("depends on %q", path)
		}
	}
}

// Every numbered clause of the specification is named by a test.
func TestEveryClauseIsNamedByATest(t *testing.T) {
	spec, err := os.ReadFile("SPEC.md")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	number := regexp.MustCompile(`\b[1-9]\.\d+\b`)
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(b)) {
			if strings.HasPrefix(line, "// SPEC ") || strings.HasPrefix(line, "\t\t{\"") {
				for _, n := range number.FindAllString(line, -1) {
					named[n] = true
				}
			}
		}
	}
	clauses := regexp.MustCompile(`(?m)^\*\*(\d+\.\d+)\*\*`).FindAllSubmatch(spec, -1)
	if len(clauses) < 40 {
		t.Fatalf("%d clauses", len(clauses))
	}
	for _, c := range clauses {
		if !named[string(c[1])] {
			t.Errorf("no test names SPEC %s", c[1])
		}
	}
}

func command(t *testing.T, name string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), "GOWORK=off")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v", cmd, err)
	}
	return out
}
