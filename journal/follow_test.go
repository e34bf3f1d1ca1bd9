package journal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
)

// The three ways to wait. Each makes a follower that is in that way for good.
var followWays = map[string]func(t *testing.T, j *Journal) *Follower{
	"hot": func(t *testing.T, j *Journal) *Follower {
		f := j.Follow()
		f.hot = time.Now().Add(time.Hour) // never cools down
		return f
	},
	"watch": func(t *testing.T, j *Journal) *Follower {
		f := j.Follow()
		f.Long()
		t.Cleanup(func() { f.Close() })
		return f
	},
	"no watch to be had": func(t *testing.T, j *Journal) *Follower {
		f := j.Follow()
		f.Long()
		f.noWatch = time.Now().Add(time.Hour)
		return f
	},
}

func appendRaw(t *testing.T, j *Journal, text string) {
	t.Helper()
	f, err := os.OpenFile(j.Dir()+"/raw.log", os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
}

func TestJ50WaitSeesEveryChange(t *testing.T) {
	for way, follow := range followWays {
		t.Run(way, func(t *testing.T) {
			j := newJournal(t, Meta{Name: "build", Base: 50})
			f := follow(t, j)
			changes := []func(){
				func() { appendRaw(t, j, "x") },
				func() {
					if err := j.Append(Event{Type: Note}); err != nil {
						t.Error(err)
					}
				},
				func() { // as the pump does: a new file under the old name
					writeFile(t, j.Dir()+"/raw.log.new", "0123456789")
					os.Rename(j.Dir()+"/raw.log.new", j.Dir()+"/raw.log")
				},
				func() { os.Truncate(j.Dir()+"/raw.log", 3) },
				func() { os.Remove(j.Dir() + "/index.jsonl") },
			}
			for i, change := range changes {
				seen := f.Now()
				done := make(chan error)
				go func() {
					done <- f.Wait(t.Context(), seen)
				}()
				runtime.Gosched()
				change()
				if err := <-done; err != nil {
					t.Fatalf("change %d: %v", i, err)
				}
				if f.Now() == seen {
					t.Fatalf("change %d: woken, but nothing is new", i)
				}
			}
			// What is new already needs no waiting, even with a dead context.
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if err := f.Wait(ctx, Mark{}); err != nil {
				t.Errorf("something to see: %v", err)
			}
			if err := f.Wait(ctx, f.Now()); !errors.Is(err, context.Canceled) {
				t.Errorf("cancelled: %v", err)
			}
			ctx, cancel = context.WithTimeout(t.Context(), time.Millisecond)
			defer cancel()
			if err := f.Wait(ctx, f.Now()); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("deadline: %v", err)
			}
		})
	}
}

// Every byte is announced: a lost wake-up would leave the follower behind.
func TestJ50NoWakeUpIsLost(t *testing.T) {
	for way, follow := range followWays {
		t.Run(way, func(t *testing.T) {
			j := newJournal(t, Meta{Name: "build"})
			f := follow(t, j)
			count := int64(200)
			if f.noWatch.After(time.Now()) {
				count = 20 // one poll each
			}
			reached := make(chan int64)
			go func() {
				seen := Mark{Index: f.Now().Index}
				for seen.Raw < count {
					if err := f.Wait(t.Context(), seen); err != nil {
						t.Error(err)
						break
					}
					seen = f.Now()
					reached <- seen.Raw
				}
				close(reached)
			}()
			for i := int64(1); i <= count; i++ { // the next byte only after this one was seen
				appendRaw(t, j, "x")
				for n := range reached {
					if n >= i {
						break
					}
				}
			}
			for range reached {
			}
		})
	}
}

