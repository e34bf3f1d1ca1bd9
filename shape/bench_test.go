package shape

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

// plainText is what a log looks like: lines of 20 to 120 columns.
func plainText(size int, end string) []byte {
	rng := rand.New(rand.NewPCG(1, 2))
	var b bytes.Buffer
	words := []string{"compiling", "package", "server", "request", "finished", "in", "ms", "id=4711", "INFO", "main.go:88:", "ok", "status"}
	for b.Len() < size {
		line := 20 + rng.IntN(100)
		for n := 0; n < line; {
			w := words[rng.IntN(len(words))]
			b.WriteString(w)
			b.WriteByte(' ')
			n += len(w) + 1
		}
		b.WriteString(end)
	}
	return b.Bytes()
}

// buildOutput is what a coloured build prints: SGR, links, progress redrawn in
// place, some characters beyond ASCII.
func buildOutput(size int) []byte {
	rng := rand.New(rand.NewPCG(3, 4))
	var b bytes.Buffer
	for i := 0; b.Len() < size; i++ {
		switch rng.IntN(12) {
		case 0:
			for p := 0; p <= 100; p += 25 {
				fmt.Fprintf(&b, "\r\x1b[K\x1b[1m\x1b[36m    Building\x1b[0m [%-20s] %d/100: crate%d", strings.Repeat("=", p/5), p, i)
			}
			b.WriteString("\r\x1b[K")
		case 1:
			fmt.Fprintf(&b, "\x1b[33mwarning\x1b[0m: unused variable: `x%d`\r\n  \x1b[34m-->\x1b[0m src/lib.rs:%d:9\r\n", i, i)
		case 2:
			fmt.Fprintf(&b, "\x1b[32m✓\x1b[39m \x1b[90mtest case number %d passes (%d ms)\x1b[39m\r\n", i, i%50)
		case 3:
			fmt.Fprintf(&b, "gcc -O2 -Wall -Iinclude -c src/file%d.c -o build/file%d.o\r\n", i, i)
		default:
			fmt.Fprintf(&b, "\x1b[1m\x1b[32m   Compiling\x1b[0m some-crate-%d v0.%d.1 (/src/some-crate-%d)\r\n", i, i%30, i)
		}
	}
	return b.Bytes()
}

func benchmarkRender(b *testing.B, p []byte, chunk int) { benchmarkOptions(b, p, chunk, Options{}) }

func benchmarkOptions(b *testing.B, p []byte, chunk int, o Options) {
	b.SetBytes(int64(len(p)))
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		r := NewRenderer(o, func(line []byte) { n += len(line) })
		for q := p; len(q) > 0; {
			m := min(chunk, len(q))
			r.Write(q[:m])
			q = q[m:]
		}
		r.Close()
	}
}

func BenchmarkPlain(b *testing.B) { benchmarkRender(b, plainText(8<<20, "\r\n"), 64<<10) }
func BenchmarkPlainLF(b *testing.B) {
	benchmarkOptions(b, plainText(8<<20, "\n"), 64<<10, Options{NewLine: true})
}
func BenchmarkStaircase(b *testing.B)   { benchmarkRender(b, plainText(8<<20, "\n"), 64<<10) }
func BenchmarkColoured(b *testing.B)    { benchmarkRender(b, buildOutput(8<<20), 64<<10) }
func BenchmarkSmallWrites(b *testing.B) { benchmarkRender(b, buildOutput(1<<20), 100) }

func BenchmarkLongLine(b *testing.B) {
	benchmarkRender(b, bytes.Repeat([]byte("abcdefgh"), 1<<20), 64<<10)
}

func BenchmarkTabs(b *testing.B) {
	benchmarkRender(b, bytes.Repeat([]byte("\tif err != nil {\r\n\t\treturn err\r\n\t}\r\n"), 1<<17), 64<<10)
}

func BenchmarkUnicode(b *testing.B) {
	benchmarkRender(b, bytes.Repeat([]byte("日本語のテキスト ─ und Grüße ✓\r\n"), 1<<17), 64<<10)
}

func benchmarkGrep(b *testing.B, p []byte, pattern string) {
	o := GrepOptions{Pattern: regexp.MustCompile(pattern)}
	b.SetBytes(int64(len(p)))
	b.ReportAllocs()
	for b.Loop() {
		if err := Grep(context.Background(), bytes.NewReader(p), o, func(int64, []byte, bool) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkGrepPlainLiteral(b *testing.B) {
	benchmarkGrep(b, plainText(64<<20, "\r\n"), "id=4712")
}
func BenchmarkGrepPlainEither(b *testing.B) {
	benchmarkGrep(b, plainText(64<<20, "\r\n"), "error|FAIL")
}
func BenchmarkGrepPlainFold(b *testing.B)  { benchmarkGrep(b, plainText(64<<20, "\r\n"), "(?i)error") }
func BenchmarkGrepPlainClass(b *testing.B) { benchmarkGrep(b, plainText(64<<20, "\r\n"), "[0-9]{5}") }
func BenchmarkGrepColouredLiteral(b *testing.B) {
	benchmarkGrep(b, buildOutput(64<<20), "nothing like it")
}

func BenchmarkRange(b *testing.B) {
	p := plainText(64<<20, "\r\n")
	b.SetBytes(int64(len(p)))
	for b.Loop() {
		if err := Range(bytes.NewReader(p), 1<<40, -1, Options{}, func(int64, []byte) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWindow(b *testing.B) {
	p := plainText(8<<20, "\r\n")
	b.SetBytes(int64(len(p)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Render(bytes.NewReader(p), Options{}, Limits{Head: 50, Tail: 200, MaxBytes: 64 << 10}); err != nil {
			b.Fatal(err)
		}
	}
}
