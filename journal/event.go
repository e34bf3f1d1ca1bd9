package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// An EventType says what an event reports. Readers pass over types that they
// do not know.
type EventType string

// The event types of format 1 (J20).
const (
	Created  EventType = "created"   // the journal begins; offset is its base
	CmdStart EventType = "cmd_start" // a run is about to type; offset is where the journal stood
	CmdEnd   EventType = "cmd_end"   // a command ended; its output is the bytes [start, offset)
	Note     EventType = "note"      // a human's message, in text
	Sent     EventType = "sent"      // keys were sent; text tells their shape, never what they were
	Exited   EventType = "exited"    // the pane's process ended; exit_code where known
	Killed   EventType = "killed"    // the terminal was killed on purpose
	Size     EventType = "size"      // the pane's size changed; text is COLSxROWS
	Gap      EventType = "gap"       // bytes are missing at offset; lost says how many where known
	Rotated  EventType = "rotated"   // raw.log now begins at offset
)

// An Event is one line of index.jsonl. Empty fields are left out of the file;
// an offset, start or id that is not there is 0.
type Event struct {
	TS         time.Time // wall clock of the writer: may jump; the order is the file's
	Type       EventType
	CmdID      int64  // 0 where no run made the command
	Offset     int64  // absolute, in bytes
	ExitCode   *int64 // nil when unknown; 0 is written
	Text       string
	Start      int64  // CmdEnd: the output's first byte
	DurationMS *int64 // CmdEnd: the command's own time in ms; nil when unknown
	N          int64  // the prompt counter of the shell's marks
	By         string // CmdEnd: "human" for a command that no run typed
	Lost       int64  // Gap: bytes; 0 when their number is unknown

	// Extra holds the fields that this version does not know. Append writes
	// those that are valid JSON and bear no known name.
	Extra map[string]json.RawMessage
}

func (e *Event) fields() []field {
	return []field{
		{"ts", &e.TS}, {"type", &e.Type}, {"cmd_id", &e.CmdID}, {"offset", &e.Offset},
		{"exit_code", &e.ExitCode}, {"text", &e.Text}, {"start", &e.Start},
		{"duration_ms", &e.DurationMS}, {"n", &e.N}, {"by", &e.By}, {"lost", &e.Lost},
	}
}

// MarshalJSON writes the event as it stands in index.jsonl, without the line end.
func (e Event) MarshalJSON() ([]byte, error) {
	return appendObject(nil, e.fields(), e.Extra), nil
}

// UnmarshalJSON reads one line of index.jsonl. It fails on what is not an object
// with a type, and on known fields of a wrong type; a ts that cannot be read is
// left zero.
func (e *Event) UnmarshalJSON(b []byte) error {
	out, err := newDecoder().decode(b)
	if err == nil {
		*e = out
	}
	return err
}

// A decoder reads many lines with one table of fields.
type decoder struct {
	e      Event
	fields []field
}

func newDecoder() *decoder {
	d := new(decoder)
	d.fields = d.e.fields()
	return d
}

func (d *decoder) decode(b []byte) (Event, error) {
	d.e = Event{}
	extra, err := decodeObject(b, d.fields)
	if err == nil && d.e.Type == "" {
		err = errors.New("no type")
	}
	if err != nil {
		return Event{}, err
	}
	d.e.Extra = extra
	return d.e, nil
}

// A BadLine reports a line of index.jsonl that is no event. Reading goes on
// behind it.
type BadLine struct {
	Pos  int64  // of the line's first byte in index.jsonl
	Line string // its beginning
	Torn bool   // the last line, without its line end: cut off, or still being written
	Err  error
}

func (e *BadLine) Error() string {
	what := "bad line"
	if e.Torn {
		what = "torn line"
	}
	return fmt.Sprintf("%s: %s at byte %d: %v", indexName, what, e.Pos, e.Err)
}

func (e *BadLine) Unwrap() error { return e.Err }
