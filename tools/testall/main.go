package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

func main() {
	summary := flag.String("summary", "", "also write the closing line to this `file`")
	static := flag.Bool("static", true, "run staticcheck")
	flag.Parse()
	modules, err := modules(flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "testall:", err)
		os.Exit(1)
	}
	os.Exit(all(modules, *static, *summary))
}

// modules lists the directories beside go.work that hold a module, or those of
// them that are named.
func modules(names []string) ([]string, error) {
	if _, err := os.Stat("go.work"); err != nil {
		return nil, fmt.Errorf("run this from the repository's root: %w", err)
	}
	files, err := filepath.Glob("*/go.mod")
	if err != nil {
		return nil, err
	}
	var found []string
	for _, f := range files {
		found = append(found, filepath.Dir(f))
	}
	for _, n := range names {
		if !slices.Contains(found, n) {
			return nil, fmt.Errorf("no module %q; there are %s", n, strings.Join(found, ", "))
		}
	}
	if len(names) > 0 {
		return names, nil
	}
	return found, nil
}

type check struct {
	name string
	argv []string
	// silent: any output means failure, whatever the exit status.
	silent bool
}

func all(modules []string, static bool, summary string) int {
	checks := []check{
		{name: "gofmt", argv: []string{"gofmt", "-l", "."}, silent: true},
		{name: "tidy", argv: []string{"go", "mod", "tidy", "-diff"}},
		{name: "build", argv: []string{"go", "build", "-o", os.DevNull, "./..."}},
		{name: "vet", argv: []string{"go", "vet", "./..."}},
	}
	if static {
		path, err := staticcheck()
		if err != nil {
			fmt.Fprintln(os.Stderr, "testall: staticcheck is not to be had:", err)
			return 1
		}
		checks = append(checks, check{name: "staticcheck", argv: []string{path, "./..."}})
	}
	var checked, tested tally
	for _, m := range modules {
		began := time.Now()
		c := runChecks(m, checks)
		t := runTests(m)
		fmt.Printf("%-10s %2d checks, %4d tests in %5.1f s", m, c.passed+c.failed, t.passed+t.failed, time.Since(began).Seconds())
		if n := c.failed + t.failed; n > 0 {
			fmt.Printf(", %d FAILED", n)
		}
		if t.skipped > 0 {
			fmt.Printf(", %d skipped", t.skipped)
		}
		fmt.Println()
		for _, f := range append(c.failures, t.failures...) {
			fmt.Printf("--- FAILED %s\n%s\n", f.name, strings.TrimRight(f.output, "\n"))
		}
		for _, s := range t.skips {
			fmt.Printf("--- skipped %s\n", s)
		}
		checked.add(c)
		tested.add(t)
	}
	fmt.Printf("%d modules, %d checks, %d tests\n", len(modules), checked.passed+checked.failed, tested.passed+tested.failed)
	checked.add(tested)
	line := closing(checked)
	if summary != "" {
		if err := os.WriteFile(summary, []byte(line+"\n"), 0o644); err != nil {
			fmt.Fprintln(os.Stderr, "testall:", err)
			return 1
		}
	}
	fmt.Println(line)
	if checked.failed > 0 {
		return 1
	}
	return 0
}

func runChecks(module string, checks []check) tally {
	var t tally
	for _, c := range checks {
		out, err := command(module, c.argv...).CombinedOutput()
		if err == nil && (!c.silent || len(out) == 0) {
			t.passed++
			continue
		}
		t.failed++
		text := string(out)
		if err != nil {
			text += err.Error() + "\n"
		}
		t.failures = append(t.failures, failure{module + ": " + c.name, text})
	}
	return t
}

func runTests(module string) tally {
	cmd := command(module, "go", "test", "-json", "-count=1", "-timeout=8m", "./...")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return tally{failed: 1, failures: []failure{{module, err.Error()}}}
	}
	if err := cmd.Start(); err != nil {
		return tally{failed: 1, failures: []failure{{module, err.Error()}}}
	}
	t := count(out)
	// The exit status is believed over the count: a run that says that it
	// failed has failed.
	if err := cmd.Wait(); err != nil && t.failed == 0 {
		t.failed++
		t.failures = append(t.failures, failure{module + ": go test", err.Error()})
	}
	if t.failed > 0 && stderr.Len() > 0 {
		t.failures = append(t.failures, failure{module + ": stderr", stderr.String()})
	}
	return t
}

// staticcheck builds the linter that tools/go.mod names, and says where it is.
func staticcheck() (string, error) {
	cmd := command("tools", "go", "tool", "-n", "staticcheck")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	return strings.TrimSpace(string(out)), err
}

// command runs in one module, outside the workspace and outside any tmux.
func command(module string, argv ...string) *exec.Cmd {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = module
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		switch name {
		case "TMUX", "TMUX_PANE", "GOWORK":
		default:
			if !strings.HasPrefix(name, "PAIRMUX") || name == "PAIRMUX_SKIP_CLIENTS" {
				cmd.Env = append(cmd.Env, v)
			}
		}
	}
	cmd.Env = append(cmd.Env, "GOWORK=off")
	return cmd
}
