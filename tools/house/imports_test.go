package house

import (
	"slices"
	"strings"
	"testing"
)

// reached lists the siblings that a module's packages and tests import,
// directly or through others.
func reached(t *testing.T, module string) []string {
	t.Helper()
	var siblings []string
	for _, p := range strings.Fields(output(t, module, "go", "list", "-deps", "-test", "-f", "{{with .Module}}{{.Path}}{{end}}", "./...")) {
		s, ours := strings.CutPrefix(p, prefix)
		if ours && s != module && !slices.Contains(siblings, s) {
			siblings = append(siblings, s)
		}
	}
	slices.Sort(siblings)
	return siblings
}

func TestImportsFormAStar(t *testing.T) {
	for _, m := range names() {
		t.Run(m, func(t *testing.T) {
			may := modules[m]
			for _, s := range reached(t, m) {
				if !slices.Contains(may, s) && !slices.Contains(may, "*") {
					t.Errorf("%s imports %s", m, s)
				}
			}
		})
	}
}

func TestEnvelopeNeedsTheStandardLibraryAlone(t *testing.T) {
	out := output(t, "envelope", "go", "list", "-deps", "-test", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", "./...")
	for _, p := range strings.Split(strings.TrimSpace(out), "\n") {
		path, _, _ := strings.Cut(p, " ")
		path = strings.TrimSuffix(strings.TrimSuffix(path, ".test"), "_test")
		if path != prefix+"envelope" && !strings.HasPrefix(path, prefix+"envelope/") {
			t.Errorf("envelope depends on %s", p)
		}
	}
	if m := decode(t, output(t, "envelope", "go", "mod", "edit", "-json")); len(m.Require) > 0 {
		t.Errorf("envelope/go.mod requires %v", m.Require)
	}
}

// TestRequirementsMatchImports: each sibling that a module reaches is required
// and replaced by its directory, and no other is required.
func TestRequirementsMatchImports(t *testing.T) {
	for _, m := range names() {
		t.Run(m, func(t *testing.T) {
			mod := decode(t, output(t, m, "go", "mod", "edit", "-json"))
			if mod.Module.Path != prefix+m {
				t.Errorf("the module's path is %s, want %s", mod.Module.Path, prefix+m)
			}
			var required []string
			for _, r := range mod.Require {
				if s, ours := strings.CutPrefix(r.Path, prefix); ours {
					required = append(required, s)
				}
			}
			slices.Sort(required)
			if want := reached(t, m); !slices.Equal(required, want) {
				t.Errorf("requires the siblings %v, but reaches %v", required, want)
			}
			var replaced []string
			for _, r := range mod.Replace {
				s, ours := strings.CutPrefix(r.Old.Path, prefix)
				if !ours || r.New.Path != "../"+s || r.New.Version != "" {
					t.Errorf("replaces %s by %s", r.Old.Path, r.New.Path)
				}
				if _, there := modules[s]; !there {
					t.Errorf("replaces %s, which is no module here", s)
				}
				replaced = append(replaced, s)
			}
			for _, s := range required {
				if !slices.Contains(replaced, s) {
					t.Errorf("requires %s without a replace", s)
				}
			}
			if len(modules[m]) == 0 && len(replaced) > 0 {
				t.Errorf("a leaf replaces %v", replaced)
			}
		})
	}
}

func TestWorkspaceHasGoAndUseLinesOnly(t *testing.T) {
	w := decode(t, output(t, ".", "go", "work", "edit", "-json", "go.work"))
	if len(w.Replace) > 0 || w.Toolchain != "" || len(w.Godebug) > 0 {
		t.Errorf("go.work has more than go and use lines")
	}
	var used []string
	for _, u := range w.Use {
		used = append(used, strings.TrimPrefix(u.DiskPath, "./"))
	}
	slices.Sort(used)
	if !slices.Equal(used, names()) {
		t.Errorf("go.work uses %v, want %v", used, names())
	}
	for _, m := range names() {
		if v := decode(t, output(t, m, "go", "mod", "edit", "-json")).Go; v != w.Go {
			t.Errorf("%s/go.mod says go %s, go.work says %s", m, v, w.Go)
		}
	}
}
