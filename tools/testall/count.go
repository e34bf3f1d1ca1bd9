package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"sort"
	"strings"
)

// A tally is what one or more `go test -json` streams came to. A test with
// subtests is not counted beside them, unless it failed and none of them did.
type tally struct {
	passed, failed, skipped int
	// failures has an entry for each failed test or package, with its output.
	failures []failure
	skips    []string
}

type failure struct {
	name   string
	output string
}

func (t *tally) add(o tally) {
	t.passed += o.passed
	t.failed += o.failed
	t.skipped += o.skipped
	t.failures = append(t.failures, o.failures...)
	t.skips = append(t.skips, o.skips...)
}

// testEvent is one line of test2json; see `go doc test2json`.
type testEvent struct {
	Action      string
	Package     string
	ImportPath  string
	Test        string
	Output      string
	FailedBuild string
}

// count reads a `go test -json` stream to its end. A test that began and never
// ended (a panic, a timeout) is a failure, and so is a package that failed
// although none of its tests did.
func count(r io.Reader) tally {
	type result struct{ action, output string }
	tests := map[string]map[string]*result{} // package, then test
	packages := map[string]*result{}
	builds := map[string]string{} // import path, its compiler output
	var stray strings.Builder

	in := bufio.NewReader(r)
	for {
		line, err := in.ReadString('\n')
		if line != "" {
			var e testEvent
			if json.Unmarshal([]byte(line), &e) != nil {
				stray.WriteString(line)
			} else if e.Action == "build-output" {
				builds[e.ImportPath] += e.Output
			} else if e.Package != "" {
				of := packages
				name := e.Package
				if e.Test != "" {
					if tests[e.Package] == nil {
						tests[e.Package] = map[string]*result{}
					}
					of, name = tests[e.Package], e.Test
				}
				if of[name] == nil {
					of[name] = &result{}
				}
				switch e.Action {
				case "output":
					of[name].output += e.Output
				case "pass", "fail", "skip":
					of[name].action = e.Action
					if e.FailedBuild != "" {
						of[name].output += builds[e.FailedBuild]
					}
				}
			}
		}
		if err != nil {
			break
		}
	}

	var t tally
	for _, pkg := range sorted(packages) {
		parent, brokenParent := map[string]bool{}, map[string]bool{}
		for name, r := range tests[pkg] {
			for i := range name {
				if name[i] == '/' {
					parent[name[:i]] = true
					if r.action != "pass" && r.action != "skip" {
						brokenParent[name[:i]] = true
					}
				}
			}
		}
		before := t.failed
		for _, name := range sorted(tests[pkg]) {
			r := tests[pkg][name]
			switch {
			case r.action == "pass" || r.action == "skip":
				if parent[name] {
					continue
				}
				if r.action == "pass" {
					t.passed++
				} else {
					t.skipped++
					t.skips = append(t.skips, pkg+" "+name)
				}
			case brokenParent[name]:
				if r.output != "" {
					t.failures = append(t.failures, failure{pkg + " " + name, r.output})
				}
			default:
				t.failed++
				t.failures = append(t.failures, failure{pkg + " " + name, r.output})
			}
		}
		if p := packages[pkg]; p.action != "pass" && p.action != "skip" && t.failed == before {
			t.failed++
			t.failures = append(t.failures, failure{pkg, p.output + stray.String()})
		}
	}
	if len(packages) == 0 {
		t.failed++
		t.failures = append(t.failures, failure{"go test", stray.String()})
	}
	return t
}

func sorted[V any](m map[string]V) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

// closing is the last line of a test run.
func closing(t tally) string {
	return fmt.Sprintf("%d passed, %d failed", t.passed, t.failed)
}
