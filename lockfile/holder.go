package lockfile

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"time"
	"unicode/utf8"
)

// maxText bounds Holder.Text in the file, so that one read sees all of it.
const maxText = 1024

// A Holder says who has a lock. In the file it is one line of JSON with the
// keys pid, verb, since (RFC 3339) and text.
type Holder struct {
	PID   int       `json:"pid"`
	Verb  string    `json:"verb,omitempty"`
	Since time.Time `json:"since"`
	Text  string    `json:"text,omitempty"` // e.g. the command; kept to 1024 bytes
}

func (h Holder) write(f *os.File) error {
	if h.PID == 0 {
		h.PID = os.Getpid()
	}
	if h.Since.IsZero() {
		h.Since = time.Now()
	}
	if len(h.Text) > maxText {
		n := maxText
		for n > 0 && !utf8.RuneStart(h.Text[n]) {
			n--
		}
		h.Text = h.Text[:n]
	}
	line, err := json.Marshal(h)
	if err != nil {
		return err
	}
	line = append(line, '\n')
	// A killed holder may have left a longer line. A reader that comes
	// between the two calls sees no whole line and looks again.
	if st, err := f.Stat(); err != nil || st.Size() > 0 {
		if err := f.Truncate(0); err != nil {
			return err
		}
	}
	_, err = f.WriteAt(line, 0)
	return err
}

// readHolder reads the first line of the file; anything but a whole record is
// no holder.
func readHolder(f *os.File) (h Holder, ok bool) {
	// JSON can make six bytes of one.
	buf := make([]byte, 6*maxText+1024)
	n, err := f.ReadAt(buf, 0)
	if err != nil && err != io.EOF {
		return Holder{}, false
	}
	line, _, whole := bytes.Cut(buf[:n], []byte{'\n'})
	if !whole || json.Unmarshal(line, &h) != nil || h.PID <= 0 {
		return Holder{}, false
	}
	return h, true
}
