package main

import (
	"bytes"
	"regexp"
	"strings"
	"time"

	"github.com/pairmux/pairmux/detect"
	"github.com/pairmux/pairmux/shape"
)

// matcher looks for a pattern in the lines of a growing journal. In hooks mode
// what stands between a prompt and the start of a command's output is the echo
// of typed input, and no output.
type matcher struct {
	re      *regexp.Regexp
	r       *shape.Renderer
	scanner detect.Scanner
	machine detect.Machine
	at      int64 // read up to here
	hooks   bool
	before  []string // the two lines before the one that is looked at
	found   string
	seen    int      // lines that have gone off the renderer's screen
	echo    []string // what was sent, line by line: its echo comes first
	// prompting is set while a prompt is printed, ready while the line editor
	// reads. What comes then may be the echo of typed input or a background
	// job's output: it is held until a command's start shows that its last line
	// was echo, or silence shows that it was not.
	prompting, ready bool
	held             []byte
	// stale is the line that was unfinished when the search began: it counts
	// once it has grown.
	stale string
}

// echoLag is how soon after an echoed line its command's start mark comes.
const echoLag = 150 * time.Millisecond

// armPattern starts the search at --since, at the wait's begin, or before the
// keys of a send.
func (w *waiter) armPattern() *outcome {
	t, o, s := w.t, w.o, w.s
	from := s.scanned
	switch pos, word, _ := parseCursor(o.since); {
	case o.sent:
		from = o.from
	case o.since == "":
	case word == "start":
		from = t.j.Base()
	case word == "run":
		start := s.recent.start
		if start == nil {
			return badArgs("--since run: no run has been made in this terminal", t.runHint())
		}
		from = start.Offset
	default:
		if size, err := t.j.Size(); err == nil && pos > size {
			return badArgs("--since "+o.since+" is beyond the journal's end at "+itoa(size), t.line("peek", t.name))
		}
		from = max(pos, t.j.Base())
	}
	w.matcher = t.newMatcher(o.pattern, from, s)
	if o.since == "" && !o.sent {
		w.matcher.overlap(t)
	}
	if o.sent && o.text != "" {
		w.matcher.echo = strings.Split(caret(o.text), "\n")
	}
	return nil
}

// newMatcher begins at from. Whether that is inside an echo is known by
// replaying the marks before it.
func (t *terminal) newMatcher(re *regexp.Regexp, from int64, s *state) *matcher {
	m := &matcher{re: re, at: from, hooks: t.mode() == "hooks" && !t.program()}
	m.r = shape.NewRenderer(t.grid(), m.line)
	if m.hooks {
		probe := &state{machine: t.newMachine(), scanned: max(t.j.Base(), from-tailBytes)}
		if p := s.pending; p != nil && p.Offset <= from {
			probe.machine.Expect(p.N, p.Offset)
			probe.scanned = p.Offset
		}
		_ = t.scan(probe, from, nil)
		m.machine, m.scanner = probe.machine, probe.scanner
		m.ready = probe.machine.Phase == detect.Ready
		m.prompting = probe.machine.Phase == detect.Prompting
		if m.ready && strings.Contains(m.machine.Flags, "n") && bytes.IndexByte(t.bytes(m.machine.ReadyAt, from, 64<<10), '\n') >= 0 {
			m.ready = false // the echo has gone by
		}
	}
	return m
}

// overlap lets the search begin with the line that is unfinished now: a line
// that ends after the wait began is looked at whole.
func (m *matcher) overlap(t *terminal) {
	if m.ready || m.prompting {
		return
	}
	low := m.at - 4096
	if m.machine.Phase == detect.Open {
		low = max(low, m.machine.Cur.Start)
	}
	before := t.bytes(low, m.at, 4096)
	_, _ = m.r.Write(before[bytes.LastIndexByte(before, '\n')+1:])
	m.stale = string(m.r.CurrentLine())
}

// line gets the lines that have gone off the renderer's screen.
func (m *matcher) line(b []byte) {
	echo := m.echoed(m.seen, string(b), true)
	m.seen++
	if echo {
		return
	}
	if m.found == "" && m.re.Match(b) {
		m.found = m.quote(string(b))
	}
	m.before = append(m.before, string(b))
	if len(m.before) > 2 {
		m.before = m.before[1:]
	}
}

