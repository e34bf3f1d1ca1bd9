package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
)

type bound int

const (
	none bound = iota
	atMost
	atLeast
)

// A row is one figure: what was measured, what it came to, and what it should
// come to.
type row struct {
	What string  `json:"what"`
	P50  float64 `json:"p50,omitempty"`
	P95  float64 `json:"p95,omitempty"`
	Unit string  `json:"unit,omitempty"` // of P50 and P95
	N    int     `json:"n,omitempty"`
	// Value is the figure itself, in the unit As, to be held against Limit.
	Value  float64 `json:"value,omitempty"`
	As     string  `json:"as,omitempty"`
	Limit  float64 `json:"limit,omitempty"`
	Target string  `json:"target,omitempty"`
	OK     string  `json:"ok"`
	bound  bound
}

// measured is a row of times in milliseconds without a target.
func measured(what string, s series) row {
	return row{What: what, P50: ms(s.p50()), P95: ms(s.p95()), Unit: "ms", N: len(s)}
}

// compared is a row of times that says how often they hold base.
func compared(what string, s series, base time.Duration) row {
	r := measured(what, s)
	r.Value, r.As = ratio(s.p50(), base), "x"
	return r
}

func (r row) must(b bound, limit float64) row {
	r.bound, r.Limit = b, limit
	sign := map[bound]string{atMost: "≤", atLeast: "≥"}[b]
	r.Target = fmt.Sprintf("%s %s %s", sign, short(limit), r.As)
	return r
}

func (r row) verdict() string {
	switch {
	case r.bound == atMost && r.Value <= r.Limit, r.bound == atLeast && r.Value >= r.Limit:
		return "ok"
	case r.bound == none:
		return "-"
	}
	return "MISS"
}

// short writes about three digits.
func short(f float64) string {
	switch {
	case f == 0:
		return "0"
	case f < 0.1:
		return fmt.Sprintf("%.3f", f)
	case f < 10:
		return fmt.Sprintf("%.2f", f)
	case f < 100:
		return fmt.Sprintf("%.1f", f)
	}
	return fmt.Sprintf("%.0f", f)
}

func writeTable(w io.Writer, rows []row) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "WHAT\tP50\tP95\tFIGURE\tTARGET\tOK")
	for _, r := range rows {
		p50, p95, figure := "", "", ""
		if r.Unit != "" {
			p50, p95 = short(r.P50)+" "+r.Unit, short(r.P95)+" "+r.Unit
		}
		if r.As != "" {
			figure = short(r.Value) + " " + r.As
		}
		fmt.Fprintln(t, strings.Join([]string{r.What, p50, p95, figure, r.Target, r.verdict()}, "\t"))
	}
	t.Flush()
}
