package journal

import (
	"time"

	"golang.org/x/sys/unix"
)

// The reasons that the pump gives for a loss, in Loss.Text and Event.Text.
const (
	lossUnwritten = "output could not be written"
	lossDeleted   = "raw.log was deleted"
	lossTruncated = "raw.log was truncated"
	lossDied      = "the writer died; output may be missing here"
	lossRestart   = "the writer was started again; output may be missing here"
)

// A Loss is a place where bytes of the pane are missing from raw.log.
type Loss struct {
	Offset int64     // absolute: of the first byte after the missing ones
	Lost   int64     // bytes; 0 when their number is unknown
	TS     time.Time // when it was recorded; zero while it goes on
	Text   string    // why
	Open   bool      // bytes are being lost now
}

// Gaps returns the losses at or behind the absolute offset from, oldest first:
// those in the index, and the one that goes on now. It reads the whole
// index, at some GB/s.
func (j *Journal) Gaps(from int64) ([]Loss, error) {
	gaps, err := j.indexedGaps(from)
	if err != nil {
		return gaps, err
	}
	w, err := j.openAt(writerName, unix.O_RDONLY)
	if err != nil {
		return gaps, nil // no pump ever ran here, only a plain cat
	}
	defer w.Close()
	if s, ok := readWriterState(w); ok && s.lost > 0 && s.offset >= from && !j.reported(s.offset, s.lost) {
		gaps = append(gaps, Loss{Offset: s.offset, Lost: s.lost, Text: lossUnwritten, Open: true})
	}
	return gaps, nil
}

func (j *Journal) indexedGaps(from int64) (gaps []Loss, err error) {
	f, err := j.openAt(indexName, unix.O_RDONLY)
	if err != nil {
		if isNotExist(err) {
			err = nil
		}
		return nil, err
	}
	defer f.Close()
	d := newDecoder()
	for text, err := range linesWith(f, `"gap"`) {
		if err != nil {
			return gaps, err
		}
		if e, err := d.decode(text); err == nil && e.Type == Gap && e.Offset >= from {
			gaps = append(gaps, Loss{Offset: e.Offset, Lost: e.Lost, TS: e.TS, Text: e.Text})
		}
	}
	return gaps, nil
}

// reported tells whether the newest gap event is this one: a pump that died may
// have written the event, but not yet that it did.
func (j *Journal) reported(offset, lost int64) bool {
	for e := range j.Backward() {
		if e.Type == Gap {
			return e.Offset == offset && e.Lost == lost
		}
	}
	return false
}
