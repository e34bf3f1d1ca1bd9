package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/pairmux/pairmux/detect"
	"github.com/pairmux/pairmux/envelope"
	"github.com/pairmux/pairmux/journal"
	"github.com/pairmux/pairmux/shape"
)

// How much of a journal's end is looked at for marks. A prompt prints marks, so
// an end without any belongs to a command with much output, or to a background
// job's; the kernel tells these apart.
const (
	tailBytesMin = 8 << 10 // holds the last prompt, nearly always
	tailBytes    = 64 << 10
	tailBytesMax = 1 << 20
)

// state is what is known about a terminal at one moment. It is derived here and
// nowhere else.
type state struct {
	status envelope.Status
	prompt *envelope.Prompt

	recent  recent
	pending *journal.Event // the newest run's command whose end is unreported
	machine detect.Machine
	scanner detect.Scanner
	scanned int64 // the journal is scanned up to here
	look    detect.Look
	// lost is set when the shell shows its prompt although its hooks never
	// reported the end of the command.
	lost bool
	// replaced is set when another shell stands where the hooked one was.
	replaced bool
	// hurried is set for a caller that has no time for a doubt.
	hurried bool
	// stopped is set while the tmux server is stopped.
	stopped bool
	// looked is set once a silent program was looked at.
	looked bool
	// exit is the exit code of a dead terminal, nil when unknown.
	exit     *int64
	warnings []string
}

// scan feeds the machine with everything up to size.
func (t *terminal) scan(s *state, size int64, each func(detect.Mark, detect.Change)) error {
	if size <= s.scanned {
		return nil
	}
	buf := make([]byte, min(size-s.scanned, 1<<20))
	for s.scanned < size {
		n, err := t.j.ReadAt(buf[:min(int64(len(buf)), size-s.scanned)], s.scanned)
		if n > 0 {
			s.scanner.Feed(buf[:n], s.scanned, func(m detect.Mark) {
				if c := s.machine.Feed(m); each != nil && c != detect.Nothing {
					each(m, c)
				}
			})
			s.scanned += int64(n)
		}
		switch {
		case errors.Is(err, journal.ErrRotatedAway):
			s.scanned = max(t.j.Base(), s.scanned+1)
			s.scanner = detect.Scanner{}
		case err == io.EOF && n == 0:
			return nil
		case err != nil && err != io.EOF:
			return err
		}
	}
	return nil
}

// replay puts the machine where the shell stands at the journal's end, reading
// a bounded amount whatever the journal's size.
func (t *terminal) replay(s *state) error {
	size, err := t.j.Size()
	if err != nil {
		return err
	}
	base := t.j.Base()
	s.machine = t.newMachine()
	if p := s.pending; p != nil && p.Offset >= base {
		// Begin where the run typed, at the prompt it typed at: nothing that
		// was printed before can be taken for news.
		s.machine.Expect(p.N, p.Offset)
		s.scanned = p.Offset
		head := min(size, p.Offset+tailBytes)
		if err := t.scan(s, head, nil); err != nil {
			return err
		}
		if tail := size - tailBytes; tail > head {
			s.scanner, s.scanned = detect.Scanner{}, tail
		}
		return t.scan(s, size, nil)
	}
	for _, n := range []int64{tailBytesMin, tailBytes, tailBytesMax} {
		from := max(base, size-n)
		s.scanner, s.scanned = detect.Scanner{}, from
		s.machine = t.newMachine()
		if err := t.scan(s, size, nil); err != nil {
			return err
		}
		if s.machine.Phase != detect.Unseen || from == base {
			break
		}
	}
	return nil
}

// derive tells what state the terminal is in. It blocks for some milliseconds
// when the shell is between a command and its prompt, or when a second look at
// a silent program is needed.
func (t *terminal) derive(ctx context.Context) (*state, error) {
	return t.deriveInto(ctx, &state{})
}

// glance is derive for a caller that may not take more than some 50 ms.
func (t *terminal) glance(ctx context.Context) (*state, error) {
	return t.deriveInto(ctx, &state{hurried: true})
}

