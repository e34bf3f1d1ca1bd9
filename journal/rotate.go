package journal

import (
	"bytes"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

const newRawName = rawName + ".new"

// rotating is a rotation under way. The tail is copied a piece for each read, so
// that a large one does not stall the pane.
type rotating struct {
	f    *os.File
	base int64 // absolute: what the new file begins with
	done int64 // absolute: copied up to here
}

// rotate starts or continues a rotation.
func (p *pump) rotate() {
	if p.rot == nil {
		if p.max <= 0 || p.raw == nil || !p.held || p.end-p.base <= p.max || p.end < p.idle {
			return
		}
		if !p.startRotation() {
			p.idle = p.end + p.max/8
			return
		}
	}
	const piece = 1 << 20
	r := p.rot
	buf := make([]byte, min(piece, p.end-r.done))
	n, err := p.raw.ReadAt(buf, r.done-p.base)
	if n > 0 {
		_, err = r.f.WriteAt(buf[:n], r.done-r.base)
	}
	if n == 0 || err != nil && n < len(buf) {
		p.abandon()
		p.idle = p.end + p.max/8
		return
	}
	if r.done += int64(n); r.done < p.end {
		return
	}
	p.rot = nil
	if p.swap(r.f, r.base) != nil {
		r.f.Close()
		_ = unix.Unlinkat(p.j.dirFd(), newRawName, 0)
		p.idle = p.end + p.max/8
	}
}

// startRotation decides what is kept: the newest half of what is allowed, and a
// running command from a little before its start, so that the prompt's marks
// stay with it.
func (p *pump) startRotation() bool {
	from := p.end - p.max/2
	if start, ok := p.j.runningSince(); ok {
		from = min(from, start-min(64<<10, p.max/8))
	}
	if from <= p.base || from-p.base < p.max/8 {
		return false
	}
	// Begin with a whole line, where one begins nearby.
	look := make([]byte, min(4<<10, p.max/16))
	if n, _ := p.raw.ReadAt(look, from-p.base); n > 0 {
		if i := bytes.IndexByte(look[:n], '\n'); i >= 0 {
			from += int64(i) + 1
		}
	}
	f, err := p.j.openAt(newRawName, unix.O_RDWR|unix.O_CREAT|unix.O_TRUNC)
	if err != nil {
		return false
	}
	p.rot = &rotating{f: f, base: from, done: from}
	return true
}

func (p *pump) abandon() {
	if p.rot != nil {
		p.rot.f.Close()
		p.rot = nil
		_ = unix.Unlinkat(p.j.dirFd(), newRawName, 0)
	}
}

// renew puts an empty raw.log in the place of one that was deleted or truncated.
// It begins where the old one ended.
func (p *pump) renew(why string, base, lost int64) {
	p.abandon()
	if p.raw != nil {
		p.raw.Close()
		p.raw = nil
	}
	f, err := p.j.openAt(newRawName, unix.O_RDWR|unix.O_CREAT|unix.O_TRUNC)
	if err != nil {
		return
	}
	if p.swap(f, base) != nil {
		f.Close()
		return
	}
	p.gaps = append(p.gaps, GapInfo{Offset: base, Lost: lost, Text: why})
	p.save()
	p.report()
}

// swap makes the file raw.log.new, open as f, the raw.log that begins at base.
// Readers find the right base at every moment: meta.json first announces the
// new file's inode and base, then the rename happens, then meta.json is settled.
// It is the only place that moves Meta.Base.
func (p *pump) swap(f *os.File, base int64) error {
	unlock, err := p.j.lockMeta(0)
	if err != nil {
		return err
	}
	defer unlock()
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil {
		return err
	}
	m, metaErr := p.j.readMeta()
	if metaErr == nil {
		m.next = rotation{base: base, ino: st.Ino}
		if err := p.j.writeMeta(m); err != nil {
			return err
		}
	}
	if err := unix.Renameat(p.j.dirFd(), newRawName, p.j.dirFd(), rawName); err != nil {
		return err
	}
	old := p.base
	// O_APPEND is wanted from here on.
	if a, err := p.j.openAt(rawName, unix.O_RDWR|unix.O_APPEND); err == nil {
		f.Close()
		f = a
	}
	p.use(f, base)
	if metaErr == nil {
		m.Base, m.next = base, rotation{}
		_ = p.j.writeMeta(m)
	}
	_ = p.j.Append(Event{Type: Rotated, Offset: base, Text: fmt.Sprintf("from %d", old)})
	return nil
}

// runningSince returns the journal's offset at the start of the newest command, if
// it has no end yet.
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
