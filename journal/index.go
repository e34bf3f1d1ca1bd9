package journal

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"

	"golang.org/x/sys/unix"
)

// maxLine bounds what a reader of the index holds in memory. A longer line is a
// bad line, and so is an event that would make one (J23).
const maxLine = 16 << 20

// maxID is the largest command id: what a JSON reader that has only floating
// point can hold exactly. Larger ones are garbage.
const maxID = 1<<53 - 1

// Append adds one event by one write under O_APPEND, so that the lines of
// concurrent writers never mix. TS is filled in when zero. After a torn line
// the event begins with a line end of its own (J22). It is not flushed to the
// disk.
func (j *Journal) Append(e Event) error {
	if e.Type == "" {
		return errors.New("event without a type")
	}
	if e.TS.IsZero() {
		e.TS = now()
	}
	line := appendObject([]byte{'\n'}, e.fields(), e.Extra)
	line = append(line, '\n')
	if len(line) > maxLine {
		return fmt.Errorf("%s event of %d bytes is too long", e.Type, len(line))
	}
	f, err := j.openAt(indexName, unix.O_RDWR|unix.O_APPEND|unix.O_CREAT)
	if err != nil {
		return err
	}
	defer f.Close()

	glued := func(end int64) bool { // are the bytes before end a torn line?
		var last [1]byte
		_, err := f.ReadAt(last[:], end-1)
		return err == nil && last[0] != '\n'
	}
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil {
		return &os.PathError{Op: "stat", Path: f.Name(), Err: err}
	}
	if st.Size > 0 && glued(st.Size) {
		return writeOnce(f, line)
	}
	step("looked")
	if err := writeOnce(f, line[1:]); err != nil {
		return err
	}
	// A writer that was killed in mid-write, after our look, leaves our line
	// glued to its torn one. Where ours went is known only now.
	end, err := f.Seek(0, io.SeekCurrent)
	if begin := end - int64(len(line)-1); err == nil && begin > 0 && glued(begin) {
		err = writeOnce(f, line)
	}
	return err
}

// writeOnce leaves a short write short: its rest, written later, could land
// behind somebody else's line. What is there is a torn line, which all survive.
func writeOnce(f *os.File, b []byte) error {
	for {
		n, err := unix.Write(int(f.Fd()), b)
		switch {
		case err == unix.EINTR:
			continue
		case err == nil && n < len(b):
			err = io.ErrShortWrite
			fallthrough
		case err != nil:
			return &os.PathError{Op: "write", Path: f.Name(), Err: err}
		}
		return nil
	}
}

// Events returns all events, oldest first. A line that is no event comes as a
// [*BadLine] error, a failed read as another error; after a BadLine the iteration
// goes on. Types and fields of later versions are passed on. A missing index has no events.
func (j *Journal) Events() iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		f, err := j.openAt(indexName, unix.O_RDONLY)
		if err != nil {
			if !isNotExist(err) {
				yield(Event{}, err)
			}
			return
		}
		defer f.Close()
		d := newDecoder()
		for l, err := range lines(f) {
			if err != nil {
				yield(Event{}, err)
				return
			}
			e, err := l.event(d)
			if err == errBlank {
				continue
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// Backward returns the events, newest first, reading only as much of the index
// as is asked for. Lines that are no events are passed over, and a read that
// fails ends it, as a missing index does.
func (j *Journal) Backward() iter.Seq[Event] {
	return func(yield func(Event) bool) {
		for e, err := range j.backward() {
			if err == nil && !yield(e) {
				return
			}
		}
	}
}

func (j *Journal) backward() iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		f, err := j.openAt(indexName, unix.O_RDONLY)
		if err != nil {
			return
		}
		defer f.Close()
		var st unix.Stat_t
		if unix.Fstat(int(f.Fd()), &st) != nil {
			return
		}
		d := newDecoder()
		var head []byte // the read part of a line whose beginning was not read yet
		over := false   // head was longer than maxLine and thrown away
		for pos, chunk := st.Size, int64(4<<10); pos > 0; chunk = min(2*chunk, 1<<20) {
			n := min(chunk, pos)
			b := make([]byte, n+int64(len(head)))
			if _, err := f.ReadAt(b[:n], pos-n); err != nil {
				return
			}
			copy(b[n:], head)
			pos -= n
			for {
				i := bytes.LastIndexByte(b, '\n')
				if i < 0 && pos > 0 {
					break
				}
				e, err := line{pos: pos + int64(i) + 1, text: b[i+1:], over: over || len(b)-i-1 > maxLine}.event(d)
				over = false
				if err != errBlank && !yield(e, err) {
					return
				}
				if i < 0 {
					return
				}
				b = b[:i]
			}
			if head = b; len(head) > maxLine {
				head, over = nil, true
			}
		}
	}
}