func TestWatchIsOpenedOnlyWhenItPays(t *testing.T) {
	opened := 0
	defer func(old func() (*fsnotify.Watcher, error)) { newWatcher = old }(newWatcher)
	newWatcher = func() (*fsnotify.Watcher, error) {
		opened++
		return fsnotify.NewWatcher()
	}
	j := newJournal(t, Meta{Name: "build"})
	wait := func(f *Follower) {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Millisecond)
		defer cancel()
		if err := f.Wait(ctx, f.Now()); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
	}
	before := runtime.NumGoroutine()
	f := j.Follow()
	f.hot = time.Now().Add(time.Hour)
	wait(f)
	if opened != 0 || runtime.NumGoroutine() > before {
		t.Fatalf("a short wait opened %d watches", opened)
	}
	f.hot = time.Now().Add(-hotFor)
	wait(f)
	wait(f)
	if opened != 1 {
		t.Fatalf("after the hot time %d watches were opened, want 1 for all calls", opened)
	}
	f.Hot()
	f.hot = f.hot.Add(time.Hour)
	wait(f)
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if err := f.Close(); err != nil {
		t.Error("a second Close:", err)
	}
	g := j.Follow()
	g.Long()
	wait(g)
	defer g.Close()
	if opened != 2 {
		t.Errorf("Long did not open the watch at once (%d)", opened)
	}
	newWatcher = func() (*fsnotify.Watcher, error) {
		opened++
		return nil, errors.New("too many open files")
	}
	h := j.Follow()
	h.Long()
	wait(h)
	wait(h)
	if opened != 3 {
		t.Errorf("where no watch is to be had it was tried %d times", opened-2)
	}
}

// The watch itself, not the slow look beside it, must report each kind of change.
func TestWatchReports(t *testing.T) {
	j := newJournal(t, Meta{Name: "build"})
	f := j.Follow()
	defer f.Close()
	if !f.arm(time.Now()) {
		t.Fatal("no watch: is fs.inotify.max_user_instances used up?")
	}
	for name, change := range map[string]func(){
		"raw.log":     func() { appendRaw(t, j, "x") },
		"index.jsonl": func() { j.Append(Event{Type: Note}) },
		"raw.log.new": func() {
			writeFile(t, j.Dir()+"/raw.log.new", "0123456789")
			os.Rename(j.Dir()+"/raw.log.new", j.Dir()+"/raw.log")
		},
	} {
		change()
		for e := range f.watch.Events { // the test's own time limit ends a wait for nothing
			if strings.HasSuffix(e.Name, "/"+name) {
				break
			}
		}
	}
}

func TestJ52FollowerOfARetiredJournal(t *testing.T) {
	for _, way := range []string{"watch", "no watch to be had"} {
		t.Run(way, func(t *testing.T) {
			j := newJournal(t, Meta{Name: "build"})
			f := followWays[way](t, j)
			done := make(chan error)
			go func() { done <- f.Wait(t.Context(), f.Now()) }()
			runtime.Gosched()
			if err := Retire(j.Dir()); err != nil {
				t.Fatal(err)
			}
			next, err := Create(j.Dir(), Meta{Name: "build"})
			if err != nil {
				t.Fatal(err)
			}
			defer next.Close()
			appendRaw(t, next, "not for the old follower")
			if err := <-done; !errors.Is(err, ErrRetired) {
				t.Errorf("%v, want ErrRetired", err)
			}
		})
	}
}

func TestManyFollowers(t *testing.T) {
	j := newJournal(t, Meta{Name: "build"})
	start := j.Follow().Now()
	var ready, woken sync.WaitGroup
	errs := make(chan error, 100)
	for i := range 100 {
		ready.Add(1)
		woken.Go(func() {
			own, err := Open(j.Dir())
			if err != nil {
				ready.Done()
				errs <- err
				return
			}
			defer own.Close()
			f := own.Follow()
			f.Long() // over a hundred watches a user may not have: the rest polls
			defer f.Close()
			ready.Done()
			if err := f.Wait(t.Context(), start); err != nil {
				errs <- fmt.Errorf("follower %d: %w", i, err)
			}
		})
	}
	ready.Wait()
	appendRaw(t, j, "x")
	woken.Wait()
	close(errs)
	for err := range errs {
		t.Error(err)
	}
}
