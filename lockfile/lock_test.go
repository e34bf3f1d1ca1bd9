package lockfile

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// As a child the test binary is another process that uses locks.
func TestMain(m *testing.M) {
	path := os.Getenv("LOCKFILE_TEST")
	switch os.Getenv("LOCKFILE_TEST_DO") {
	case "hold":
		unlock, err := TryLock(path, Holder{Verb: "hold", Text: "child"})
		fmt.Println(err)
		os.Stdin.Read(make([]byte, 1))
		if unlock != nil {
			unlock()
		}
		os.Exit(0)
	case "hold and start":
		// Leaves a grandchild behind that outlives it.
		if _, err := TryLock(path, Holder{Verb: "hold"}); err != nil {
			os.Exit(1)
		}
		c := exec.Command("sleep", "1000")
		if err := c.Start(); err != nil {
			os.Exit(1)
		}
		fmt.Println(c.Process.Pid)
		os.Stdin.Read(make([]byte, 1))
		os.Exit(0)
	}
	os.Exit(m.Run())
}

type child struct {
	cmd   *exec.Cmd
	first string // the first line that it printed
	stop  func() // closes its stdin and waits
}

func start(t *testing.T, path, do string) *child {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "LOCKFILE_TEST="+path, "LOCKFILE_TEST_DO="+do)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	stop := sync.OnceFunc(func() {
		in.Close()
		cmd.Wait()
	})
	t.Cleanup(stop)
	return &child{cmd, strings.TrimSpace(line), stop}
}

func lockPath(t *testing.T) string {
	return filepath.Join(t.TempDir(), "lock")
}

func TestHolderOfAnotherProcessIsNamed(t *testing.T) {
	path := lockPath(t)
	c := start(t, path, "hold")
	if c.first != "<nil>" {
		t.Fatal(c.first)
	}
	want := Holder{PID: c.cmd.Process.Pid, Verb: "hold", Text: "child"}
	check := func(how string, h Holder) {
		t.Helper()
		if time.Since(h.Since) > time.Minute || h.Since.IsZero() {
			t.Errorf("%s: since %v", how, h.Since)
		}
		h.Since = time.Time{}
		if h != want {
			t.Errorf("%s: %+v, want %+v", how, h, want)
		}
	}
	h, held := Held(path)
	if !held {
		t.Fatal("not held")
	}
	check("Held", h)

	_, err := TryLock(path, Holder{Verb: "mine"})
	var e *HeldError
	if !errors.As(err, &e) || !errors.Is(err, ErrHeld) || e.Path != path || e.Cause != nil {
		t.Fatalf("TryLock: %#v", err)
	}
	check("TryLock", e.Holder)
	if want := fmt.Sprintf("lock %s is held by pid %d (hold)", path, want.PID); err.Error() != want {
		t.Errorf("text %q, want %q", err, want)
	}

	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Millisecond)
	defer cancel()
	_, err = Lock(ctx, path, Holder{})
	if !errors.As(err, &e) || !errors.Is(err, ErrHeld) || !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("Lock: %#v", err)
	}
	check("Lock", e.Holder)

	c.stop()
	if h, held := Held(path); held {
		t.Errorf("still held by %+v", h)
	}
	unlock, err := TryLock(path, Holder{})
	if err != nil {
		t.Fatal(err)
	}
	unlock()
}

func TestKilledHolderHoldsNothing(t *testing.T) {
	path := lockPath(t)
	c := start(t, path, "hold")
	c.cmd.Process.Kill()
	c.cmd.Wait()
	if data, err := os.ReadFile(path); err != nil || len(data) == 0 {
		t.Fatalf("the killed holder's name is gone: %q, %v", data, err)
	}
	if h, held := Held(path); held {
		t.Errorf("held by %+v", h)
	}
	// Nor is its name taken for that of the next holder.
	unlock, err := TryLock(path, Holder{Verb: "next"})
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	if h, held := Held(path); !held || h.PID != os.Getpid() || h.Verb != "next" {
		t.Errorf("held by %+v, %v", h, held)
	}
}

func TestChildOfAHolderDoesNotHold(t *testing.T) {
	path := lockPath(t)
	c := start(t, path, "hold and start")
	var grandchild int
	if _, err := fmt.Sscan(c.first, &grandchild); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if p, err := os.FindProcess(grandchild); err == nil {
			p.Kill()
		}
	}()
	c.stop()
	if !alive(grandchild) {
		t.Fatal("the grandchild did not outlive its parent")
	}
	if h, held := Held(path); held {
		t.Errorf("held by %+v", h)
	}
	unlock, err := TryLock(path, Holder{})
	if err != nil {
		t.Fatal(err)
	}
	unlock()
}