// echoed reports whether line number i is the echo of what was sent. A line
// that is still growing may become it.
func (m *matcher) echoed(i int, line string, finished bool) bool {
	if i >= len(m.echo) {
		return false
	}
	want := strings.TrimRight(m.echo[i], " ")
	line = strings.TrimRight(line, " ")
	return strings.HasSuffix(line, want) || !finished && strings.HasPrefix(want, line)
}

func (m *matcher) quote(line string) string {
	return strings.Join(append(append([]string(nil), m.before...), line), "\n")
}

// advance reads up to size and returns the matching line with up to two lines
// before it, or "".
func (m *matcher) advance(t *terminal, size int64) (string, error) {
	for m.at < size && m.found == "" {
		buf := make([]byte, min(size-m.at, 256<<10))
		n, err := t.j.ReadAt(buf, m.at)
		if n == 0 {
			return "", err
		}
		m.feed(buf[:n])
	}
	if len(m.held) > 0 && time.Since(t.lastByte()) >= echoLag {
		m.release(lastLine(m.held))
	}
	if m.found != "" {
		return m.found, nil
	}
	var live []string
	m.r.Live(func(line []byte) bool {
		live = append(live, string(line))
		return true
	})
	before := append([]string(nil), m.before...)
	for i, line := range live {
		if m.echoed(m.seen+i, line, i < len(live)-1) || line == m.stale && m.stale != "" && m.seen+i == 0 {
			continue
		}
		if m.re.MatchString(line) {
			return strings.Join(append(before, line), "\n"), nil
		}
		if before = append(before, line); len(before) > 2 {
			before = before[1:]
		}
	}
	return "", nil
}

// release hands the first n held bytes on as output.
func (m *matcher) release(n int) {
	_, _ = m.r.Write(m.held[:n])
	m.held = append(m.held[:0], m.held[n:]...)
}

// lastLine is where the unfinished last line begins.
func lastLine(b []byte) int { return bytes.LastIndexByte(b, '\n') + 1 }

// feed renders what is output and drops what is prompt and echo.
func (m *matcher) feed(p []byte) {
	if !m.hooks {
		_, _ = m.r.Write(p)
		m.at += int64(len(p))
		return
	}
	base, done := m.at, 0
	m.scanner.Feed(p, m.at, func(k detect.Mark) {
		c := m.machine.Feed(k)
		if c == detect.Nothing {
			return
		}
		// A mark that began in an earlier piece has nothing before it here.
		if cut := int(k.Start - base); cut > done {
			m.take(p[done:cut])
		}
		done = max(done, int(k.End-base))
		switch c {
		case detect.Prompted:
			m.prompting, m.ready = true, false
			m.held = m.held[:0]
		case detect.Readied:
			m.prompting, m.ready = false, true
		case detect.Continued:
			m.held = m.held[:0]
		case detect.Started, detect.Refused:
			if m.ready {
				// The last line was the echo; before it a job may have printed.
				if i := bytes.LastIndexByte(m.held, '\n'); i >= 0 {
					m.release(lastLine(m.held[:i]))
				}
			}
			m.held = m.held[:0]
			m.prompting, m.ready = false, false
			if len(m.r.CurrentLine()) > 0 {
				_, _ = m.r.Write([]byte("\r\n"))
			}
		}
	})
	m.take(p[done:])
	m.at += int64(len(p))
}

func (m *matcher) take(p []byte) {
	switch {
	case m.prompting:
	case m.ready && strings.Contains(m.machine.Flags, "n"):
		// No start mark will come: the first line end behind the prompt is one.
		if i := bytes.IndexByte(p, '\n'); i >= 0 {
			m.ready = false
			_, _ = m.r.Write(p[i+1:])
		}
	case m.ready:
		m.held = append(m.held, p...)
		if len(m.held) > 64<<10 {
			m.release(lastLine(m.held))
		}
	default:
		_, _ = m.r.Write(p)
	}
}

// caret spells control characters as a terminal echoes them.
func caret(s string) string {
	var b strings.Builder
	for _, r := range strings.TrimSuffix(s, "\n") {
		switch {
		case r == '\r', r == '\n':
			b.WriteByte('\n')
		case r < ' ' && r != '\t':
			b.WriteByte('^')
			b.WriteRune(r + '@')
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// dropEcho removes the lines that an output begins with when they are the echo
// of what was sent.
func dropEcho(output, sent string) string {
	for _, want := range strings.Split(caret(sent), "\n") {
		line, rest, _ := strings.Cut(output, "\n")
		if want == "" || !strings.HasSuffix(strings.TrimRight(line, " "), strings.TrimRight(want, " ")) {
			break
		}
		output = rest
	}
	return output
}