func (t *terminal) deriveInto(ctx context.Context, s *state) (*state, error) {
	s.recent = t.recent()
	s.pending = s.recent.pending()
	if err := t.replay(s); err != nil {
		return nil, err
	}
	t.classify(ctx, s)
	return s, nil
}

// update re-derives the state after more output, keeping what was read.
func (t *terminal) update(ctx context.Context, s *state) error {
	size, err := t.j.Size()
	if err != nil {
		return err
	}
	if err := t.scan(s, size, nil); err != nil {
		return err
	}
	t.classify(ctx, s)
	return nil
}

// classify makes a status from the machine's phase and the kernel's facts.
func (t *terminal) classify(ctx context.Context, s *state) {
	s.status, s.prompt, s.exit, s.warnings = envelope.StatusRunning, nil, nil, nil
	s.lost, s.replaced, s.stopped = false, false, false
	if s.machine.Phase == detect.Exited {
		s.status = envelope.StatusDead
		code := s.machine.ExitStatus
		s.exit = &code
		return
	}
	switch t.life() {
	case gone:
		t.buried(ctx, s)
		return
	case unnamed:
		s.status = envelope.StatusUnknown
		return
	case stopped:
		s.status, s.stopped = envelope.StatusUnknown, true
		s.warnings = append(s.warnings, "the tmux server is stopped: the state is unknown until it continues (kill -CONT its process)")
		return
	}
	// The common case first, and cheaply: every run begins with it.
	if m := &s.machine; !t.program() && t.mode() == envelope.ModeHooks && m.Phase == detect.Ready && m.ContinuedAt == 0 && s.pending == nil {
		if s.look = detect.Front(t.meta.PanePID); s.look.ShellForeground {
			s.status = envelope.StatusIdle
			return
		}
	}
	s.look = detect.Observe(t.meta.PanePID, t.meta.TTY)
	if t.program() {
		t.ask(ctx, s, t.j.Base())
		return
	}
	if t.mode() == envelope.ModeSentinel {
		t.classifySentinel(ctx, s)
		return
	}
	if p := s.machine.Phase; p == detect.Prompting || p == detect.Ended {
		t.settleInto(ctx, s)
	}
	reading := s.look.ShellForeground && (s.look.Reads || s.look.Polls)
	switch s.machine.Phase {
	case detect.Ready:
		switch {
		case s.look.Known && !s.look.ShellForeground && s.look.Shell != 0:
			t.ask(ctx, s, s.machine.ReadyAt)
		case s.pending != nil && s.pending.N == s.machine.N && s.look.Known && !(reading && !s.look.Canonical && t.quiet(s) >= lostSilence):
			// Typed, and the line editor does not read: a shell that prints no
			// start mark is at work.
			t.ask(ctx, s, t.impliedStart(s.pending.Offset, s.scanned))
		case s.machine.ContinuedAt > 0:
			s.status = envelope.StatusAwaitingInput
			s.prompt = &envelope.Prompt{Kind: envelope.KindIncomplete, Evidence: envelope.EvidenceTTY}
		default:
			s.status = envelope.StatusIdle
		}
	case detect.Prompting, detect.Ended:
		// No line-editor mark: the user's prompt is readonly, or output of the
		// user's own hooks stands between. The kernel decides.
		switch {
		case s.look.ShellForeground:
			s.status = envelope.StatusIdle // the command is over, the prompt is on its way
		case !s.look.Known:
			s.status = envelope.StatusUnknown
		default:
			t.ask(ctx, s, s.machine.PromptAt)
		}
	case detect.Open:
		if s.machine.Again.End > 0 && reading && s.look.Termios && !s.look.Canonical && t.quiet(s) >= lostSilence {
			s.status, s.lost = envelope.StatusIdle, true
			return
		}
		if reading && s.look.Termios && !s.look.Canonical && t.quiet(s) >= lostSilence && len(t.losing()) > 0 {
			// The end went with the bytes that the disk has no room for.
			s.status, s.lost = envelope.StatusIdle, true
			return
		}
		if reading && t.replacedBy(s) && t.quiet(s) >= detect.SilenceText {
			s.status, s.replaced = envelope.StatusIdle, true
			return
		}
		t.ask(ctx, s, max(s.machine.Cur.Start, 0))
	case detect.Unseen:
		switch {
		case s.scanned-t.j.Base() > tailBytes && reading && s.look.Termios && !s.look.Canonical:
			s.status = envelope.StatusIdle // a background job printed all that
		case s.recent.start != nil && reading && s.look.Termios && !s.look.Canonical && t.quiet(s) >= lostSilence:
			// Runs were made, so that there were marks: raw.log was truncated or
			// deleted since.
			s.status, s.lost = envelope.StatusIdle, true
		default:
			t.ask(ctx, s, t.j.Base())
		}
	}
}

