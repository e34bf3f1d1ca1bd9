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

// patience is a context that becomes interruptible when it is first waited on:
// setting up signals takes a third of a millisecond, and a run that has not
// typed yet need not answer a signal.
type patience struct {
	parent context.Context
	ctx    context.Context
	stop   func()
}

// wait returns the interruptible context.
func (p *patience) wait() context.Context {
	if p.ctx == nil {
		p.ctx, p.stop = interruptible(p.parent)
	}
	return p.ctx
}

// end releases the signals.
func (p *patience) end() {
	if p.stop != nil {
		p.stop()
	}
}

// afterSignal sets the exit status of a call that a signal cut short.
func afterSignal(ctx context.Context, out *outcome) *outcome {
	var s signalled
	if ctx == nil {
		return out
	}
	if errors.As(context.Cause(ctx), &s) {
		out.exit = 128 + int(s.sig)
	}
	return out
}
