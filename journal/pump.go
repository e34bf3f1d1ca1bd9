package journal

import (
	"io"
	"os"
	"os/signal"
	"time"

	"golang.org/x/sys/unix"
)

// PumpOptions adjusts a [Pump]. The zero value is right for a pipe child.
type PumpOptions struct {
	MaxJournal  int64 // bytes of raw.log above which it is rotated; 0: what meta.json says; < 0: never
	KeepSignals bool  // leave the process's signal handling alone
}

// Pump copies r to raw.log in dir until r ends: the pipe child's whole life. It
// returns an error only when it could not begin.
//
// It never stalls for long and never gives up, since tmux keeps in memory what is not read:
// bytes that cannot be written are dropped, counted, and reported by a [Gap] event as
// soon as writing works again. A raw.log that was deleted or truncated is
// made anew, which is a gap as well. While it runs it holds an exclusive flock
// on writer.lock. The process ignores HUP, INT, QUIT, TERM, PIPE, TSTP, TTIN, TTOU and
// XFSZ from then on.
func Pump(dir string, r io.Reader, o PumpOptions) error {
	if !o.KeepSignals {
		signal.Ignore(unix.SIGHUP, unix.SIGINT, unix.SIGQUIT, unix.SIGTERM, unix.SIGPIPE,
			unix.SIGTSTP, unix.SIGTTIN, unix.SIGTTOU, unix.SIGXFSZ)
	}
	j, err := open(dir)
	if err != nil {
		return err
	}
	defer j.Close()
	p := &pump{j: j, max: o.MaxJournal}
	if p.max == 0 {
		p.max = j.Meta().MaxJournal
	}
	if j.Meta().Format > Format {
		p.max = -1
	}
	p.begin()
	buf := make([]byte, 64<<10)
	for {
		n, err := r.Read(buf)
		if n > 0 {
			p.put(buf[:n])
		}
		if err != nil {
			break
		}
	}
	p.finish()
	return nil
}

type pump struct {
	j     *Journal
	lock  *os.File
	held  bool
	state writerState

	raw  *os.File // nil: could not be opened
	st   unix.Stat_t
	base int64
	end  int64 // absolute: base + the size that raw.log must at least have

	gaps []GapInfo // not yet in the index
	max  int64
	rot  *rotating
	idle int64 // no rotation before the end passes this offset
}

// begin takes the lock and finds out how the last pump ended.
func (p *pump) begin() {
	lock, err := p.j.openAt(writerName, unix.O_RDWR|unix.O_CREAT)
	if err == nil {
		p.lock = lock
		// A prober holds it for a microsecond. Somebody who holds it for a second
		// is a stopped pump: bytes matter more than the lock.
		for d, end := 50*time.Microsecond, time.Now().Add(time.Second); !p.acquire() && time.Now().Before(end); d = min(2*d, time.Millisecond) {
			nap(d)
		}
	}
	p.openRaw()
	if p.lock == nil {
		return
	}
	if last, ok := readWriterState(p.lock); ok {
		switch {
		case last.lost > 0:
			p.gaps = append(p.gaps, GapInfo{Offset: last.offset, Lost: last.lost, Text: "output could not be written"})
			fallthrough
		default:
			text := "the writer was started again: output before it may be missing"
			if last.open != 0 {
				text = "the writer died: output after that is missing"
			}
			p.gaps = append(p.gaps, GapInfo{Offset: p.end, Text: text})
		}
	}
	p.save()
	p.report()
}

func (p *pump) acquire() bool {
	if !p.held && p.lock != nil {
		p.held = unix.Flock(int(p.lock.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil
	}
	return p.held
}

func (p *pump) openRaw() {
	if err := p.j.Reload(); err != nil {
		return
	}
	p.j.mu.Lock()
	p.base = p.j.meta.Base
	known := p.j.raw
	p.j.mu.Unlock()
	if known == nil {
		p.renew("raw.log was missing", p.j.lastOffset(), 0)
		return
	}
	f, err := p.j.openAt(rawName, unix.O_RDWR|unix.O_APPEND)
	if err != nil {
		return
	}
	p.use(f, known.base)
}

func (p *pump) use(f *os.File, base int64) {
	if p.raw != nil {
		p.raw.Close()
	}
	p.raw, p.base = f, base
	if unix.Fstat(int(f.Fd()), &p.st) == nil {
		p.end = base + p.st.Size
	}
}

// put writes b, or counts it as lost.
func (p *pump) put(b []byte) {
	p.acquire()
	p.check()
	n := 0
	if p.raw == nil {
		p.openRaw()
	}
	if p.raw != nil {
		at := p.end
		var err error
		for n < len(b) && err == nil {
			var k int
			k, err = p.raw.Write(b[n:])
			n += max(k, 0)
		}
		p.end += int64(n)
		if n > 0 && len(p.gaps) > 0 {
			_ = at
			p.report()
		}
	}
	if n < len(b) {
		p.lose(int64(len(b) - n))
	}
	p.rotate()
}

// check looks whether raw.log still is the file that is open, and still whole.
func (p *pump) check() {
	if p.raw == nil {
		return
	}
	var st unix.Stat_t
	err := p.j.statAt(rawName, &st)
	size := p.base + st.Size
	switch {
	case err == nil && sameFile(&st, &p.st) && size >= p.end:
		p.end = size
	case err == nil && sameFile(&st, &p.st):
		p.renew("raw.log was truncated", p.end, p.end-p.base)
	case err == nil || err == unix.ENOENT:
		p.renew("raw.log was deleted", p.end, p.end-p.base)
	}
}

// lose counts n bytes that could not be written.
func (p *pump) lose(n int64) {
	if last := len(p.gaps) - 1; last >= 0 && (p.gaps[last].Open && p.gaps[last].Offset == p.end || len(p.gaps) > 32) {
		p.gaps[last].Lost += n
	} else {
		p.gaps = append(p.gaps, GapInfo{Offset: p.end, Lost: n, Open: true, Text: "output could not be written"})
	}
	p.save()
}

// report moves the gaps to the index, as far as that can be written.
func (p *pump) report() {
	for len(p.gaps) > 0 {
		g := p.gaps[0]
		if p.j.Append(Event{Type: Gap, Offset: g.Offset, Lost: g.Lost, Text: g.Text}) != nil {
			return
		}
		p.gaps = p.gaps[1:]
	}
	p.gaps = nil
	p.save()
}

// save writes the losses that the index does not have yet to writer.lock.
func (p *pump) save() {
	if p.lock == nil {
		return
	}
	p.state = writerState{pid: os.Getpid(), open: 1}
	for i, g := range p.gaps {
		if i == 0 {
			p.state.offset = g.Offset
		}
		p.state.lost += g.Lost
	}
	_ = p.state.write(p.lock)
}

func (p *pump) finish() {
	p.abandon()
	p.report()
	p.state.open = 0
	if p.lock != nil {
		_ = p.state.write(p.lock)
		p.lock.Close()
	}
	if p.raw != nil {
		p.raw.Close()
	}
}
