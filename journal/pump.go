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
// It must keep reading whatever happens, since tmux holds in memory what its
// pipe child does not take. Bytes that cannot be written are dropped and
// counted, and a [Gap] event reports them as soon as writing works again; until
// then [Journal.Gaps] knows of them. A raw.log that was deleted or truncated is
// made anew, which is a gap as well (J40 to J44).
//
// While it runs it holds an exclusive flock on writer.lock. If another pump
// holds that for more than a second, it writes without, and takes the lock when
// it becomes free. The process ignores HUP, INT, QUIT, TERM, PIPE, TSTP, TTIN,
// TTOU and XFSZ from then on.
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
	m := j.Meta()
	p := &pump{j: j, max: o.MaxJournal}
	if p.max == 0 {
		p.max = m.MaxJournal
	}
	if m.Format > Format {
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
	j    *Journal
	lock *os.File // writer.lock; nil if it cannot be opened
	held bool

	raw  *os.File // nil while it cannot be opened
	st   unix.Stat_t
	base int64
	end  int64 // absolute: what raw.log must at least reach to
	gone int64 // bytes of a deleted raw.log that could not be made anew yet

	pending []Loss // not yet in the index

	max      int64
	rot      *rotating
	rotateAt int64 // absolute: no rotation is begun before the end is here
}

// lockWait is how long a pump waits for its lock. A prober holds it for a
// microsecond; somebody who still holds it after this is a stopped pump, and
// bytes matter more than the lock.
var lockWait = time.Second

func (p *pump) begin() {
	var err error
	if p.lock, err = p.j.openAt(writerName, unix.O_RDWR|unix.O_CREAT); err != nil {
		p.lock = nil
	}
	pause := 50 * time.Microsecond
	for end := time.Now().Add(lockWait); !p.acquire() && time.Now().Before(end); pause = min(2*pause, time.Millisecond) {
		nap(pause)
	}
	p.openRaw()
	p.inherit()
	p.save()
	p.report()
}

// acquire takes the lock if it is free.
func (p *pump) acquire() bool {
	if p.held || p.lock == nil {
		return p.held
	}
	p.held = unix.Flock(int(p.lock.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil
	if p.held {
		p.settle()
		if p.raw != nil { // the one who held it may have replaced raw.log
			p.openRaw()
		}
	}
	return p.held
}

// inherit finds out from writer.lock how the last pump ended.
func (p *pump) inherit() {
	if p.lock == nil || !p.held {
		return
	}
	last, ok := readWriterState(p.lock)
	if !ok {
		return
	}
	if last.lost > 0 && !p.j.reported(last.offset, last.lost) {
		p.pending = append(p.pending, Loss{Offset: last.offset, Lost: last.lost, Text: lossUnwritten})
	}
	switch {
	case last.open != 0:
		p.pending = append(p.pending, Loss{Offset: p.end, Text: lossDied})
	case p.end > p.base:
		p.pending = append(p.pending, Loss{Offset: p.end, Text: lossRestart})
	}
}

// openRaw opens raw.log for appending, and makes it when it is missing.
func (p *pump) openRaw() {
	if p.raw != nil {
		p.raw.Close()
		p.raw = nil
	}
	f, err := p.j.openAt(rawName, unix.O_RDWR|unix.O_APPEND)
	switch {
	case isNotExist(err):
		gone := Loss{Offset: max(p.end, p.j.lastOffset()), Lost: p.gone, Text: lossDeleted}
		p.renew(gone)
	case err == nil:
		// The base must be that of this very file.
		if known := p.j.current(); known != nil && p.j.still(f, rawName) && p.j.current() == known {
			p.use(f, known.base)
		} else {
			f.Close()
		}
	}
}

func (p *pump) use(f *os.File, base int64) {
	p.raw, p.base = f, base
	if unix.Fstat(int(f.Fd()), &p.st) == nil {
		p.end = base + p.st.Size
	}
}

// put writes b, or counts what cannot be written as lost.
func (p *pump) put(b []byte) {
	p.acquire()
	p.check()
	for try := 0; len(b) > 0 && p.raw != nil && try < 2; try++ {
		n, err := p.raw.Write(b)
		b = b[n:]
		p.end += int64(n)
		if n > 0 && len(p.pending) > 0 {
			p.report()
		}
		if err == nil || p.rot == nil {
			break
		}
		// The half-made copy of a rotation takes space that the bytes need.
		p.abandon()
	}
	if len(b) > 0 {
		p.lose(int64(len(b)))
	}
	p.rotate()
}

// check looks before each write whether raw.log still is the file that is open,
// and still whole, so that no byte goes into a deleted file unnoticed.
func (p *pump) check() {
	if p.raw == nil {
		p.openRaw()
		return
	}
	var st unix.Stat_t
	err := p.j.statAt(rawName, &st)
	gone := Loss{Offset: p.end, Lost: p.end - p.base, Text: lossDeleted}
	switch {
	case err == nil && sameFile(&st, &p.st):
		if size := p.base + st.Size; size >= p.end {
			p.end = size
			return
		}
		gone.Text = lossTruncated
		p.renew(gone)
	case err == nil && !p.held: // the pump that holds the lock rotated it
		p.openRaw()
	case err == nil || err == unix.ENOENT:
		// What was written between our last look and the deletion counts.
		if unix.Fstat(int(p.raw.Fd()), &st) == nil {
			gone.Offset = max(p.end, p.base+st.Size)
			gone.Lost = gone.Offset - p.base
		}
		p.renew(gone)
	}
}

// lose counts n bytes that could not be written.
func (p *pump) lose(n int64) {
	const most = 32 // distinct places; the last one then takes the rest
	last := len(p.pending) - 1
	if last >= 0 && (p.pending[last].Open && p.pending[last].Offset == p.end || last >= most) {
		p.pending[last].Lost += n
	} else {
		p.pending = append(p.pending, Loss{Offset: p.end, Lost: n, Text: lossUnwritten, Open: true})
	}
	p.save()
}

// report moves the pending losses to the index, as far as it can be written.
func (p *pump) report() {
	for len(p.pending) > 0 {
		l := p.pending[0]
		if p.j.Append(Event{Type: Gap, Offset: l.Offset, Lost: l.Lost, Text: l.Text}) != nil {
			return
		}
		p.pending = p.pending[1:]
		p.save()
	}
}

// save tells in writer.lock what the index does not have yet.
func (p *pump) save() { p.write(1) }

func (p *pump) write(open int) {
	if p.lock == nil || !p.held {
		return
	}
	s := writerState{pid: os.Getpid(), open: open}
	for i, l := range p.pending {
		if i == 0 {
			s.offset = l.Offset
		}
		s.lost += l.Lost
	}
	_ = s.write(p.lock)
}

func (p *pump) finish() {
	p.abandon()
	p.report()
	p.write(0)
	if p.raw != nil {
		p.raw.Close()
	}
	if p.lock != nil {
		p.lock.Close()
	}
}
