package main

import (
	"strings"
	"testing"
)

func TestCount(t *testing.T) {
	for _, c := range []struct {
		name, stream            string
		passed, failed, skipped int
		mentions                string
	}{
		{"one of each", `
{"Action":"run","Package":"p","Test":"A"}
{"Action":"pass","Package":"p","Test":"A"}
{"Action":"output","Package":"p","Test":"B","Output":"b.go:1: wrong\n"}
{"Action":"fail","Package":"p","Test":"B"}
{"Action":"skip","Package":"p","Test":"C"}
{"Action":"fail","Package":"p"}`, 1, 1, 1, "b.go:1: wrong"},
		{"a parent is not counted beside its subtests", `
{"Action":"pass","Package":"p","Test":"A/x"}
{"Action":"pass","Package":"p","Test":"A/y"}
{"Action":"pass","Package":"p","Test":"A"}
{"Action":"pass","Package":"p"}`, 2, 0, 0, ""},
		{"a failed subtest fails once", `
{"Action":"fail","Package":"p","Test":"A/x/1"}
{"Action":"fail","Package":"p","Test":"A/x"}
{"Action":"pass","Package":"p","Test":"A/y"}
{"Action":"fail","Package":"p","Test":"A"}
{"Action":"fail","Package":"p"}`, 1, 1, 0, "p A/x/1"},
		{"a parent that fails by itself", `
{"Action":"pass","Package":"p","Test":"A/x"}
{"Action":"fail","Package":"p","Test":"A"}
{"Action":"fail","Package":"p"}`, 1, 1, 0, "p A"},
		{"a test that never ended", `
{"Action":"run","Package":"p","Test":"A"}
{"Action":"output","Package":"p","Test":"A","Output":"panic: boom\n"}
{"Action":"fail","Package":"p"}`, 0, 1, 0, "panic: boom"},
		{"a build that failed", `
{"ImportPath":"p [p.test]","Action":"build-output","Output":"a.go:3: undefined: x\n"}
{"ImportPath":"p [p.test]","Action":"build-fail"}
{"Action":"start","Package":"p"}
{"Action":"fail","Package":"p","FailedBuild":"p [p.test]"}`, 0, 1, 0, "undefined: x"},
		{"a TestMain that exits", `
{"Action":"pass","Package":"p","Test":"A"}
{"Action":"output","Package":"p","Output":"left a server behind\n"}
{"Action":"fail","Package":"p"}`, 1, 1, 0, "left a server behind"},
		{"a package without tests", `
{"Action":"skip","Package":"p"}`, 0, 0, 0, ""},
		{"no stream at all", `go: cannot find main module`, 0, 1, 0, "cannot find main module"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := count(strings.NewReader(strings.TrimPrefix(c.stream, "\n")))
			if got.passed != c.passed || got.failed != c.failed || got.skipped != c.skipped {
				t.Errorf("got %d passed, %d failed, %d skipped; want %d, %d, %d",
					got.passed, got.failed, got.skipped, c.passed, c.failed, c.skipped)
			}
			var all strings.Builder
			for _, f := range got.failures {
				all.WriteString(f.name + "\n" + f.output)
			}
			if !strings.Contains(all.String(), c.mentions) {
				t.Errorf("failures do not mention %q:\n%s", c.mentions, all.String())
			}
		})
	}
}
