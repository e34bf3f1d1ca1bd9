package main

import (
	"strings"
	"testing"
	"time"
)

func TestPercentile(t *testing.T) {
	upTo := func(n int) (s series) {
		for i := n; i > 0; i-- {
			s = append(s, time.Duration(i))
		}
		return s
	}
	for _, c := range []struct {
		s       series
		p, want int
	}{
		{nil, 50, 0},
		{upTo(1), 50, 1}, {upTo(1), 95, 1},
		{upTo(2), 50, 1}, {upTo(2), 95, 2},
		{upTo(5), 50, 3}, {upTo(5), 0, 1},
		{upTo(100), 50, 50}, {upTo(100), 95, 95}, {upTo(100), 100, 100},
	} {
		if got := c.s.percentile(c.p); got != time.Duration(c.want) {
			t.Errorf("percentile %d of %d values: got %d, want %d", c.p, len(c.s), got, c.want)
		}
	}
}

func TestVerdict(t *testing.T) {
	for _, c := range []struct {
		row  row
		want string
	}{
		{row{Value: 3, Limit: 3, bound: atMost}, "ok"},
		{row{Value: 3.01, Limit: 3, bound: atMost}, "MISS"},
		{row{Value: 0.9, Limit: 0.9, bound: atLeast}, "ok"},
		{row{Value: 0.89, Limit: 0.9, bound: atLeast}, "MISS"},
		{row{Value: 7}, "-"},
	} {
		if got := c.row.verdict(); got != c.want {
			t.Errorf("%+v: got %s, want %s", c.row, got, c.want)
		}
	}
}

func TestTableIsAligned(t *testing.T) {
	var b strings.Builder
	writeTable(&b, []row{
		{What: "one", P50: 1.5, P95: 2, Unit: "ms"},
		{What: "longer than one", Value: 2.5, As: "x", Limit: 3, bound: atMost, Target: "≤ 3 x"},
	})
	lines := strings.Split(strings.TrimRight(b.String(), "\n"), "\n")
	if len(lines) != 3 {
		t.Fatalf("got %d lines:\n%s", len(lines), b.String())
	}
	column := strings.Index(lines[0], "P50")
	for _, l := range lines[1:] {
		if l[column-1] != ' ' {
			t.Errorf("columns are not aligned:\n%s", b.String())
		}
	}
	if !strings.HasSuffix(lines[2], "ok") {
		t.Errorf("no verdict at the end of %q", lines[2])
	}
}
