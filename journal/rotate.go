package journal

import (
	"bytes"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

const newRawName = rawName + ".new"

// rotating is a rotation under way. The tail is copied a piece for each read
// from the pane, so that a large one does not stall it.
type rotating struct {
	f    *os.File
	base int64 // absolute: what the new file begins with
	done int64 // absolute: copied up to here
	buf  []byte
}

// rotate begins or continues a rotation.
func (p *pump) rotate() {
	if p.raw == nil || p.max <= 0 || !p.held {
		return
	}
	if p.rot == nil {
		if p.end-p.base <= p.max || p.end < p.rotateAt {
			return
		}
		if p.rot = p.startRotation(); p.rot == nil {
			p.postpone()
			return
		}
	}
	r := p.rot
	for range 4 {
		n, _ := p.raw.ReadAt(r.buf[:min(int64(len(r.buf)), p.end-r.done)], r.done-p.base)
		if n > 0 {
			n, _ = r.f.WriteAt(r.buf[:n], r.done-r.base)
		}
		if n <= 0 {
			p.abandon()
			p.postpone()
			return
		}
		if r.done += int64(n); r.done < p.end {
			continue
		}
		step("copied")
		if p.swap(r.f, r.base, 0) == nil {
			p.rot = nil
		} else {
			p.abandon()
			p.postpone()
		}
		return
	}
}

func (p *pump) postpone() { p.rotateAt = p.end + p.max/8 }

// startRotation decides what is kept: the newest half of what is allowed, and a
// running command from a little before its start, so that the prompt's marks
// stay with it. It returns nil if that frees too little.
func (p *pump) startRotation() *rotating {
	from := p.end - p.max/2
	if start, ok := p.j.runningSince(); ok {
		from = min(from, start-min(64<<10, p.max/8))
	}
	if from-p.base < p.max/8 {
		return nil
	}
	// Begin with a whole line, where the one before ends nearby.
	back := make([]byte, min(4<<10, p.max/16))
	if n, _ := p.raw.ReadAt(back, from-int64(len(back))-p.base); n == len(back) {
		if i := bytes.LastIndexByte(back, '\n'); i >= 0 {
			from -= int64(len(back) - i - 1)
		}
	}
	f, err := p.j.openAt(newRawName, unix.O_RDWR|unix.O_CREAT|unix.O_TRUNC)
	if err != nil {
		return nil
	}
	return &rotating{f: f, base: from, done: from, buf: make([]byte, 256<<10)}
}

// abandon gives up a rotation and the space it took.
func (p *pump) abandon() {
	if p.rot != nil {
		p.rot.f.Close()
		p.rot = nil
		_ = unix.Unlinkat(p.j.dirFd(), newRawName, 0)
	}
}

// renew puts an empty raw.log in the place of one that was deleted or truncated;
// it begins where the old one ended. If that fails the pump is left without one,
// and the next write tries again.
func (p *pump) renew(l Loss) {
	p.abandon()
	p.end, p.gone = l.Offset, l.Lost
	if p.raw != nil {
		p.raw.Close() // first, since a full disk may be why it was deleted
		p.raw = nil
	}
	f, err := p.j.openAt(newRawName, unix.O_RDWR|unix.O_CREAT|unix.O_TRUNC)
	if err != nil {
		return
	}
	if p.swap(f, l.Offset, 20*time.Millisecond) != nil {
		f.Close()
		return
	}
	p.gone = 0
	p.pending = append(p.pending, l)
	p.save()
	p.report()
}

// swap makes raw.log.new, open as f, the raw.log that begins at base, and uses
// it. A reader finds the right base at every moment, and after a crash at any:
// meta.json first announces the new file's inode and base, then the file gets
// its name, then meta.json is settled (J33).
func (p *pump) swap(f *os.File, base int64, wait time.Duration) error {
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil {
		return err
	}
	unlock, err := p.j.lockMeta(wait)
	if err != nil {
		return err
	}
	defer unlock()
	m, metaErr := p.j.readMeta()
	if metaErr == nil { // without one the event at the end has to do
		m.next = rotation{base: base, ino: st.Ino}
		if err := p.j.writeMeta(m); err != nil {
			return err
		}
	}
	step("announced")
	a, err := p.j.openAt(newRawName, unix.O_RDWR|unix.O_APPEND)
	if err != nil {
		return err
	}
	if err := unix.Renameat(p.j.dirFd(), newRawName, p.j.dirFd(), rawName); err != nil {
		a.Close()
		return err
	}
	step("renamed")
	f.Close()
	if p.raw != nil {
		p.raw.Close()
	}
	p.use(a, base)
	if metaErr == nil {
		m.Base, m.next = base, rotation{}
		_ = p.j.writeMeta(m) // if it fails, the announcement still holds
	}
	step("settled")
	p.j.appendRotated(base)
	return nil
}

// settle finishes what a crash left of a swap.
func (p *pump) settle() {
	if p.j.Reload() != nil {
		return
	}
	_ = unix.Unlinkat(p.j.dirFd(), newRawName, 0)
	m := p.j.Meta()
	if m.Format > Format {
		return
	}
	if m.next.ino != 0 {
		unlock, err := p.j.lockMeta(20 * time.Millisecond)
		if err != nil {
			return
		}
		if disk, err := p.j.readMeta(); err == nil {
			disk.Base, disk.next = p.j.Base(), rotation{}
			_ = p.j.writeMeta(disk)
		}
		unlock()
	}
	if base := p.j.Base(); base != p.j.lastBase() {
		p.j.appendRotated(base)
	}
}

func (j *Journal) appendRotated(base int64) {
	_ = j.Append(Event{Type: Rotated, Offset: base, Text: fmt.Sprintf("%s begins at %d", rawName, base)})
}

// step is where the crash tests kill the process.
var step = func(string) {}

// runningSince returns where the journal stood at the start of the newest
// command, if that has no end yet.
func (j *Journal) runningSince() (int64, bool) {
	ended := make(map[int64]bool)
	for e := range j.Backward() {
		switch e.Type {
		case CmdEnd:
			ended[e.CmdID] = true
		case CmdStart:
			return e.Offset, !ended[e.CmdID]
		}
	}
	return 0, false
}
