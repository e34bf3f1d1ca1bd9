package lockfile

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/gofrs/flock"
)

// ErrHeld is what errors.Is finds in a [HeldError].
var ErrHeld = errors.New("lock is held")

// HeldError says that another holder has the lock. It matches [ErrHeld], and
// the error of the context when [Lock] gave up because that ended.
type HeldError struct {
	Path   string
	Holder Holder // zero where the holder could not be told
	Cause  error  // nil, or the context's error
}

func (e *HeldError) Error() string {
	msg := "lock " + e.Path + " is held"
	if e.Holder.PID != 0 {
		msg += fmt.Sprintf(" by pid %d", e.Holder.PID)
	}
	if e.Holder.Verb != "" {
		msg += " (" + e.Holder.Verb + ")"
	}
	if e.Cause != nil {
		msg += ": " + e.Cause.Error()
	}
	return msg
}

// Unwrap lets errors.Is find ErrHeld and the context's error.
func (e *HeldError) Unwrap() []error {
	if e.Cause == nil {
		return []error{ErrHeld}
	}
	return []error{ErrHeld, e.Cause}
}

// pollInterval is how soon a waiter sees that the lock is free: about the
// shortest that a Go timer can sleep.
const pollInterval = time.Millisecond

// TryLock takes the lock of the file at path, which it creates with mode 0600
// when missing, and writes h into it (PID 0 means this process, a zero Since
// means now). It does not wait: a lock in other hands is a *[HeldError]. Other
// errors are those of opening and writing the file.
//
// The returned unlock empties the file and frees the lock. It may be called
// more than once and from any goroutine. It must stay reachable for as long as
// the lock is to be kept: a garbage-collected one frees the lock.
func TryLock(path string, h Holder) (unlock func(), err error) {
	unlock, err = try(flock.New(path), h)
	if unlock == nil && err == nil {
		return nil, &HeldError{Path: path, Holder: whoHolds(path)}
	}
	return unlock, err
}

// Lock is [TryLock] that waits for the lock until ctx ends; the error is then
// a *[HeldError] that also matches the context's error. A free lock is taken
// even when ctx has ended already.
func Lock(ctx context.Context, path string, h Holder) (unlock func(), err error) {
	fl := flock.New(path)
	var tick *time.Timer
	for {
		unlock, err = try(fl, h)
		if unlock != nil || err != nil {
			return unlock, err
		}
		if tick == nil {
			tick = time.NewTimer(pollInterval)
			defer tick.Stop()
		} else {
			tick.Reset(pollInterval)
		}
		select {
		case <-ctx.Done():
			return nil, &HeldError{Path: path, Holder: whoHolds(path), Cause: ctx.Err()}
		case <-tick.C:
		}
	}
}

// try takes the lock once. Held by another: nil, nil.
func try(fl *flock.Flock, h Holder) (func(), error) {
	for {
		ok, err := fl.TryLock()
		if err != nil || !ok {
			return nil, err
		}
		w, err := os.OpenFile(fl.Path(), os.O_WRONLY, 0)
		if err == nil && !sameFile(fl, w) {
			// The path was given to another file between our open and our
			// lock, so what we hold protects nothing.
			w.Close()
			fl.Unlock()
			continue
		}
		if err == nil {
			err = h.write(w)
			if err != nil {
				w.Close()
			}
		}
		if err != nil {
			fl.Unlock()
			return nil, err
		}
		return func() {
			// Emptied while still locked, so that the next holder's name is
			// not wiped; by descriptor, so that a rename in between does no
			// harm.
			w.Truncate(0)
			w.Close()
			fl.Unlock()
		}, nil
	}
}

func sameFile(fl *flock.Flock, f *os.File) bool {
	a, errA := fl.Stat()
	b, errB := f.Stat()
	return errA == nil && errB == nil && os.SameFile(a, b)
}
