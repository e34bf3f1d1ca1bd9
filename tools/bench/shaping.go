package main

import (
	"bytes"
	"fmt"
	"time"

	"github.com/pairmux/pairmux/shape"
)

// shaping measures the renderer by itself, on one core and, as log uses it, on
// all of them.
func shaping(b *bench) ([]row, error) {
	var coloured, plain bytes.Buffer
	for i := 0; coloured.Len() < 32<<20; i++ {
		fmt.Fprintf(&coloured, "\x1b[32m[%7d]\x1b[0m compiling \x1b[1mmodule_%d.c\x1b[0m with flags -O2 -g -Wall\r\n", i, i%977)
		if i%100 == 0 {
			fmt.Fprintf(&coloured, "\r\x1b[K%3d%% [%-30.*s]\r\x1b[K", i%101, i%30, "##############################")
		}
	}
	for i := 0; plain.Len() < 32<<20; i++ {
		fmt.Fprintf(&plain, "[%7d] compiling module_%d.c with flags -O2 -g -Wall and nothing else\r\n", i, i%977)
	}
	var rows []row
	for _, c := range []struct {
		what  string
		data  []byte
		least float64
	}{{"coloured build output", coloured.Bytes(), 150}, {"plain text", plain.Bytes(), 1000}} {
		lines := 0
		one := func() error {
			r := shape.NewRenderer(shape.Options{}, func([]byte) { lines++ })
			for p := c.data; len(p) > 0; {
				n := min(len(p), 256<<10)
				_, _ = r.Write(p[:n])
				p = p[n:]
			}
			r.Close()
			return nil
		}
		all := func() error {
			return shape.Range(bytes.NewReader(c.data), 1, -1, shape.Options{}, func(int64, []byte) error { lines++; return nil })
		}
		for _, way := range []struct {
			what string
			run  func() error
		}{{"one core", one}, {"all cores", all}} {
			var s series
			for range 7 {
				began := time.Now()
				if err := way.run(); err != nil {
					return nil, err
				}
				s = append(s, time.Since(began))
			}
			r := measured("shaping "+c.what+", "+way.what, s)
			r.Value, r.As = float64(len(c.data))/1e6/s.p50().Seconds(), "MB/s"
			if way.what == "one core" {
				r = r.must(atLeast, c.least)
			}
			rows = append(rows, r)
		}
	}
	return rows, nil
}
