package journal

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

const limitBytes = 64 << 10

func init() {
	// pump DIR: what the pipe child does.
	helpers["pump"] = func(args []string) error { return Pump(args[0], os.Stdin, PumpOptions{}) }

	// limited DIR: the pump under a file size limit, which is lifted on the way.
	helpers["limited"] = func(args []string) error {
		signal.Ignore(unix.SIGXFSZ)
		var old unix.Rlimit
		if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &old); err != nil {
			return err
		}
		set := func(n uint64) {
			if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: n, Max: old.Max}); err != nil {
				panic(err)
			}
		}
		set(limitBytes)
		return Pump(args[0], lossScript(args[0], func() { set(old.Cur) }), PumpOptions{})
	}
}

// lossScript prints 160 KB where 64 KB fit, looks, makes room, and prints more.
func lossScript(dir string, makeRoom func()) io.Reader {
	var seen []Loss
	check := func(ok bool) {
		if !ok {
			panic(fmt.Sprintf("gaps: %+v", seen))
		}
	}
	return &script{pieces: []func() []byte{
		func() []byte { return numbered(0, 160_000) },
		func() []byte {
			j, err := Open(dir)
			if err != nil {
				panic(err)
			}
			defer j.Close()
			seen, _ = j.Gaps(0)
			size, _ := j.Size()
			check(len(seen) == 1 && seen[0].Open && seen[0].Offset == size && seen[0].Lost == 160_000-size)
			// What will be written next goes on at its own offsets, so that
			// checkNumbered can tell what is missing.
			makeRoom()
			return numbered(size, 200_000)
		},
	}}
}

func checkLoss(t *testing.T, j *Journal) {
	t.Helper()
	checkNumbered(t, j, 200_000)
	gaps := eventsOf(t, j, Gap)
	if len(gaps) != 1 || gaps[0].Lost != 160_000-gaps[0].Offset || gaps[0].Offset < 1000 || gaps[0].Text == "" {
		t.Errorf("gap events %+v", gaps)
	}
	if all, err := j.Gaps(0); err != nil || len(all) != 1 || all[0].Open {
		t.Errorf("Gaps: %+v, %v", all, err)
	}
}

func TestJ41J42FileSizeLimit(t *testing.T) {
	j := newJournal(t, Meta{Name: "build"})
	if err := helper("limited", j.Dir()).Run(); err != nil {
		t.Fatal(err)
	}
	checkLoss(t, j)
}