func TestUnlockEmptiesTheFile(t *testing.T) {
	path := lockPath(t)
	unlock, err := TryLock(path, Holder{Verb: "run", Text: "x"})
	if err != nil {
		t.Fatal(err)
	}
	if st, err := os.Stat(path); err != nil || st.Mode().Perm() != 0o600 || st.Size() == 0 {
		t.Errorf("while held: %v, %v", st, err)
	}
	unlock()
	if st, err := os.Stat(path); err != nil || st.Size() != 0 {
		t.Errorf("after: %v, %v", st, err)
	}
	other, err := TryLock(path, Holder{Verb: "other"})
	if err != nil {
		t.Fatal(err)
	}
	unlock() // a second time: not the other's business
	if h, held := Held(path); !held || h.Verb != "other" {
		t.Errorf("held by %+v, %v", h, held)
	}
	other()
}

func TestOneHolderAtATime(t *testing.T) {
	path := lockPath(t)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	var inside, n atomic.Int32
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 5 {
				unlock, err := Lock(ctx, path, Holder{Verb: "w"})
				if err != nil {
					t.Error(err)
					return
				}
				if inside.Add(1) != 1 {
					t.Error("two holders")
				}
				n.Add(1)
				inside.Add(-1)
				unlock()
			}
		})
	}
	wg.Wait()
	if n.Load() != 40 {
		t.Errorf("%d of 40 had it", n.Load())
	}
}

func TestLookingTakesNoLock(t *testing.T) {
	path := lockPath(t)
	if _, held := Held(path); held {
		t.Error("a missing file is held")
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("looking made the file")
	}
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				Held(path)
			}
		}
	})
	for range 200 {
		unlock, err := TryLock(path, Holder{})
		if err != nil {
			t.Error(err)
			break
		}
		unlock()
	}
	close(stop)
	wg.Wait()
}

func TestFreeLockIsTakenByAnEndedContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	unlock, err := Lock(ctx, lockPath(t), Holder{})
	if err != nil {
		t.Fatal(err)
	}
	unlock()
}

func TestWhatCannotBeOpenedIsNotHeld(t *testing.T) {
	_, err := TryLock(filepath.Join(t.TempDir(), "missing", "lock"), Holder{})
	if !errors.Is(err, os.ErrNotExist) || errors.Is(err, ErrHeld) {
		t.Errorf("TryLock: %v", err)
	}
}

// A directory that is renamed takes its lock along; unlocking must not touch
// the file that has come to the old place.
func TestUnlockAfterARename(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	unlock, err := TryLock(a, Holder{Verb: "old"})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(a, b); err != nil {
		t.Fatal(err)
	}
	other, err := TryLock(a, Holder{Verb: "new"})
	if err != nil {
		t.Fatal(err)
	}
	defer other()
	unlock()
	if h, held := Held(a); !held || h.Verb != "new" {
		t.Errorf("held by %+v, %v", h, held)
	}
	if _, held := Held(b); held {
		t.Error("the renamed file is still held")
	}
}

func TestContentIsReadWithCare(t *testing.T) {
	path := lockPath(t)
	for _, content := range []string{"", "\n", "garbage", "{", `{"pid":1}`, `{"pid":-1,"since":"x"}` + "\n", "null\n", strings.Repeat("x", 100000)} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if h, held := Held(path); held {
			t.Errorf("%.20q: held by %+v", content, h)
		}
		unlock, err := TryLock(path, Holder{Verb: "v"})
		if err != nil {
			t.Fatal(err)
		}
		if h, held := Held(path); !held || h.Verb != "v" {
			t.Errorf("after %.20q: %+v, %v", content, h, held)
		}
		unlock()
	}
}

func TestLongTextIsCut(t *testing.T) {
	path := lockPath(t)
	for _, text := range []string{strings.Repeat("ä", 5000), strings.Repeat("\x01", 5000), "x" + strings.Repeat("😀", 3000)} {
		unlock, err := TryLock(path, Holder{Text: text})
		if err != nil {
			t.Fatal(err)
		}
		h, held := Held(path)
		if !held || len(h.Text) > maxText || len(h.Text) < maxText-3 || !strings.HasPrefix(text, h.Text) {
			t.Errorf("%d bytes of text came, %v", len(h.Text), held)
		}
		unlock()
	}
}

func BenchmarkTryLock(b *testing.B) {
	path := filepath.Join(b.TempDir(), "lock")
	for b.Loop() {
		unlock, err := TryLock(path, Holder{Verb: "run", Text: "make test"})
		if err != nil {
			b.Fatal(err)
		}
		unlock()
	}
}

func BenchmarkHeld(b *testing.B) {
	path := filepath.Join(b.TempDir(), "lock")
	unlock, err := TryLock(path, Holder{Verb: "run", Text: "make test"})
	if err != nil {
		b.Fatal(err)
	}
	defer unlock()
	for b.Loop() {
		if _, held := Held(path); !held {
			b.Fatal("not held")
		}
	}
}
