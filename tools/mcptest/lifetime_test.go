package mcptest

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/pairmux/pairmux/envelope"
)

// sleepers waits until that many pairmux wait processes are there, or says that
// there never were.
func (w *world) sleepers(n int) {
	w.t.Helper()
	if !until(func() bool { return len(w.processes(" wait --")) == n }) {
		w.t.Fatalf("%d waiting children, want %d", len(w.processes(" wait --")), n)
	}
}

// TestParallelWaitsBlockNothing: 20 waits, then a ping and a call, all before the
// first wait ends; and then all of them end on one event.
func TestParallelWaitsBlockNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.serve()
	s.call("new", args{"name": "w"}).is(envelope.StatusCreated)
	s.call("run", args{"terminal": "w", "command": "read x; echo over", "timeout": "0"})
	var waits []chan message
	for range 20 {
		_, a := s.begin("wait", args{"terminal": "w", "pattern": "^over$", "timeout": "60s"})
		waits = append(waits, a)
	}
	w.sleepers(20)
	s.request("ping", map[string]any{})
	s.call("peek", args{"terminal": "w"})
	for i, a := range waits {
		if len(a) > 0 {
			t.Errorf("wait %d ended before anything happened", i)
		}
	}
	s.call("send", args{"terminal": "w", "enter": true}).is("sent")
	for _, a := range waits {
		s.end(a).is(envelope.StatusPatternFound)
	}
	w.sleepers(0)
}

// TestCancelEndsTheChildAndNotTheCommand: nobody answers, no process is left, and
// the command in the pane goes on.
func TestCancelEndsTheChildAndNotTheCommand(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.serve()
	s.call("new", args{"name": "w"}).is(envelope.StatusCreated)
	s.call("new", args{"name": "other"}).is(envelope.StatusCreated)
	run, _ := s.begin("run", args{"terminal": "w", "command": "read x; echo got $x; (exit 3)", "timeout": "60s"})
	if !until(func() bool { return s.call("peek", args{"terminal": "w"}).Status != envelope.StatusIdle }) {
		t.Fatal("the command never ran")
	}
	wait, _ := s.begin("wait", args{"terminal": "other", "pattern": "never", "timeout": "60s"})
	_, unharmed := s.begin("wait", args{"terminal": "w", "pattern": "^got", "timeout": "60s"})
	w.sleepers(2)
	s.cancel(run)
	s.cancel(wait)
	w.sleepers(1)
	if !until(func() bool { return len(w.processes(" run --")) == 0 }) {
		t.Error("the cancelled run is still there")
	}
	// Free for another, and its end is not lost.
	s.call("send", args{"terminal": "w", "text": "it", "enter": true}).is("sent")
	if r := s.end(unharmed).is(envelope.StatusPatternFound); !strings.HasSuffix(r.Output, "got it") {
		t.Errorf("output: %s", r.raw)
	}
	s.call("wait", args{"terminal": "w", "done": true, "timeout": "20s"}).is(envelope.StatusDone).exits(3)
	s.call("run", args{"terminal": "w", "command": "echo next"}).says("next")
}

// TestEndOfInputLeavesNoOrphan, and a killed server neither: the children go with
// it, the terminals stay.
func TestEndOfInputLeavesNoOrphan(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"end of input", "SIGTERM", "SIGHUP", "SIGKILL"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			s := w.serve()
			s.call("new", args{"name": "w"}).is(envelope.StatusCreated)
			s.begin("run", args{"terminal": "w", "command": "read x; echo got $x", "timeout": "60s"})
			for range 3 {
				s.begin("wait", args{"terminal": "w", "pattern": "never", "timeout": "60s"})
			}
			w.sleepers(3)
			if !until(func() bool { return w.cli("peek", "w").Status != envelope.StatusIdle }) {
				t.Fatal("the command never ran")
			}
			s.mu.Lock()
			for id := range s.answers {
				s.answers[id] = make(chan message, 1) // an answer is allowed, not needed
			}
			s.mu.Unlock()
			switch how {
			case "end of input":
				s.quit()
			case "SIGTERM":
				_ = s.cmd.Process.Signal(syscall.SIGTERM)
			case "SIGHUP":
				_ = s.cmd.Process.Signal(syscall.SIGHUP)
			case "SIGKILL":
				_ = s.cmd.Process.Kill()
			}
			s.ended()
			w.sleepers(0)
			if !until(func() bool { return len(w.processes(" run --")) == 0 }) {
				t.Errorf("a run is still there")
			}
			// The pane has not noticed, and a server of another day goes on.
			s = w.serve()
			s.call("send", args{"terminal": "w", "text": "it", "enter": true}).is("sent")
			r := s.call("wait", args{"terminal": "w", "done": true, "timeout": "20s"}).is(envelope.StatusDone).exits(0)
			if r.Output != "" && !strings.HasSuffix(r.Output, "got it") {
				t.Errorf("output: %s", r.raw)
			}
			s.quit()
		})
	}
}

// TestQuickCallsAreAnsweredAtEndOfInput: a client that writes and closes gets all
// its answers.
func TestQuickCallsAreAnsweredAtEndOfInput(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.cli("new", "w").is(envelope.StatusCreated)
	s := w.serve()
	var answers []chan message
	for range 12 {
		_, a := s.begin("peek", args{"terminal": "w"})
		answers = append(answers, a)
	}
	s.quit()
	for i, a := range answers {
		if len(a) != 1 {
			t.Errorf("call %d has no answer", i)
			continue
		}
		s.end(a)
	}
}

// TestStartTouchesNothing: no file, no socket, no tmux server before the first
// call, because clients start a server only to ask what it can.
func TestStartTouchesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.serve()
	s.request("tools/list", map[string]any{})
	s.quit()
	left, err := filepath.Glob(filepath.Join(w.dir, "*"))
	if err != nil || fmt.Sprint(left) != fmt.Sprint([]string{filepath.Join(w.dir, "home")}) {
		t.Errorf("left behind: %v %v", left, err)
	}
	if left, _ := filepath.Glob(filepath.Join(w.dir, "home", ".*")); len(left) > 2 {
		t.Errorf("left in the home directory: %v", left)
	}
}

// TestProgressWhileWaiting: a client that asked for it hears at once that a long
// call is alive.
func TestProgressWhileWaiting(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.serve()
	s.call("new", args{"name": "w"}).is(envelope.StatusCreated)
	_, answer := s.ask("tools/call", map[string]any{
		"name": "pairmux_wait", "arguments": args{"terminal": "w", "pattern": "never", "timeout": "2s"},
		"_meta": map[string]any{"progressToken": "tok"},
	})
	s.end(answer).is(envelope.StatusTimeout)
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.notes) == 0 {
		t.Fatal("no progress")
	}
	for _, n := range s.notes {
		var p struct{ ProgressToken any }
		if err := json.Unmarshal(n.Params, &p); err != nil || n.Method != "notifications/progress" || p.ProgressToken != "tok" {
			t.Errorf("%s %s %v", n.Method, n.Params, err)
		}
	}
}
