package tmuxio

import (
	"context"
	"testing"

	"golang.org/x/sys/unix"
)

// What a client has done counts, also when its caller comes too late.
func TestEndedClientIsNotTimedOut(t *testing.T) {
	s := newServer(t)
	create(t, s, WindowSpec{Name: "a", Argv: []string{"sleep", "1000"}})
	c, err := s.Start(nil, "display-message", "-p", "x")
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Waitid(unix.P_PID, c.pid, nil, unix.WEXITED|unix.WNOWAIT, nil); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if out, err := c.Wait(ctx); out != "x\n" || err != nil {
		t.Errorf("%q, %v", out, err)
	}
}
