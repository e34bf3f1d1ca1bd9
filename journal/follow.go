package journal

import (
	"context"
	"errors"
	"time"

	"github.com/fsnotify/fsnotify"
	"golang.org/x/sys/unix"
)

// ErrRetired says that the journal that was followed is no longer the
// terminal's: its name was used again, or it was pruned.
var ErrRetired = errors.New("journal retired")

// hotFor is how long a follower polls before it opens a watch: closing an
// inotify watch costs 5 to 13 ms, more than most commands take.
const hotFor = 100 * time.Millisecond

// newWatcher fails when the user has too many inotify instances.
var newWatcher = fsnotify.NewWatcher

// A Mark says how far a reader has looked.
type Mark struct {
	Raw   int64 // absolute offset in raw.log
	Index int64 // size of index.jsonl in bytes
}

// A Follower waits for a journal to grow. It is for one goroutine; any number
// of followers may follow the same journal.
type Follower struct {
	j       *Journal
	hot     time.Time // polling began
	long    bool
	watch   *fsnotify.Watcher
	noWatch time.Time // no watch could be had; not tried again before this
}

// Follow returns a follower. It opens nothing and starts nothing: for the first
// 100 ms, and for as long after each call of Hot, Wait polls with sleeps of
// 0.1 to 1 ms. After that, or at once after Long, it watches the directory.
func (j *Journal) Follow() *Follower {
	return &Follower{j: j, hot: time.Now()}
}

// Hot says that something is about to happen: the next 100 ms are polled.
func (f *Follower) Hot() { f.hot, f.long = time.Now(), false }

// Long says that a long wait begins: no polling, the watch at once.
func (f *Follower) Long() { f.long = true }

// Now returns how far the journal reaches, at the cost of two system calls.
func (f *Follower) Now() Mark {
	var m Mark
	m.Raw, _ = f.j.Size()
	var st unix.Stat_t
	if f.j.statAt(indexName, &st) == nil {
		m.Index = st.Size
	}
	return m
}

// Wait blocks until raw.log or index.jsonl differs from seen, and returns nil; at
// once if it already does. When ctx ends first it returns ctx's error, when the
// directory left its place [ErrRetired]. It may return nil early, never
// late: take a Mark, look, then wait for what differs from the mark. The watch
// is kept between calls, so that a short deadline costs next to nothing.
func (f *Follower) Wait(ctx context.Context, seen Mark) error {
	deadline, bounded := ctx.Deadline()
	for {
		if f.Now() != seen {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		now := time.Now()
		if bounded && !now.Before(deadline) {
			// The context's own timer may be late.
			return context.DeadlineExceeded
		}
		if hot := now.Sub(f.hot); hot < hotFor && !f.long {
			d := min(max(hot/20, 100*time.Microsecond), time.Millisecond)
			if bounded {
				d = min(d, deadline.Sub(now))
			}
			nap(d)
			continue
		}
		if f.j.Retired() {
			return ErrRetired
		}
		if f.watch == nil && f.arm(now) {
			continue // it may have grown before the watch was armed
		}
		f.sleep(ctx, now, deadline)
	}
}

// arm opens the watch. Where none is to be had, it is tried again seconds later.
func (f *Follower) arm(now time.Time) bool {
	if now.Before(f.noWatch) {
		return false
	}
	f.noWatch = now.Add(5 * time.Second)
	w, err := newWatcher()
	if err != nil {
		return false
	}
	if err := w.Add(f.j.dir); err != nil {
		w.Close()
		return false
	}
	f.watch = w
	return true
}

// sleep returns when the journal may have grown, when ctx ends, and from time to
// time: file systems that are written to from elsewhere do not report it.
func (f *Follower) sleep(ctx context.Context, now, deadline time.Time) {
	every := time.Second
	var events chan fsnotify.Event
	var errs chan error
	if f.watch != nil {
		events, errs = f.watch.Events, f.watch.Errors
	} else {
		every = min(max(now.Sub(f.hot)/20, 5*time.Millisecond), 20*time.Millisecond)
	}
	var tick <-chan time.Time
	if deadline.IsZero() || deadline.Sub(now) > every { // else the context's timer is enough
		t := time.NewTimer(every)
		defer t.Stop()
		tick = t.C
	}
	for {
		select {
		case e, ok := <-events:
			if ok && e.Op == fsnotify.Chmod {
				continue
			}
			if !ok {
				f.watch = nil
			}
		case _, ok := <-errs: // an overflow is only a reason to look
			if !ok {
				f.watch = nil
			}
		case <-tick:
		case <-ctx.Done():
		}
		return
	}
}

// Close ends the watch, which takes 5 to 13 ms if there is one. A process that
// is about to exit may leave it out.
func (f *Follower) Close() error {
	if f.watch == nil {
		return nil
	}
	w := f.watch
	f.watch = nil
	return w.Close()
}
