package mcptest

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

var (
	update = flag.Bool("update", false, "rewrite the generated tables in docs/")
	given  = flag.String("bin", "", "the binary to test, in place of one built from the tree")
)

// patience bounds what should take much less; only a failing test reaches it.
const patience = 30 * time.Second

// binary is the pairmux under test, built from the tree beside this module.
var binary string

func TestMain(m *testing.M) {
	flag.Parse()
	parallel := false
	flag.Visit(func(f *flag.Flag) { parallel = parallel || f.Name == "test.parallel" })
	if !parallel {
		// The tests wait for shells and for Node more than they compute.
		_ = flag.Set("test.parallel", "6")
	}
	os.Exit(testMain(m))
}

func testMain(m *testing.M) int {
	if *given != "" {
		binary = *given
		return m.Run()
	}
	dir, err := os.MkdirTemp("", "pairmux-mcptest-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	binary = filepath.Join(dir, "pairmux")
	build := exec.Command("go", "build", "-buildvcs=false", "-tags", "urfave_cli_no_docs,urfave_cli_no_suggest", "-o", binary, ".")
	build.Dir = filepath.Join("..", "..", "pairmux")
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "go build: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// root is a path in the repository.
func root(path ...string) string { return filepath.Join(append([]string{"..", ".."}, path...)...) }

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// decode reads one JSON value; numbers stay as they were written.
func decode(t *testing.T, b []byte) any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v in %.300q", err, b)
	}
	return v
}

// until looks again and again, with a bound that only a failing test reaches.
func until(ok func() bool) bool {
	for end := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		if ok() {
			return true
		}
		if time.Now().After(end) {
			return false
		}
	}
}