// replacedBy reports whether the pane's shell was replaced, by exec, by another
// interactive shell, which knows nothing of our hooks.
func (t *terminal) replacedBy(s *state) bool {
	if len(s.look.Names) == 0 || detect.Identify(s.look.Names[0]) == detect.Unknown {
		return false
	}
	// The hooked shell was given our directory: bash and fish as an argument,
	// zsh as the ZDOTDIR that it has unset since.
	for _, file := range []string{"/cmdline", "/environ"} {
		b, err := os.ReadFile("/proc/" + strconv.Itoa(s.look.Shell) + file)
		if err != nil || strings.Contains(string(b), t.j.Dir()) {
			return false
		}
	}
	return true
}

// impliedStart is where the output of a command begins whose shell prints no
// start mark: behind the first line end after it was typed.
func (t *terminal) impliedStart(typed, to int64) int64 {
	b := make([]byte, min(max(to-typed, 0), 1<<20))
	n, _ := t.j.ReadAt(b, typed)
	if i := bytes.IndexByte(b[:n], '\n'); i >= 0 {
		return typed + int64(i) + 1
	}
	return to
}

// lostSilence is how long a reappeared prompt must have stood before it counts
// as one: a builtin that prints the prompt string goes on at once.
const lostSilence = 100 * time.Millisecond

// settleInto waits briefly for the prompt that follows an end: a reader that
// comes right after a run's reply should see the idle shell.
func (t *terminal) settleInto(ctx context.Context, s *state) {
	ctx, cancel := context.WithTimeout(ctx, 40*time.Millisecond)
	defer cancel()
	f := t.j.Follow()
	for s.machine.Phase == detect.Prompting || s.machine.Phase == detect.Ended {
		seen := f.Now()
		if err := t.scan(s, seen.Raw, nil); err != nil {
			return
		}
		if s.machine.Phase == detect.Ready || f.Wait(ctx, seen) != nil {
			break
		}
	}
	s.look = detect.Observe(t.meta.PanePID, t.meta.TTY)
}

// buried fills in a terminal whose pane is gone without an exit mark.
func (t *terminal) buried(ctx context.Context, s *state) {
	s.status = envelope.StatusDead
	if size, err := t.j.Size(); err == nil { // the mark may have come meanwhile
		_ = t.scan(s, size, nil)
	}
	switch {
	case s.machine.Phase == detect.Exited:
		code := s.machine.ExitStatus
		s.exit = &code
	case s.recent.exit != nil:
		s.exit = s.recent.exit.ExitCode
	}
}

// quiet is the time since the pane printed, a run typed, or keys were sent.
func (t *terminal) quiet(s *state) time.Duration {
	last := t.lastByte()
	for _, e := range []*journal.Event{s.recent.sent, s.recent.start} {
		if e != nil && e.TS.After(last) {
			last = e.TS
		}
	}
	return time.Since(last)
}

// lookEvery is how often a blocked call looks at what makes no noise in the
// journal: whether the pane lives, and whether a silent program asks. Shorter
// would cost more than a thousandth of a core.
const lookEvery = time.Second

