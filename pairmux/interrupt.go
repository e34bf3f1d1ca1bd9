package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
)

// signalled is the cause of a context that a signal ended.
type signalled struct{ sig syscall.Signal }

func (s signalled) Error() string { return s.sig.String() }

// interruptible returns a context that SIGINT and SIGTERM end, so that a
// blocked call answers as if its deadline had passed.
func interruptible(parent context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	ch := make(chan os.Signal, 1)
	signal.Notify(ch, syscall.SIGINT, syscall.SIGTERM)
	go func() {
		select {
		case s := <-ch:
			cancel(signalled{s.(syscall.Signal)})
		case <-ctx.Done():
		}
	}()
	return ctx, func() { signal.Stop(ch); cancel(nil) }
}

// afterSignal sets the exit status of a call that a signal cut short.
func afterSignal(ctx context.Context, out *outcome) *outcome {
	var s signalled
	if errors.As(context.Cause(ctx), &s) {
		out.exit = 128 + int(s.sig)
	}
	return out
}
