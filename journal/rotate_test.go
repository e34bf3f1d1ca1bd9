package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
)

func init() {
	// rotate DIR STEP: a pump that dies at a step of its first rotation.
	helpers["rotate"] = func(args []string) error {
		dieAt(args[1])
		return Pump(args[0], bytes.NewReader(numbered(1600, 100_000)), PumpOptions{MaxJournal: 20_000})
	}
}

func noLeftovers(t *testing.T, j *Journal) {
	t.Helper()
	if _, err := os.Stat(j.Dir() + "/" + newRawName); !isNotExist(err) {
		t.Errorf("%s was left (%v)", newRawName, err)
	}
	b, err := os.ReadFile(j.Dir() + "/meta.json")
	if err != nil || bytes.Contains(b, []byte("next_")) {
		t.Errorf("meta.json is not settled: %s, %v", b, err)
	}
}

func TestJ34RotationKeepsTheNewest(t *testing.T) {
	const limit, total = 50_000, 1_000_000
	j := newJournal(t, Meta{Name: "build", MaxJournal: limit})
	var pieces []func() []byte
	for at := int64(0); at < total; at += 4000 { // as a pty gives it
		pieces = append(pieces, func() []byte {
			if at > 0 {
				size, err := j.Size()
				if err != nil || size != at || j.Base() > at-limit/4 && at > limit {
					t.Errorf("at %d: [%d, %d), %v", at, j.Base(), size, err)
				}
				if size-j.Base() > 2*limit {
					t.Errorf("%d bytes are kept", size-j.Base())
				}
			}
			return numbered(at, at+4000)
		})
	}
	pumpAll(t, j.Dir(), &script{pieces: pieces}, PumpOptions{})
	checkNumbered(t, j, total)
	noLeftovers(t, j)
	moves := eventsOf(t, j, Rotated)
	if len(moves) < 10 || moves[len(moves)-1].Offset != j.Base() {
		t.Errorf("%d rotated events, the base is %d", len(moves), j.Base())
	}
	for _, e := range moves {
		if e.Offset%16 != 0 {
			t.Errorf("the base %d is in mid-line", e.Offset)
		}
	}
	if g := gapsOf(t, j); g != "" {
		t.Errorf("a rotation is no gap: %s", g)
	}
	if w := j.Warnings(); w != nil {
		t.Errorf("warnings %q", w)
	}
}

func TestJ34RotationIsOff(t *testing.T) {
	for _, o := range []PumpOptions{{}, {MaxJournal: -1}} {
		j := newJournal(t, Meta{Name: "build"})
		if o.MaxJournal < 0 {
			if err := j.UpdateMeta(func(m *Meta) { m.MaxJournal = 100 }); err != nil {
				t.Fatal(err)
			}
		}
		pumpAll(t, j.Dir(), bytes.NewReader(numbered(0, 300_000)), o)
		if j.Base() != 0 {
			t.Errorf("%+v: rotated to %d", o, j.Base())
		}
		checkNumbered(t, j, 300_000)
	}
}

func TestJ34RunningCommandIsNeverCut(t *testing.T) {
	const limit = 50_000
	j := newJournal(t, Meta{Name: "build"})
	appendEvent := func(e Event) {
		if err := j.Append(e); err != nil {
			t.Error(err)
		}
	}
	var pieces []func() []byte
	piece := func(from, to int64, before func()) {
		pieces = append(pieces, func() []byte { before(); return numbered(from, to) })
	}
	piece(0, 40_000, func() { appendEvent(Event{Type: CmdStart, CmdID: 1}) }) // its client died: no end
	for at := int64(40_000); at < 640_000; at += 10_000 {
		piece(at, at+10_000, func() {
			if at == 40_000 {
				appendEvent(Event{Type: CmdStart, CmdID: 2, Offset: 40_000})
			} else if b := make([]byte, 16); true {
				if n, err := j.ReadAt(b, 40_000); n != 16 || err != nil {
					t.Errorf("at %d the running command's first bytes are gone: %v", at, err)
				}
				_, _ = j.Size()
			}
		})
	}
	piece(640_000, 700_000, func() {
		if base := j.Base(); base > 40_000 || base == 0 {
			t.Errorf("base %d: the first command should be cut, the second not", base)
		}
		appendEvent(Event{Type: CmdEnd, CmdID: 2, Start: 40_100, Offset: 639_000})
	})
	piece(700_000, 800_000, func() {})
	pumpAll(t, j.Dir(), &script{pieces: pieces}, PumpOptions{MaxJournal: limit})
	checkNumbered(t, j, 800_000)
	if base := j.Base(); base < 700_000 {
		t.Errorf("base %d: after the end it should be rotated", base)
	}
}

