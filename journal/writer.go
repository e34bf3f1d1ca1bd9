package journal

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// WriterAlive reports whether a [Pump] writes raw.log in dir: whether somebody
// holds the exclusive lock on writer.lock. It takes about 5 µs and never blocks.
// A pump that was just started may not hold it yet: false means nothing within
// the first 50 ms.
func WriterAlive(dir string) (bool, error) {
	f, err := os.OpenFile(filepath.Join(dir, writerName), os.O_RDONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	// Shared, so that probers do not see one another.
	switch err := unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB); err {
	case nil:
		return false, nil
	case unix.EWOULDBLOCK:
		return true, nil
	default:
		return false, err
	}
}

// writerState is what the pump keeps in writer.lock: a loss that no gap event
// reports yet. It is written in place over bytes that were allocated at the
// start, so that a full disk can be reported although it is full (J41).
type writerState struct {
	pid    int
	open   int   // 1 from the pump's start to its orderly end
	offset int64 // where the loss began
	lost   int64
}

const writerStateLen = 160

func (s *writerState) fields() []field {
	return []field{{"pid", &s.pid}, {"open", &s.open}, {"offset", &s.offset}, {"lost", &s.lost}}
}

func (s writerState) write(f *os.File) error {
	b := appendObject(make([]byte, 0, writerStateLen), s.fields(), nil)
	for len(b) < writerStateLen-1 {
		b = append(b, ' ')
	}
	_, err := f.WriteAt(append(b, '\n'), 0)
	return err
}

func readWriterState(f *os.File) (s writerState, ok bool) {
	var b [writerStateLen]byte
	n, _ := f.ReadAt(b[:], 0)
	var extra map[string]json.RawMessage
	extra, err := decodeObject(b[:n], s.fields())
	_ = extra
	return s, err == nil
}
