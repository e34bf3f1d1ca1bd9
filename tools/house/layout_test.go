package house

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestModulesAreListed fails when a directory with a go.mod is not in the
// table of this package, or the other way round.
func TestModulesAreListed(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root(t), "*", "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, f := range files {
		found = append(found, filepath.Base(filepath.Dir(f)))
	}
	if !slices.Equal(found, names()) {
		t.Errorf("modules in the tree: %v\nin the table: %v", found, names())
	}
}

func TestModuleFiles(t *testing.T) {
	licence := read(t, "LICENSE")
	for _, m := range names() {
		t.Run(m, func(t *testing.T) {
			want := []string{"go.mod", "doc.go", "README.md", "CHANGELOG.md", "LICENSE"}
			if library(m) {
				want = append(want, "api.txt", "example_test.go")
			}
			if m == "envelope" || m == "journal" {
				want = append(want, "SPEC.md", "testdata", "vectors.go")
			}
			for _, f := range want {
				if _, err := os.Stat(filepath.Join(root(t), m, f)); err != nil {
					t.Errorf("%s/%s is missing", m, f)
				}
			}
			if read(t, filepath.Join(m, "LICENSE")) != licence {
				t.Errorf("%s/LICENSE differs from the one at the top", m)
			}
		})
	}
}

func TestReadmesAreShort(t *testing.T) {
	for _, m := range names() {
		data, err := os.ReadFile(filepath.Join(root(t), m, "README.md"))
		if err != nil {
			continue // TestModuleFiles reports it
		}
		if n := strings.Count(string(data), "\n"); n >= 40 {
			t.Errorf("%s/README.md has %d lines, and should have fewer than 40", m, n)
		}
	}
}

// TestDocGoIsOnlyAComment: the package comment stands alone, so that it is
// found and read first.
func TestDocGoIsOnlyAComment(t *testing.T) {
	for _, m := range names() {
		files, err := filepath.Glob(filepath.Join(root(t), m, "doc.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			file, err := parser.ParseFile(token.NewFileSet(), f, nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			if file.Doc == nil || len(file.Decls) > 0 {
				t.Errorf("%s/doc.go: want a package comment and nothing else", m)
			}
		}
	}
}

func TestFilesAreNamedForAConcept(t *testing.T) {
	for _, f := range tracked(t) {
		if filepath.Ext(f) != ".go" {
			continue
		}
		switch strings.TrimSuffix(strings.TrimSuffix(filepath.Base(f), ".go"), "_test") {
		case "util", "utils", "helpers", "types", "common", "misc":
			t.Errorf("%s is named for no concept", f)
		}
	}
}

// TestNothingNamesThisMachine: a file that names the directory of a checkout
// works in that one only.
func TestNothingNamesThisMachine(t *testing.T) {
	places := []string{root(t) + "/", root(t) + `"`, "/" + "work/"}
	for _, f := range tracked(t) {
		data, err := os.ReadFile(filepath.Join(root(t), f))
		if os.IsNotExist(err) {
			continue // deleted, not yet committed
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range places {
			if strings.Contains(string(data), p) {
				t.Errorf("%s names %s", f, p)
			}
		}
	}
}
