package journal

import (
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// WriterAlive reports whether a [Pump] writes the journal in dir: whether
// somebody holds the exclusive flock on writer.lock. It takes microseconds and
// never blocks. A pump that is just starting may not hold it yet: false means
// nothing in the first 50 ms.
func WriterAlive(dir string) (bool, error) {
	f, err := os.OpenFile(filepath.Join(dir, writerName), os.O_RDONLY, 0)
	if isNotExist(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	// Shared, so that two probers do not take each other for a writer.
	switch err := unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB); err {
	case nil:
		return false, nil
	case unix.EWOULDBLOCK:
		return true, nil
	default:
		return false, &os.PathError{Op: "flock", Path: f.Name(), Err: err}
	}
}

// writerState is what the pump keeps in writer.lock: whether it ended in order,
// and a loss that the index does not have yet. The file is always written in
// place and with the same length, so that a full disk can be reported while it
// is full (J42).
type writerState struct {
	pid    int
	open   int   // 1 from the pump's start to its orderly end
	offset int64 // absolute: where the loss began
	lost   int64
}

const writerStateLen = 160

func (s *writerState) fields() []field {
	return []field{{"pid", &s.pid}, {"open", &s.open}, {"offset", &s.offset}, {"lost", &s.lost}}
}

func (s writerState) write(f *os.File) error {
	b := appendObject(make([]byte, 0, writerStateLen), s.fields(), nil)
	_, err := f.WriteAt(padState(b), 0)
	return err
}

func padState(b []byte) []byte {
	for len(b) < writerStateLen-1 {
		b = append(b, ' ')
	}
	return append(b, '\n')
}

// readWriterState returns false when no pump ever wrote a state.
func readWriterState(f *os.File) (s writerState, ok bool) {
	var b [writerStateLen]byte
	n, _ := f.ReadAt(b[:], 0)
	_, err := decodeObject(b[:n], s.fields())
	return s, err == nil
}
