package journal

import (
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// ErrRotatedAway says that the bytes at an offset are no longer kept: the
// offset is below [Journal.Base].
var ErrRotatedAway = errors.New("bytes rotated away")

// rawFile is one raw.log. It is never closed by hand: a Section may still read
// a file that was rotated away, and the collector closes it after the last one.
type rawFile struct {
	f    *os.File
	base int64
	st   unix.Stat_t // as of opening; tells which file it is
}

func (r *rawFile) end() int64 {
	var st unix.Stat_t
	if unix.Fstat(int(r.f.Fd()), &st) != nil {
		return r.base
	}
	return r.base + st.Size
}

// Base returns the absolute offset of the first byte that is kept.
func (j *Journal) Base() int64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.base()
}

func (j *Journal) base() int64 {
	if j.raw != nil {
		return j.raw.base
	}
	return j.meta.Base
}

// Size returns the absolute offset behind the last byte of raw.log, at the cost
// of one system call. A raw.log that was replaced is opened anew; while it is
// deleted, the size stays what it was.
func (j *Journal) Size() (int64, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.size()
}

func (j *Journal) size() (int64, error) {
	var st unix.Stat_t
	for range 2 {
		err := j.statAt(rawName, &st)
		switch {
		case err == nil && j.raw != nil && sameFile(&st, &j.raw.st):
			return j.raw.base + st.Size, nil
		case err == unix.ENOENT && j.raw != nil:
			return j.raw.end(), nil
		case err == unix.ENOENT:
			return j.meta.Base, nil
		case err != nil:
			return 0, &os.PathError{Op: "stat", Path: j.dir + "/" + rawName, Err: err}
		}
		if err := j.load(); err != nil {
			return 0, err
		}
	}
	if j.raw == nil {
		return j.meta.Base, j.rawErr
	}
	return j.raw.end(), nil
}

// current returns the raw.log of now, nil when there is none.
func (j *Journal) current() *rawFile {
	j.mu.Lock()
	defer j.mu.Unlock()
	_, _ = j.size()
	return j.raw
}

// ReadAt reads raw bytes at an absolute offset, as io.ReaderAt does. The error
// is [ErrRotatedAway] for an offset below Base, and io.EOF at the end. Nothing
// is ever skipped: bytes that the disk refused are not counted by offsets (see
// [Journal.Gaps]).
func (j *Journal) ReadAt(p []byte, off int64) (int, error) {
	j.mu.Lock()
	raw := j.raw
	j.mu.Unlock()
	return j.readFrom(&raw, p, off)
}

// readFrom reads from *raw as long as that has the bytes, then from the newest
// file: bytes that were rotated away stay readable to whom had them open.
func (j *Journal) readFrom(raw **rawFile, p []byte, off int64) (n int, err error) {
	for fresh := false; ; {
		if r := *raw; r != nil && off >= r.base {
			n, err = r.f.ReadAt(p, off-r.base)
			if err != io.EOF || n > 0 && fresh {
				return n, err
			}
		} else if r != nil {
			err = fmt.Errorf("offset %d, the oldest is %d: %w", off, r.base, ErrRotatedAway)
		} else {
			err = io.EOF
		}
		if fresh {
			return n, err
		}
		fresh = true
		newest := j.current()
		if newest == *raw {
			return n, err
		}
		*raw = newest
		if n > 0 {
			m, err := j.readFrom(raw, p[n:], off+int64(n))
			return n + m, err
		}
	}
}

// Section returns the bytes [from, to). What is there when the reader is made
// stays readable through it, even if it is rotated away meanwhile. Reading ends
// with io.EOF at to or at the journal's end, whichever comes first, and fails
// with [ErrRotatedAway] where from is below Base.
func (j *Journal) Section(from, to int64) io.Reader {
	return &section{j: j, raw: j.current(), off: from, to: to}
}

type section struct {
	j       *Journal
	raw     *rawFile
	off, to int64
}

func (s *section) Read(p []byte) (int, error) {
	if s.off >= s.to {
		return 0, io.EOF
	}
	if left := s.to - s.off; int64(len(p)) > left {
		p = p[:left]
	}
	n, err := s.j.readFrom(&s.raw, p, s.off)
	s.off += int64(n)
	if n > 0 {
		return n, nil
	}
	return 0, err
}
