package main

import (
	"slices"
	"time"
)

// A series is what repeated measurements of one thing gave.
type series []time.Duration

// percentile is the nearest-rank one; of no measurements it is 0.
func (s series) percentile(p int) time.Duration {
	if len(s) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(s))
	rank := (p*len(sorted) + 99) / 100
	return sorted[max(rank, 1)-1]
}

func (s series) p50() time.Duration { return s.percentile(50) }
func (s series) p95() time.Duration { return s.percentile(95) }

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// ratio is 0 where there is nothing to divide by.
func ratio(a, b time.Duration) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}