// J33: whoever reads after a crash, and whoever reads while it happens, finds
// each byte at its offset; the next pump finishes the rotation.
func TestJ33RotationSurvivesCrashes(t *testing.T) {
	for _, at := range []string{"copied", "announced", "renamed", "settled"} {
		for _, meta := range []string{"kept", "updated", "deleted"} {
			t.Run(at+", meta "+meta, func(t *testing.T) {
				j := newJournal(t, Meta{Name: "build", Base: 1600})
				mustDie(t, helper("rotate", j.Dir(), at))
				late, err := Open(j.Dir())
				if err != nil {
					t.Fatal(err)
				}
				defer late.Close()
				end, err := late.Size()
				if err != nil {
					t.Fatal(err)
				}
				rotated := late.Base() != 1600
				if want := at == "renamed" || at == "settled"; rotated != want {
					t.Fatalf("base %d", late.Base())
				}
				checkNumbered(t, late, end)
				checkNumbered(t, j, end)

				switch meta {
				case "updated": // by somebody who knows nothing of the rotation
					m := j.Meta()
					m.PaneID = "%9"
					if err := j.SetMeta(m); err != nil {
						t.Fatal(err)
					}
					checkNumbered(t, j, end)
				case "deleted":
					if at == "renamed" || at == "settled" {
						return // until the event is written, meta.json alone knows the base
					}
					os.Remove(j.Dir() + "/meta.json")
				}
				more := numbered(end, end+5000)
				pumpAll(t, j.Dir(), bytes.NewReader(more), PumpOptions{})
				checkNumbered(t, j, end+5000)
				if fresh, err := Open(j.Dir()); err != nil {
					t.Fatal(err)
				} else {
					checkNumbered(t, fresh, end+5000)
					if fresh.lastBase() != fresh.Base() {
						t.Errorf("the events say the base is %d, not %d", fresh.lastBase(), fresh.Base())
					}
					fresh.Close()
				}
				if meta != "deleted" {
					noLeftovers(t, j)
				}
				if g, want := gapsOf(t, j), fmt.Sprintf("0 at %d: %s", end, lossDied); g != want {
					t.Errorf("gaps %q, want %q", g, want)
				}
			})
		}
	}
}

// Readers that open the journal again and again while it is rotated all the time.
func TestJ33ConcurrentReaders(t *testing.T) {
	j := newJournal(t, Meta{Name: "build"})
	stop, done := make(chan struct{}), make(chan error, 2)
	for kind := range 2 {
		go func() {
			r := j
			for {
				select {
				case <-stop:
					done <- nil
					return
				default:
				}
				if kind == 0 {
					var err error
					if r, err = Open(j.Dir()); err != nil {
						done <- err
						return
					}
				}
				end, err := r.Size()
				base := r.Base()
				got := make([]byte, min(end-base, 3000))
				n, rerr := r.ReadAt(got, end-int64(len(got)))
				if err != nil || rerr != nil && !errors.Is(rerr, io.EOF) && !errors.Is(rerr, ErrRotatedAway) ||
					!bytes.Equal(got[:n], numbered(end-int64(len(got)), end)[:n]) {
					done <- fmt.Errorf("kind %d: [%d, %d): %d bytes, %v, %v", kind, base, end, n, err, rerr)
					return
				}
				if kind == 0 {
					r.Close()
				}
			}
		}()
	}
	pumpAll(t, j.Dir(), bytes.NewReader(numbered(0, 4_000_000)), PumpOptions{MaxJournal: 70_000})
	close(stop)
	for range 2 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	checkNumbered(t, j, 4_000_000)
}

// Somebody holds meta.json's lock, for ever perhaps: the pane must not wait.
func TestRotationDoesNotWaitForAnybody(t *testing.T) {
	j := newJournal(t, Meta{Name: "build"})
	unlock, err := j.lockMeta(0)
	if err != nil {
		t.Fatal(err)
	}
	pumpAll(t, j.Dir(), bytes.NewReader(numbered(0, 200_000)), PumpOptions{MaxJournal: 20_000})
	if j.Base() != 0 {
		t.Errorf("base %d", j.Base())
	}
	checkNumbered(t, j, 200_000)
	noLeftovers(t, j)
	unlock()
	pumpAll(t, j.Dir(), bytes.NewReader(numbered(200_000, 300_000)), PumpOptions{MaxJournal: 20_000})
	checkNumbered(t, j, 300_000)
	if j.Base() == 0 {
		t.Error("afterwards it should be rotated")
	}
}

// Without meta.json the base is found in the index, whatever the pump did since.
func TestJ13RotationWithoutMeta(t *testing.T) {
	j := newJournal(t, Meta{Name: "build"})
	os.Remove(j.Dir() + "/meta.json")
	pumpAll(t, j.Dir(), bytes.NewReader(numbered(0, 200_000)), PumpOptions{MaxJournal: 20_000})
	bare, err := Open(j.Dir())
	if err != nil {
		t.Fatal(err)
	}
	defer bare.Close()
	checkNumbered(t, bare, 200_000)
	if bare.Base() == 0 || len(bare.Warnings()) != 1 || !strings.Contains(bare.Warnings()[0], "meta.json") {
		t.Errorf("base %d, warnings %q", bare.Base(), bare.Warnings())
	}
}