// MaxCmdID returns the largest id of any command in the index, 0 if there is
// none. It looks at the tail alone where that is all in order, and at the whole
// index otherwise, so that garbage cannot lead to an id that was used before.
// Ids that a JSON number cannot hold exactly (above 2^53-1) are garbage.
func (j *Journal) MaxCmdID() (int64, error) {
	var top, newest int64
	starts, seen := 0, 0
	for e, err := range j.backward() {
		if err != nil || e.CmdID < 0 || e.CmdID > maxID {
			return j.scanCmdID()
		}
		seen++
		top = max(top, e.CmdID)
		if e.Type == CmdStart {
			if starts > 0 && e.CmdID >= newest {
				return j.scanCmdID()
			}
			newest = e.CmdID
			starts++
		}
		if starts >= 4 || starts > 0 && seen >= 16 {
			break
		}
	}
	return top, nil
}

func (j *Journal) scanCmdID() (top int64, err error) {
	f, err := j.openAt(indexName, unix.O_RDONLY)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	d := newDecoder()
	for l, err := range lines(f) {
		if err != nil {
			return top, err
		}
		if e, err := l.event(d); err == nil && e.CmdID <= maxID {
			top = max(top, e.CmdID)
		}
	}
	return top, nil
}

// NextCmdID returns MaxCmdID + 1. Two callers get the same id unless the
// terminal's write lock keeps them apart.
func (j *Journal) NextCmdID() (int64, error) {
	top, err := j.MaxCmdID()
	if err == nil && top >= maxID {
		err = errors.New("command ids are used up")
	}
	return top + 1, err
}

type line struct {
	pos  int64
	text []byte // valid until the next line
	torn bool
	over bool // longer than maxLine; text is its beginning, or nothing
}

var errBlank = errors.New("blank line")

func (l line) event(d *decoder) (e Event, err error) {
	switch {
	case l.over:
		err = errors.New("too long")
	case len(bytes.TrimSpace(l.text)) == 0:
		return e, errBlank
	default:
		e, err = d.decode(l.text)
	}
	if err != nil {
		err = &BadLine{Pos: l.pos, Line: string(l.text[:min(len(l.text), 200)]), Torn: l.torn, Err: err}
	}
	return e, err
}

// linesWith yields the lines that contain needle, without looking at the others
// one by one: as fast as the file can be read.
func linesWith(r io.Reader, needle string) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		buf := make([]byte, 0, 64<<10)
		for {
			if len(buf) == cap(buf) {
				buf = slices.Grow(buf, cap(buf))
			}
			n, err := r.Read(buf[len(buf):cap(buf)])
			buf = buf[:len(buf)+n]
			if err != nil && err != io.EOF {
				yield(nil, err)
				return
			}
			whole := bytes.LastIndexByte(buf, '\n') + 1
			if err == io.EOF {
				whole = len(buf)
			}
			for rest := buf[:whole]; ; {
				at := bytes.Index(rest, []byte(needle))
				if at < 0 {
					break
				}
				begin := bytes.LastIndexByte(rest[:at], '\n') + 1
				end := len(rest)
				if i := bytes.IndexByte(rest[at:], '\n'); i >= 0 {
					end = at + i
				}
				if !yield(rest[begin:end], nil) {
					return
				}
				rest = rest[end:]
			}
			if err == io.EOF {
				return
			}
			buf = buf[:copy(buf, buf[whole:])]
			if len(buf) > maxLine {
				buf = buf[:0] // the rest of this line is no event either
			}
		}
	}
}

// lines splits r at line ends, in memory bounded by maxLine.
func lines(r io.Reader) iter.Seq2[line, error] {
	return func(yield func(line, error) bool) {
		in := bufio.NewReaderSize(r, 64<<10)
		var long []byte
		var pos, length int64
		for {
			part, err := in.ReadSlice('\n')
			length += int64(len(part))
			if err == bufio.ErrBufferFull {
				if length <= maxLine {
					long = append(long, part...)
				}
				continue
			}
			if err != nil && err != io.EOF {
				yield(line{}, err)
				return
			}
			if length > 0 {
				text := part
				if len(long) > 0 {
					text = append(long, part...)
				}
				l := line{pos: pos, text: bytes.TrimSuffix(text, []byte{'\n'}), torn: err == io.EOF}
				content := length
				if !l.torn {
					content-- // the line end
				}
				l.over = content > maxLine
				if !yield(l, nil) {
					return
				}
			}
			if err == io.EOF {
				return
			}
			pos, length, long = pos+length, 0, long[:0]
		}
	}
}
