package docscheck

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
)

// What differs between two runs of one example.
var (
	clock    = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)`)
	duration = regexp.MustCompile(`\b\d+(\.\d+)?( ms| s|ms|s)\b`)
	position = regexp.MustCompile(`(cursor: |--since )\d+\b`)
	process  = regexp.MustCompile(`\b(pid |lock:)\d+\b`)
	amount   = regexp.MustCompile(`\b\d+ bytes\b`)
	columns  = regexp.MustCompile(`(\S) {2,}`)
)

// passing are the fields of an envelope whose values differ from run to run.
var passing = map[string]bool{
	"duration_ms": true, "cursor": true, "last_activity": true, "started": true, "lock_pid": true,
}

// normal is a line with all that may differ between two runs made equal.
func normal(line string) string {
	if strings.HasPrefix(line, "{") {
		var v any
		if json.Unmarshal([]byte(line), &v) == nil {
			if data, err := json.Marshal(settle(v)); err == nil {
				return string(data)
			}
		}
	}
	line = clock.ReplaceAllString(line, "TIME")
	line = duration.ReplaceAllString(line, "N ms")
	line = position.ReplaceAllString(line, "${1}N")
	line = process.ReplaceAllString(line, "${1}N")
	line = amount.ReplaceAllString(line, "N bytes")
	// A table's columns are as wide as their widest cell.
	return columns.ReplaceAllString(line, "$1  ")
}

func settle(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			if passing[k] {
				v[k] = "differs"
			} else {
				v[k] = settle(e)
			}
		}
	case []any:
		for i, e := range v {
			v[i] = settle(e)
		}
	case string:
		return normal(v)
	}
	return v
}

func same(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if normal(a[i]) != normal(b[i]) {
			return false
		}
	}
	return true
}

func TestNormal(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"done  b  exit 0  8 ms  cmd 1", "done  b  exit 0  1204 ms  cmd 1", true},
		{"done  b  exit 0  8 ms  cmd 1", "done  b  exit 1  8 ms  cmd 1", false},
		{"done  b  exit 0  8 ms  cmd 1", "done  b  exit 0  8 ms  cmd 2", false},
		{"cursor: 12", "cursor: 99", true},
		{"next: pairmux wait b --since 12", "next: pairmux wait b --since 13", true},
		{"  b     idle  (2026-01-01T00:00:00Z)", "  b  idle  (2027-11-30T19:54:35Z)", true},
		{"  seq 12", "  seq 13", false},
		{"    indented", "  indented", false},
		{`{"ok":true,"cursor":1}`, `{"cursor":2,"ok":true}`, true},
		{`{"ok":true,"duration_ms":1}`, `{"ok":true}`, false},
		{`{"ok":true,"next":["wait --since 5"]}`, `{"ok":true,"next":["wait --since 6"]}`, true},
		{`{"ok":true,"exit_code":1}`, `{"ok":true,"exit_code":0}`, false},
	} {
		if got := normal(c.a) == normal(c.b); got != c.same {
			t.Errorf("same(%q, %q) = %v, want %v", c.a, c.b, got, c.same)
		}
	}
}
