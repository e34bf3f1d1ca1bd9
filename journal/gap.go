package journal

import (
	"bytes"
	"errors"
	"io/fs"
	"time"

	"golang.org/x/sys/unix"
)

// GapInfo is a place where bytes of the pane are missing.
type GapInfo struct {
	Offset int64     // absolute: the first byte after the missing ones
	Lost   int64     // bytes; 0 when their number is unknown
	TS     time.Time // when it was recorded; zero while it lasts
	Text   string    // why
	Open   bool      // bytes are being lost now
}

// Gaps returns the gaps at or behind the absolute offset from, oldest first:
// those of the index, and the one that still lasts. It reads the whole index,
// at about 1 GB/s.
func (j *Journal) Gaps(from int64) ([]GapInfo, error) {
	var gaps []GapInfo
	f, err := j.openAt(indexName, unix.O_RDONLY)
	switch {
	case err == nil:
		defer f.Close()
		for l, err := range lines(f) {
			if err != nil {
				return gaps, err
			}
			if !bytes.Contains(l.text, []byte(`"gap"`)) {
				continue
			}
			if e, err := l.event(); err == nil && e.Type == Gap && e.Offset >= from {
				gaps = append(gaps, GapInfo{Offset: e.Offset, Lost: e.Lost, TS: e.TS, Text: e.Text})
			}
		}
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	w, err := j.openAt(writerName, unix.O_RDONLY)
	if err != nil {
		return gaps, nil
	}
	defer w.Close()
	if s, ok := readWriterState(w); ok && s.lost > 0 && s.offset >= from {
		gaps = append(gaps, GapInfo{Offset: s.offset, Lost: s.lost, Text: "output could not be written", Open: true})
	}
	return gaps, nil
}