// nextLook is when a blocked call should look again if the journal stays as it
// is: when the silence has lasted long enough for the next kind of verdict.
func (t *terminal) nextLook(s *state, idle time.Duration) time.Duration {
	quiet := t.quiet(s)
	next := lookEvery
	for _, silence := range []time.Duration{detect.SilenceSecret, detect.SilenceText, detect.SilenceKernel, idle} {
		if left := silence - quiet; left > 0 && left < next {
			next = left + 2*time.Millisecond
		}
	}
	return next
}

// ask refines a running command to one that waits for its user. from is where
// its output begins.
func (t *terminal) ask(ctx context.Context, s *state, from int64) {
	silence := t.quiet(s)
	if silence < detect.SilenceSecret {
		return
	}
	before, size := s.look, s.scanned
	nap := 10 * time.Millisecond
	select {
	case <-ctx.Done():
	case <-time.After(nap):
	}
	after := detect.Observe(t.meta.PanePID, t.meta.TTY)
	patience := drainLong
	if !s.looked {
		patience = drainQuick
	}
	s.looked = true
	if !t.drained(ctx, size, patience) {
		return
	}
	line, alt := t.lastLine(from, size)
	verdict := detect.Judge(detect.Evidence{
		Before: before, After: after, Between: nap, Silence: silence,
		Line: line, AltScreen: alt, Addressed: addressed(t.bytes(from, size, tailBytes)), Secret: secretPattern(),
	})
	if !verdict.Waiting {
		return
	}
	if own := after.ShellForeground && !t.program() && after.Termios && !after.Canonical; own {
		// The shell's own line editor reads. Its marks may be on their way: the
		// kernel is ahead of the journal by two processes.
		if t.meta.Mode == string(envelope.ModeHooks) && s.machine.Phase != detect.Open &&
			(verdict.Basis == detect.ByKernel || verdict.Kind == detect.AskShell) {
			return
		}
		if t.grows(ctx, size, s.lag()) {
			return
		}
	}
	s.status = envelope.StatusAwaitingInput
	s.prompt = &envelope.Prompt{Kind: envelope.PromptKind(verdict.Kind), Evidence: envelope.Evidence(verdict.Basis)}
}

// lag is how long output that the kernel has seen may take to reach the journal
// on a busy machine; a peek cannot wait that long.
func (s *state) lag() time.Duration {
	if s.hurried {
		return 20 * time.Millisecond
	}
	return 250 * time.Millisecond
}

// grows waits for the journal to go beyond size.
func (t *terminal) grows(ctx context.Context, size int64, d time.Duration) bool {
	limit, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	f := t.j.Follow()
	for {
		seen := f.Now()
		if seen.Raw != size {
			return true
		}
		if f.Wait(limit, seen) != nil {
			return f.Now().Raw != size
		}
	}
}

// lastLine is the unfinished last line of the output [from, to), and whether
// the program shows the alternate screen.
func (t *terminal) lastLine(from, to int64) (line string, alt bool) {
	from = max(from, to-tailBytes, t.j.Base())
	buf := make([]byte, max(0, to-from))
	n, _ := t.j.ReadAt(buf, from)
	buf = buf[:n]
	if alternate(string(buf)) {
		return "", true
	}
	r := shape.NewRenderer(t.grid(), func([]byte) {})
	_, _ = r.Write(buf)
	return string(r.CurrentLine()), false
}

// alternate reports whether the last switch between the screens went to the
// alternate one.
func alternate(s string) bool {
	last, on := -1, false
	for _, mode := range []string{"1049", "1047", "47"} {
		if i := strings.LastIndex(s, "\x1b[?"+mode+"h"); i > last {
			last, on = i, true
		}
		if i := strings.LastIndex(s, "\x1b[?"+mode+"l"); i > last {
			last, on = i, false
		}
	}
	return on
}

// secretPattern is the user's extension of what asks for a secret; one that is
// no expression is ignored, and reported by doctor.
var secretPattern = sync.OnceValue(func() *regexp.Regexp {
	re, _ := detect.SecretPattern(os.Getenv("PAIRMUX_SECRET_PROMPT_RE"))
	return re
})