// C9: nothing that a pane prints is changed or lost.
func TestPumpKeepsBytes(t *testing.T) {
	j := newJournal(t, Meta{Name: "build"})
	all := make([]byte, 1<<20)
	for i := range all {
		all[i] = byte(i * 7 >> 3)
	}
	text := "no line end\r\n\x00\xff\xfe\x1b[31m漢" + string(all)
	pumpAll(t, j.Dir(), strings.NewReader(text), PumpOptions{})
	got, err := io.ReadAll(j.Section(0, int64(len(text))))
	if err != nil || string(got) != text {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	if g := gapsOf(t, j); g != "" {
		t.Error(g)
	}
}

func TestJ43RawDeletedOrTruncated(t *testing.T) {
	for name, c := range map[string]struct {
		harm func(raw string) error
		why  string
	}{
		"deleted":   {os.Remove, lossDeleted},
		"replaced":  {func(raw string) error { os.Remove(raw); return os.WriteFile(raw, []byte("foreign"), 0o600) }, lossDeleted},
		"moved":     {func(raw string) error { return os.Rename(raw, raw+".1") }, lossDeleted},
		"emptied":   {func(raw string) error { return os.Truncate(raw, 0) }, lossTruncated},
		"shortened": {func(raw string) error { return os.Truncate(raw, 33) }, lossTruncated},
	} {
		t.Run(name, func(t *testing.T) {
			j := newJournal(t, Meta{Name: "build", Base: 1600})
			late, err := Open(j.Dir())
			if err != nil {
				t.Fatal(err)
			}
			defer late.Close()
			pumpAll(t, j.Dir(), &script{pieces: []func() []byte{
				func() []byte { return numbered(1600, 5000) },
				func() []byte {
					if err := c.harm(j.Dir() + "/raw.log"); err != nil {
						t.Error(err)
					}
					return numbered(5000, 6000)
				},
			}}, PumpOptions{})
			for _, r := range []*Journal{j, late} {
				checkNumbered(t, r, 6000)
				if r.Base() != 5000 {
					t.Errorf("base %d, want 5000", r.Base())
				}
			}
			if want := fmt.Sprintf("3400 at 5000: %s", c.why); gapsOf(t, j) != want {
				t.Errorf("gaps %q, want %q", gapsOf(t, j), want)
			}
			if e := eventsOf(t, j, Rotated); len(e) != 1 || e[0].Offset != 5000 {
				t.Errorf("rotated events %+v", e)
			}
			os.Remove(j.Dir() + "/meta.json")
			if bare, err := Open(j.Dir()); err != nil || bare.Base() != 5000 {
				t.Errorf("the base without meta.json: %v", err)
			}
		})
	}
}

// While the pump is dead nobody watches raw.log. The next one knows from the
// index how far it had been.
func TestJ43RawDeletedWithoutPump(t *testing.T) {
	j := newJournal(t, Meta{Name: "build"})
	pumpAll(t, j.Dir(), strings.NewReader("0123456789"), PumpOptions{})
	if err := j.Append(Event{Type: CmdStart, CmdID: 1, Offset: 10}); err != nil {
		t.Fatal(err)
	}
	os.Remove(j.Dir() + "/raw.log")
	pumpAll(t, j.Dir(), strings.NewReader("abc"), PumpOptions{})
	if n, err := j.Size(); n != 13 || err != nil || j.Base() != 10 {
		t.Errorf("base %d, size %d, %v", j.Base(), n, err)
	}
	if g := gapsOf(t, j); !strings.HasPrefix(g, "0 at 10: "+lossDeleted) {
		t.Errorf("gaps %q", g)
	}
}

func TestJ40J44PumpKilledAndStartedAgain(t *testing.T) {
	j := newJournal(t, Meta{Name: "build"})
	alive := func(want bool) {
		t.Helper()
		if got, err := WriterAlive(j.Dir()); got != want || err != nil {
			t.Fatalf("WriterAlive: %v, %v", got, err)
		}
	}
	alive(false)
	cmd := helper("pump", j.Dir())
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	f := j.Follow()
	seen := f.Now()
	io.WriteString(in, "0123456789")
	if err := f.Wait(t.Context(), seen); err != nil {
		t.Fatal(err)
	}
	alive(true)
	// None of these ends it, or stops it.
	for _, sig := range []syscall.Signal{unix.SIGHUP, unix.SIGINT, unix.SIGQUIT, unix.SIGTERM, unix.SIGPIPE, unix.SIGTSTP, unix.SIGTTIN, unix.SIGTTOU, unix.SIGXFSZ} {
		if err := cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
	}
	seen = f.Now()
	io.WriteString(in, "abc")
	f.Hot()
	if err := f.Wait(t.Context(), seen); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != -1 {
		t.Fatalf("killed: %v", err)
	}
	alive(false)
	pumpAll(t, j.Dir(), strings.NewReader("later"), PumpOptions{})
	alive(false)
	if g, want := gapsOf(t, j), "0 at 13: "+lossDied; g != want {
		t.Errorf("gaps %q, want %q", g, want)
	}
	pumpAll(t, j.Dir(), strings.NewReader(""), PumpOptions{})
	if g, want := gapsOf(t, j), "0 at 13: "+lossDied+"; 0 at 18: "+lossRestart; g != want {
		t.Errorf("gaps %q, want %q", g, want)
	}
	if b, _ := io.ReadAll(j.Section(0, 99)); string(b) != "0123456789abclater" {
		t.Errorf("raw %q", b)
	}
}

// A loss that a killed pump had not reported is reported by the next one, once.
func TestJ42J44LossSurvivesThePump(t *testing.T) {
	for _, reported := range []bool{false, true} {
		j := newJournal(t, Meta{Name: "build"})
		appendRaw(t, j, "0123456789")
		state := padState(appendObject(nil, (&writerState{pid: 1, open: 1, offset: 10, lost: 4096}).fields(), nil))
		writeFile(t, j.Dir()+"/writer.lock", string(state))
		if len(state) != writerStateLen {
			t.Fatalf("state has %d bytes", len(state))
		}
		if reported {
			if err := j.Append(Event{Type: Gap, Offset: 10, Lost: 4096, Text: lossUnwritten}); err != nil {
				t.Fatal(err)
			}
		} else if g, want := gapsOf(t, j), "4096 at 10: "+lossUnwritten+" open"; g != want {
			t.Errorf("before: %q, want %q", g, want)
		}
		pumpAll(t, j.Dir(), strings.NewReader("x"), PumpOptions{})
		if g, want := gapsOf(t, j), "4096 at 10: "+lossUnwritten+"; 0 at 10: "+lossDied; g != want {
			t.Errorf("reported %v: %q, want %q", reported, g, want)
		}
	}
}

// Probers look at the lock all the time while pumps start.
func TestJ40ProbersDoNotKeepThePumpFromItsLock(t *testing.T) {
	j := newJournal(t, Meta{Name: "build"})
	stop := make(chan struct{})
	var probers sync.WaitGroup
	for range 4 {
		probers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					WriterAlive(j.Dir())
				}
			}
		})
	}
	for range 50 {
		pumpAll(t, j.Dir(), &script{pieces: []func() []byte{func() []byte {
			if ok, err := WriterAlive(j.Dir()); !ok || err != nil {
				t.Errorf("the pump runs without its lock (%v)", err)
			}
			return nil
		}}}, PumpOptions{})
	}
	close(stop)
	probers.Wait()
}

