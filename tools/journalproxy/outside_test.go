package journalproxy

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// version is what the proxy calls the journal of this tree.
var version = module.Version{Path: "github.com/pairmux/pairmux/journal", Version: "v0.0.1"}

func TestJournalServesAnOutsideProgram(t *testing.T) {
	program := build(t, serve(t))
	w := newWorld(t)
	w.pairmux("new", "build")
	w.pairmux("new", "other")
	w.pairmux("run", "build", "echo before")

	cmd := exec.Command(program, filepath.Join(w.dir, "state"), "build")
	cmd.Env, cmd.Stderr = w.env, os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	expect(t, lines, "terminals: [build other]")
	expect(t, lines, "following: build shell")
	w.pairmux("run", "other", "echo not this")
	w.pairmux("run", "build", "echo hello; (exit 3)")
	expect(t, lines, `command 2: exit 3, output "hello\r\n"`)
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

func expect(t *testing.T, r *bufio.Reader, want string) {
	t.Helper()
	line, err := r.ReadString('\n')
	if got := strings.TrimSuffix(line, "\n"); got != want || err != nil {
		t.Fatalf("the program printed %q (%v), want %q", got, err, want)
	}
}

// serve makes a proxy, as a directory, that has this tree's journal.
func serve(t *testing.T) (proxy string) {
	t.Helper()
	proxy = t.TempDir()
	dir := filepath.Join(proxy, filepath.FromSlash(version.Path), "@v")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	source := filepath.Join("..", "..", "journal")
	mod, err := os.ReadFile(filepath.Join(source, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	write("list", version.Version+"\n")
	write(version.Version+".mod", string(mod))
	write(version.Version+".info", fmt.Sprintf("{%q:%q}", "Version", version.Version))
	f, err := os.Create(filepath.Join(dir, version.Version+".zip"))
	if err != nil {
		t.Fatal(err)
	}
	if err := zip.CreateFromDir(f, version, source); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return proxy
}

// build makes the program in a module of its own, with a module cache of its
// own, so that no copy of an earlier journal is taken.
func build(t *testing.T, proxy string) (program string) {
	t.Helper()
	dir := t.TempDir()
	copyFile(t, filepath.Join("testdata", "outside.go"), filepath.Join(dir, "main.go"))
	copyFile(t, filepath.Join("..", "..", "journal", "go.sum"), filepath.Join(dir, "go.sum"))
	text := fmt.Sprintf("module example.org/outside\n\ngo 1.26\n\nrequire %s %s\n", version.Path, version.Version)
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	known := goEnv(t, "GOMODCACHE")
	program = filepath.Join(dir, "outside")
	cmd := exec.Command("go", "build", "-mod=mod", "-modcacherw", "-o", program, ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=", "CGO_ENABLED=0", "GONOSUMDB="+version.Path,
		"GOMODCACHE="+filepath.Join(t.TempDir(), "mod"),
		"GOPROXY=file://"+proxy+",file://"+filepath.Join(known, "cache", "download")+","+goEnv(t, "GOPROXY"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	list := exec.Command("go", "list", "-deps", "-mod=mod", "-f", "{{with .Module}}{{.Path}}{{end}}", ".")
	list.Dir, list.Env = dir, cmd.Env
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	for path := range strings.Lines(string(out)) {
		if path = strings.TrimSpace(path); strings.HasPrefix(path, "github.com/pairmux/") && path != version.Path {
			t.Errorf("the program also needs %s", path)
		}
	}
	return program
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.Command("go", "env", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(out, in); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
}
