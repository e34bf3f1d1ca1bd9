package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
)

// FuzzStream: whatever a client writes, the server does not fail, ends at the end of
// input, and every line it wrote is JSON.
func FuzzStream(f *testing.F) {
	for _, seed := range []string{
		"", "\n", "{bad\n", "[]\n", "42", `{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n",
		initLine + "\n" + `{"jsonrpc":"2.0","id":"x","method":"tools/list","params":{"cursor":null}}`,
		strings.Replace(initLine, "2025-11-25", "2025-03-26", 1) + "\n" + `[{"jsonrpc":"2.0","id":-1,"method":"ping"},{},5]` + "\n",
		initLine + "\n" + `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"pairmux_run","arguments":{"x":1}}}` + "\r\n",
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`,
		`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`,
		"\xef\xbb\xbf" + `{"jsonrpc":"2.0","id":"\ud800","method":"ping","params":{"a":1,"a":2}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		srv, err := newServer(Config{Executable: "/nonexistent/pairmux", Env: []string{}, Stderr: io.Discard})
		if err != nil {
			t.Fatal(err)
		}
		defer srv.close()
		var out syncBuffer
		if err := srv.serve(t.Context(), bytes.NewReader(input), &out); err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.SplitAfter(out.String(), "\n") {
			if line != "" && (!strings.HasSuffix(line, "\n") || !json.Valid([]byte(line))) {
				t.Errorf("wrote %q", line)
			}
		}
	})
}

type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// FuzzPlainHTML: the same value, and never longer.
func FuzzPlainHTML(f *testing.F) {
	for _, s := range []string{"", "<", `\u003c`, `\\u003c`, `<a href="x">&amp;</a>`, "\u2028\\", `"\"<`, `\u003`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		escaped := mustMarshal(map[string]string{s: s})
		before := len(escaped)
		want := map[string]string{}
		if err := json.Unmarshal(escaped, &want); err != nil {
			t.Fatal(err)
		}
		plain := plainHTML(escaped)
		got := map[string]string{}
		if err := json.Unmarshal(plain, &got); err != nil {
			t.Fatalf("%q: %v", plain, err)
		}
		for k, v := range want {
			if got[k] != v || len(got) != 1 {
				t.Errorf("%q became %q", want, got)
			}
		}
		if len(plain) > before || bytes.Contains(plain, []byte(`\u003c`)) && !strings.Contains(s, `\u003c`) && !strings.Contains(s, `u003c`) {
			t.Errorf("%q", plain)
		}
	})
}

// TestLines: the same lines however the input is split over reads.
func TestLines(t *testing.T) {
	const max = 100_000 // over the reader's own buffer
	long := strings.Repeat("x", max)
	input := "\xef\xbb\xbfone\r\n\n\xef\xbb\xbftwo\n" + long + "\n" + long + "x\n" + long + long + long + "\nlast"
	want := []string{"one", "", "\xef\xbb\xbftwo", long, "too long", "too long", "last"}
	for _, r := range []io.Reader{strings.NewReader(input), iotest.OneByteReader(strings.NewReader(input))} {
		l := newLineReader(r, max)
		var got []string
		for {
			line, err := l.next()
			if errors.Is(err, errLongLine) {
				line = []byte("too long")
			} else if err != nil {
				break
			}
			got = append(got, string(line))
		}
		if len(got) != len(want) {
			t.Fatalf("%d lines, want %d", len(got), len(want))
		}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("line %d: %.40q (%d bytes), want %.40q", i, got[i], len(got[i]), want[i])
			}
		}
	}
}

// TestWriteErrorEndsTheServer: the client no longer reads.
func TestWriteErrorEndsTheServer(t *testing.T) {
	read, write := io.Pipe()
	defer write.Close()
	err := make(chan error, 1)
	go func() {
		err <- Serve(t.Context(), read, brokenPipe{}, Config{Executable: self(), Env: childEnv(), Stderr: t.Output()})
	}()
	io.WriteString(write, `{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n")
	if e := <-err; !errors.Is(e, ErrWrite) || !errors.Is(e, io.ErrClosedPipe) {
		t.Errorf("error %v", e)
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// TestContextEndsTheServer although its client says nothing.
func TestContextEndsTheServer(t *testing.T) {
	t.Parallel()
	read, write := io.Pipe()
	defer write.Close()
	ctx, cancel := context.WithCancelCause(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- Serve(ctx, read, io.Discard, Config{Executable: self(), Env: childEnv(), Stderr: t.Output()})
	}()
	path := fifo(t)
	io.WriteString(write, initLine+"\n"+do(1, "stubborn "+path)+"\n")
	r := alive(t, path)
	cancel(errors.New("enough"))
	if e := <-done; e == nil || e.Error() != "enough" {
		t.Errorf("error %v", e)
	}
	gone(t, r)
}
