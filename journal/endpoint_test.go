package journal

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestJ3EndpointPath(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	link := dir + "/link"
	if err := os.Mkdir(dir+"/real", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("real", link); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	tmp, err := filepath.EvalSymlinks("/tmp")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ tmpdir, want string }{
		{"", tmp},
		{"/tmp/", tmp},
		{dir + "/real", dir + "/real"},
		{link, dir + "/real"},
		{dir + "/real/../link//", dir + "/real"},
		{"real", dir + "/real"},
		{dir + "/none", tmp}, // as tmux does
	} {
		got := Endpoint{TmuxTmpdir: c.tmpdir, UID: 12, Socket: "a.b"}.Path()
		if want := c.want + "/tmux-12/a.b"; got != want {
			t.Errorf("TMUX_TMPDIR=%q: %s, want %s", c.tmpdir, got, want)
		}
	}
}

func TestJ6Names(t *testing.T) {
	for name, want := range map[string]bool{
		"a": true, "9": true, "t1": true, "my-build_2": true, strings.Repeat("x", 32): true,
		"": false, "-x": false, "_x": false, "A": false, "a.b": false, "../x": false, "a/b": false,
		"x$(id)": false, "é": false, "a b": false, "a\n": false, strings.Repeat("x", 33): false,
	} {
		if ValidName(name) != want {
			t.Errorf("ValidName(%q) should be %v", name, want)
		}
	}
}

func TestJ5J6Terminals(t *testing.T) {
	root := t.TempDir()
	other := Endpoint{TmuxTmpdir: t.TempDir(), UID: os.Getuid(), Socket: DefaultSocket}
	standard := Endpoint{UID: os.Getuid(), Socket: DefaultSocket}
	for _, e := range []Endpoint{standard, other} {
		for _, name := range []string{"web", "build"} {
			j, err := Create(filepath.Join(Namespace(root, e), name), Meta{Name: name, Endpoint: e.Path()})
			if err != nil {
				t.Fatal(err)
			}
			j.Close()
		}
		ns := Namespace(root, e)
		for _, dir := range []string{"empty", "UPPER", "build.prev", ".making-x-1", "foreign"} {
			if err := os.Mkdir(filepath.Join(ns, dir), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		writeFile(t, ns+"/UPPER/meta.json", "{}")
		writeFile(t, ns+"/build.prev/meta.json", "{}")
		writeFile(t, ns+"/foreign/notes.txt", "x")
		writeFile(t, ns+"/file", "x")
		if err := os.Mkdir(ns+"/halfway", 0o700); err != nil {
			t.Fatal(err)
		}
		writeFile(t, ns+"/halfway/raw.log", "x") // meta.json was deleted
	}
	for dir, meta := range map[string]string{
		"old":    `{"name":"old","socket":"pairmux"}`,
		"older":  `{"name":"older"}`,
		"web":    `{"name":"web","socket":"pairmux","cmd":"historic"}`,
		"custom": `{"name":"custom","socket":"work"}`,
		"wrong":  `{"name":"else","socket":"pairmux"}`,
		"trash":  `not json`,
	} {
		if err := os.Mkdir(filepath.Join(root, dir), 0o700); err != nil {
			t.Fatal(err)
		}
		writeFile(t, filepath.Join(root, dir, "meta.json"), meta)
		writeFile(t, filepath.Join(root, dir, "raw.log"), "x")
	}

	for _, c := range []struct {
		e    Endpoint
		want string
	}{
		{standard, "build halfway old older web"},
		{other, "build halfway web"},
		{Endpoint{UID: os.Getuid(), Socket: "unused"}, ""},
	} {
		got, err := Terminals(root, c.e)
		if err != nil || strings.Join(got, " ") != c.want {
			t.Errorf("%v: %q, %v; want %q", c.e, got, err, c.want)
		}
		for _, name := range []string{"build", "old", "web", "custom", "wrong", "trash", "empty", "foreign", "../x", ""} {
			j, err := Find(root, c.e, name)
			if slices.Contains(got, name) {
				if err != nil || j.Meta().Cmd != "" {
					t.Errorf("Find(%q): %v", name, err)
				}
				continue
			}
			if !errors.Is(err, ErrNotFound) {
				t.Errorf("Find(%q): %v, want ErrNotFound", name, err)
			}
		}
	}
	spaces, err := Namespaces(root)
	if want := slices.Sorted(slices.Values([]string{Namespace(root, standard), Namespace(root, other)})); err != nil || !slices.Equal(spaces, want) {
		t.Errorf("Namespaces: %q, %v", spaces, err)
	}
	if spaces, err := Namespaces(root + "/none"); err != nil || spaces != nil {
		t.Errorf("Namespaces of nothing: %q, %v", spaces, err)
	}
}