// A stopped pump keeps the lock, but not the next one from writing.
func TestJ40SecondPumpWritesWithoutTheLock(t *testing.T) {
	defer func(d time.Duration) { lockWait = d }(lockWait)
	lockWait = 5 * time.Millisecond
	j := newJournal(t, Meta{Name: "build"})
	r, w := io.Pipe()
	first := make(chan struct{})
	go func() {
		defer close(first)
		Pump(j.Dir(), r, PumpOptions{KeepSignals: true})
	}()
	f := j.Follow()
	seen := f.Now()
	io.WriteString(w, "from the first. ")
	if err := f.Wait(t.Context(), seen); err != nil {
		t.Fatal(err)
	}
	pumpAll(t, j.Dir(), &script{pieces: []func() []byte{
		func() []byte { return []byte("from the second. ") },
		func() []byte {
			// The first one goes on, and rotates under the second's feet.
			writeFile(t, j.Dir()+"/raw.log.new", "")
			os.Remove(j.Dir() + "/raw.log")
			io.WriteString(w, "first again. ")
			w.Close()
			<-first
			return []byte("second again. ")
		},
	}}, PumpOptions{})
	end, err := j.Size()
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(j.Section(j.Base(), end))
	if err != nil || string(b) != "first again. second again. " {
		t.Errorf("raw.log holds %q, %v", b, err)
	}
	if g := gapsOf(t, j); !strings.HasPrefix(g, fmt.Sprintf("33 at 33: %s", lossDeleted)) {
		t.Errorf("gaps %q", g)
	}
}

func TestPumpWithoutADirectory(t *testing.T) {
	if err := Pump(t.TempDir()+"/none", strings.NewReader("x"), PumpOptions{KeepSignals: true}); !errors.Is(err, ErrNotFound) {
		t.Errorf("%v, want ErrNotFound", err)
	}
}

// The terminal is pruned while its last bytes arrive: no harm, no new directory.
func TestPumpOutlivesItsDirectory(t *testing.T) {
	j := newJournal(t, Meta{Name: "build"})
	pumpAll(t, j.Dir(), &script{pieces: []func() []byte{
		func() []byte { return []byte("x") },
		func() []byte { os.RemoveAll(j.Dir()); return []byte("y") },
		func() []byte { return []byte("z") },
	}}, PumpOptions{})
	if _, err := os.Stat(j.Dir()); !isNotExist(err) {
		t.Errorf("the directory is back: %v", err)
	}
}
