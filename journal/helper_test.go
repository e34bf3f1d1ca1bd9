package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// The test binary runs itself where a test needs a process of its own: to be
// killed, to append beside others, to live under a file size limit.
const helperEnv = "JOURNAL_TEST_HELPER"

var helpers = map[string]func(args []string) error{}

func TestMain(m *testing.M) {
	name, ok := os.LookupEnv(helperEnv)
	if !ok {
		os.Exit(m.Run())
	}
	if err := helpers[name](os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
	os.Exit(0)
}

func helper(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), helperEnv+"="+name)
	cmd.Stderr = os.Stderr
	return cmd
}

// dieAt makes the process kill itself when it reaches a step.
func dieAt(at string) {
	step = func(s string) {
		if s == at {
			_ = unix.Kill(os.Getpid(), unix.SIGKILL)
			select {}
		}
	}
}

// mustDie runs a helper that has to end by its own SIGKILL.
func mustDie(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	err := cmd.Run()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != -1 {
		t.Fatalf("helper ended with %v, should have been killed", err)
	}
}

func newJournal(t testing.TB, m Meta) *Journal {
	t.Helper()
	j, err := Create(t.TempDir()+"/ns/build", m)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	return j
}

// numbered returns the bytes [from, to) of an endless text in which each
// 16-byte line tells its own offset, so that a byte at a wrong offset shows.
func numbered(from, to int64) []byte {
	var b bytes.Buffer
	for at := from / 16 * 16; at < to; at += 16 {
		fmt.Fprintf(&b, "%015d\n", at)
	}
	return b.Bytes()[from%16 : from%16+to-from]
}

// checkNumbered reads all kept bytes, and wants them to be at their offsets.
func checkNumbered(t *testing.T, j *Journal, end int64) {
	t.Helper()
	size, err := j.Size()
	if err != nil || size != end {
		t.Fatalf("Size() = %d, %v; want %d", size, err, end)
	}
	base := j.Base()
	got, err := io.ReadAll(j.Section(base, size))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, numbered(base, end)) {
		t.Fatalf("bytes [%d, %d) are not at their offsets", base, end)
	}
}

// A script is a reader that does something before each piece it returns.
type script struct {
	pieces []func() []byte
	rest   []byte
}

func (s *script) Read(p []byte) (int, error) {
	for len(s.rest) == 0 {
		if len(s.pieces) == 0 {
			return 0, io.EOF
		}
		s.rest, s.pieces = s.pieces[0](), s.pieces[1:]
	}
	n := copy(p, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

func pumpAll(t *testing.T, dir string, r io.Reader, o PumpOptions) {
	t.Helper()
	o.KeepSignals = true
	if err := Pump(dir, r, o); err != nil {
		t.Fatal(err)
	}
}

func eventsOf(t *testing.T, j *Journal, types ...EventType) []Event {
	t.Helper()
	var out []Event
	for e, err := range j.Events() {
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range types {
			if e.Type == want {
				out = append(out, e)
			}
		}
	}
	return out
}

func gapsOf(t *testing.T, j *Journal) string {
	t.Helper()
	gaps, err := j.Gaps(0)
	if err != nil {
		t.Fatal(err)
	}
	var s []string
	for _, g := range gaps {
		open := ""
		if g.Open {
			open = " open"
		}
		s = append(s, fmt.Sprintf("%d at %d: %s%s", g.Lost, g.Offset, g.Text, open))
	}
	return strings.Join(s, "; ")
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
