package mcpserver

import (
	"context"
	"sync"
	"time"
)

const (
	// Children at a time. Calls that may wait for long have a pool of their own, so
	// that however many of them there are a look, a note or a kill gets through.
	waitingSlots = 32
	quickSlots   = 8
	// maxCalls bounds the calls that are known at a time, running or queued.
	maxCalls = 4096
)

// calls keeps account of the tool calls in flight. It is safe for concurrent use.
type calls struct {
	waiting chan struct{}
	quick   chan struct{}

	max int

	mu      sync.Mutex
	all     map[*call]struct{}
	changed chan struct{} // closed and replaced whenever a call ends
}

// call is one tool call in flight.
type call struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	waits  bool
}

func newCalls() *calls {
	return &calls{
		waiting: make(chan struct{}, waitingSlots),
		quick:   make(chan struct{}, quickSlots),
		max:     maxCalls,
		all:     map[*call]struct{}{},
		changed: make(chan struct{}),
	}
}

// add registers a call, or returns nil when there are too many.
func (c *calls) add(waits bool) *call {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.all) >= c.max {
		return nil
	}
	one := &call{waits: waits}
	one.ctx, one.cancel = context.WithCancelCause(context.Background())
	c.all[one] = struct{}{}
	return one
}

func (c *calls) remove(one *call) {
	one.cancel(nil)
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.all, one)
	close(c.changed)
	c.changed = make(chan struct{})
}

// slot waits for the right to start a child. It reports false when the call ended
// before.
func (c *calls) slot(one *call) (free func(), ok bool) {
	pool := c.quick
	if one.waits {
		pool = c.waiting
	}
	select {
	case pool <- struct{}{}:
	case <-one.ctx.Done():
		return nil, false
	}
	if one.ctx.Err() != nil {
		<-pool
		return nil, false
	}
	return func() { <-pool }, true
}

func (c *calls) endAll() { c.end(func(*call) bool { return true }) }

func (c *calls) end(which func(*call) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for one := range c.all {
		if which(one) {
			one.cancel(errEnding)
		}
	}
}

// wait blocks until no call is in flight, at most for d.
func (c *calls) wait(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	for {
		c.mu.Lock()
		n, changed := len(c.all), c.changed
		c.mu.Unlock()
		if n == 0 {
			return true
		}
		select {
		case <-changed:
		case <-timer.C:
			return false
		}
	}
}

// drain lets the calls in flight come to their end after the end of input. It is
// cut short when ctx ends or the client stopped reading.
func (c *calls) drain(ctx context.Context, broken <-chan struct{}) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		c.wait(drainQuick + lastWord)
	}()
	waiting, quick := time.NewTimer(drainWaiting), time.NewTimer(drainQuick)
	defer waiting.Stop()
	defer quick.Stop()
	for {
		select {
		case <-ended:
			return
		case <-waiting.C:
			c.end(func(one *call) bool { return one.waits })
		case <-quick.C:
			c.endAll()
		case <-ctx.Done():
			return
		case <-broken:
			return
		}
	}
}
