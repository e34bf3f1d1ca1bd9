package main

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

var (
	errDuration = errors.New("want a duration such as 300ms, 90s, 5m, 1h30m or 7d")
	errSize     = errors.New("want a size such as 4096, 64KiB, 10MiB or 1GiB")
	errGrid     = errors.New("want COLUMNSxROWS from 20x5 to 1000x500")
	errSpan     = errors.New("want A:B or A:end with 1 ≤ A ≤ B")
	errCursor   = errors.New("want a cursor (a number), run, or start")
)

// parseDuration reads Go's durations and whole days ("7d"). A bare number is
// refused: its unit would be a guess; only 0 needs none.
func parseDuration(s string) (time.Duration, error) {
	if s == "0" {
		return 0, nil
	}
	if days, ok := strings.CutSuffix(s, "d"); ok {
		n, err := strconv.ParseUint(days, 10, 32)
		if err != nil || n > 100_000 {
			return 0, errDuration
		}
		return time.Duration(n) * 24 * time.Hour, nil
	}
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 {
		return 0, errDuration
	}
	return d, nil
}

// formatDuration is the shortest spelling that parseDuration reads back.
func formatDuration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

func parseMillis(s string) (time.Duration, error) {
	d, err := parseDuration(s)
	if n, e := strconv.ParseUint(s, 10, 31); e == nil {
		d, err = time.Duration(n)*time.Millisecond, nil
	}
	if err == nil && d <= 0 {
		err = errors.New("want more than 0")
	}
	return d, err
}

func parseSize(s string) (int64, error) {
	digits := strings.TrimRight(s, "BKMGi")
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n < 0 || strings.HasPrefix(s, "+") {
		return 0, errSize
	}
	unit := int64(1)
	switch s[len(digits):] {
	case "", "B":
	case "KiB":
		unit = 1 << 10
	case "MiB":
		unit = 1 << 20
	case "GiB":
		unit = 1 << 30
	default:
		return 0, errSize
	}
	if n > math.MaxInt64/unit {
		return 0, errSize
	}
	return n * unit, nil
}

func parseCount(s string, least int64) (int64, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < least || strings.HasPrefix(s, "+") {
		return 0, fmt.Errorf("want a whole number from %d", least)
	}
	return n, nil
}

func parseGrid(s string) (cols, rows int, err error) {
	a, b, ok := strings.Cut(s, "x")
	c, e1 := parseCount(a, 20)
	r, e2 := parseCount(b, 5)
	if !ok || e1 != nil || e2 != nil || c > 1000 || r > 500 {
		return 0, 0, errGrid
	}
	return int(c), int(r), nil
}

// parseSpan reads A:B; B is -1 for "end".
func parseSpan(s string) (a, b int64, err error) {
	from, to, ok := strings.Cut(s, ":")
	a, e1 := parseCount(from, 1)
	b = -1
	var e2 error
	if to != "end" {
		b, e2 = parseCount(to, 1)
	}
	if !ok || e1 != nil || e2 != nil || b > 0 && b < a {
		return 0, 0, errSpan
	}
	return a, b, nil
}

// parseCursor reads a journal position; word is "run" or "start" when it is
// one of these.
func parseCursor(s string) (pos int64, word string, err error) {
	if s == "run" || s == "start" {
		return 0, s, nil
	}
	n, err := parseCount(s, 0)
	if err != nil {
		return 0, "", errCursor
	}
	return n, "", nil
}

// check parses a flag's value only to see that it is well formed.
func (f *flagSpec) check(v string) error {
	var err error
	switch f.kind {
	case duration:
		_, err = parseDuration(v)
	case millis:
		_, err = parseMillis(v)
	case count:
		_, err = parseCount(v, 0)
	case number:
		_, err = parseCount(v, 1)
	case size:
		_, err = parseSize(v)
	case grid:
		_, _, err = parseGrid(v)
	case span:
		_, _, err = parseSpan(v)
	case cursor:
		_, _, err = parseCursor(v)
	}
	return err
}
