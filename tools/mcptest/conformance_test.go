package mcptest

import (
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestConformance runs the protocol's own conformance tool, on the scenarios that
// say something of a server of tools on stdio. It speaks HTTP only, so a bridge
// stands between, and most of its scenarios want a server made for them, with
// prompts, resources, elicitation and tools of fixed names. What it is worth most
// for: each message that passes is validated against the specification's schema.
func TestConformance(t *testing.T) {
	const (
		transport = "a matter of HTTP, which the bridge does not pretend to know"
		fixture   = "wants a tool that only a test server has"
		lacking   = "what the server does not offer"
	)
	for _, c := range []struct {
		scenario, version string
		failures          map[string]string // the checks that must fail, and why
	}{
		{"server-initialize", "2025-11-25", nil},
		{"ping", "2025-11-25", nil},
		{"tools-list", "2025-11-25", nil},
		{"tools-list", "2026-07-28", nil},
		{"caching", "2026-07-28", map[string]string{
			"sep-2549-prompts-list-caching-hints":             lacking,
			"sep-2549-resources-list-caching-hints":           lacking,
			"sep-2549-resources-templates-list-caching-hints": lacking,
		}},
		{"server-stateless", "2026-07-28", map[string]string{
			"sep-2575-http-server-header-mismatch-400":               transport,
			"sep-2575-http-server-method-not-found-404-initialize":   "the handshake is served in the same process",
			"sep-2575-http-server-no-independent-requests-on-stream": fixture,
			"sep-2575-missing-capability-http-400":                   fixture,
			"sep-2575-server-no-log-without-loglevel":                fixture,
			"sep-2575-server-rejects-undeclared-capability":          fixture,
		}},
	} {
		t.Run(c.scenario+" "+c.version, func(t *testing.T) {
			t.Parallel()
			tree := needClients(t)
			w := newWorld(t)
			cmd := w.node(tree, filepath.Join(tree.modules, ".bin", "conformance"), "server",
				"--url", w.bridge(), "--scenario", c.scenario, "--spec-version", c.version)
			out, _ := cmd.CombinedOutput() // its exit status counts the expected failures too
			passed, failed := checks(string(out))
			if len(passed) == 0 {
				t.Fatalf("no check has passed:\n%s", out)
			}
			want := slices.Sorted(maps.Keys(c.failures))
			if !slices.Equal(failed, want) {
				t.Errorf("failed checks:\n%s\nwant:\n%s\n%s", strings.Join(failed, "\n"), strings.Join(want, "\n"), out)
			}
		})
	}
}

// checks reads the tool's report: the checks by name, sorted, each once.
func checks(report string) (passed, failed []string) {
	line := regexp.MustCompile(`\[([a-z0-9-]+) *\] (SUCCESS|FAILURE)`)
	colour := regexp.MustCompile("\x1b\\[[0-9]*m")
	for _, m := range line.FindAllStringSubmatch(colour.ReplaceAllString(report, ""), -1) {
		if m[2] == "SUCCESS" {
			passed = append(passed, m[1])
		} else {
			failed = append(failed, m[1])
		}
	}
	slices.Sort(failed)
	return passed, slices.Compact(failed)
}
