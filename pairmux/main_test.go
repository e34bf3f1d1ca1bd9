package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

var (
	update  = flag.Bool("update", false, "rewrite the golden files")
	scripts = flag.String("scripts", "testdata/script", "directory of the scripts to run")
)

// binary is the pairmux under test and binDir the directory that holds it. It
// is built and not the re-executed test binary, because pairmux starts itself
// again as launcher and journal writer.
var binary, binDir string

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(testMain(m))
}

func testMain(m *testing.M) int {
	dir, err := os.MkdirTemp("", "pairmux-bin-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	binDir, binary = dir, filepath.Join(dir, "pairmux")
	build := exec.Command("go", "build", "-tags", "urfave_cli_no_docs,urfave_cli_no_suggest", "-o", binary, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "go build: %v\n%s", err, out)
		return 1
	}
	if !given("test.parallel") {
		// Scripts spend their time waiting for shells, not computing.
		_ = flag.Set("test.parallel", "4")
	}
	return m.Run()
}

func given(name string) bool {
	found := false
	flag.Visit(func(f *flag.Flag) { found = found || f.Name == name })
	return found
}
