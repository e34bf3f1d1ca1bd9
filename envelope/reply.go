package envelope

import "slices"

// Reply is the answer of one pairmux command. The zero value of every field
// but OK means "not there" and is left out of both forms; numbers that may be
// 0 are pointers ([Int] makes one). An empty Schema is written as [Schema].
//
// The order of the fields is the order in which they are written (SPEC 2).
type Reply struct {
	Schema string `json:"schema"`
	OK     bool   `json:"ok"`
	Status Status `json:"status,omitempty"`

	Terminal string `json:"terminal,omitempty"`
	Mode     Mode   `json:"mode,omitempty"`

	ExitCode   *int64 `json:"exit_code,omitempty"`   // nil: unknown or no end to report, never 0 for unknown
	DurationMS *int64 `json:"duration_ms,omitempty"` // the command's own time, start mark to end mark
	CmdID      int64  `json:"cmd_id,omitempty"`      // ids begin at 1

	Output    string     `json:"output,omitempty"` // shaped lines joined by LF; any bytes
	Truncated *Truncated `json:"truncated,omitempty"`
	Cursor    *int64     `json:"cursor,omitempty"` // journal position in bytes, may be 0
	Prompt    *Prompt    `json:"prompt,omitempty"`

	Terminals []Terminal `json:"terminals,omitempty"`
	Notes     []string   `json:"notes,omitempty"`    // unseen human notes, oldest first
	Next      []string   `json:"next,omitempty"`     // safety sentences, then commands ready to run
	Warnings  []string   `json:"warnings,omitempty"` // what the reader must know and cannot see

	Commands []Command    `json:"commands,omitempty"`
	History  []HistoryRow `json:"history,omitempty"`
	Checks   []Check      `json:"checks,omitempty"`

	Error *Error `json:"error,omitempty"`
}

// Truncated says what Output does not hold.
type Truncated struct {
	OmittedLines int64  `json:"omitted_lines"`           // shaped lines left out of what was read; always written
	OmittedBytes int64  `json:"omitted_bytes,omitempty"` // raw bytes not read, or cut out of an over-long line
	GetFull      string `json:"get_full,omitempty"`      // the command that returns all
}

// Prompt describes what a terminal with [StatusAwaitingInput] waits for.
type Prompt struct {
	Kind     PromptKind `json:"kind"`
	Evidence Evidence   `json:"evidence"`
}

// Terminal is one row of ls.
type Terminal struct {
	Name         string `json:"name"`
	Status       Status `json:"status"`
	Mode         Mode   `json:"mode,omitempty"`
	Cmd          string `json:"cmd,omitempty"`           // what runs; empty at the prompt
	LockPID      int    `json:"lock_pid,omitempty"`      // holder of the write lock
	Notes        int    `json:"notes,omitempty"`         // number of unseen notes
	LastActivity string `json:"last_activity,omitempty"` // RFC 3339, UTC
	ExitCode     *int64 `json:"exit_code,omitempty"`     // of a dead terminal
	Socket       string `json:"socket,omitempty"`        // with ls --all
}

// Command describes one subcommand in the machine-readable command list.
type Command struct {
	Name    string `json:"name"`
	Group   string `json:"group"` // GroupAgent or GroupHuman
	Summary string `json:"summary"`
	Usage   string `json:"usage"`
	Flags   []Flag `json:"flags,omitempty"`
}

// Flag describes one flag of a [Command].
type Flag struct {
	Name    string `json:"name"`            // as typed, with its dashes
	Value   string `json:"value,omitempty"` // placeholder of the value; empty for a switch
	Default string `json:"default,omitempty"`
	Help    string `json:"help,omitempty"`
	Repeats bool   `json:"repeats,omitempty"`
}

// HistoryRow is one command of a terminal's past.
type HistoryRow struct {
	CmdID      int64  `json:"cmd_id,omitempty"` // 0 for a command that a human typed
	Command    string `json:"command"`
	By         string `json:"by"` // ByRun or ByHuman
	ExitCode   *int64 `json:"exit_code,omitempty"`
	Started    string `json:"started,omitempty"` // RFC 3339, UTC
	DurationMS *int64 `json:"duration_ms,omitempty"`
	Bytes      int64  `json:"bytes"` // raw bytes of output in the journal
}

// Check is one finding of doctor.
type Check struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail,omitempty"`
	Fix    string `json:"fix,omitempty"` // how to repair it, when OK is false
}

// Error is why a command did not do what it was asked.
type Error struct {
	Code    Code   `json:"code"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"` // mirrored into Next
}

// Error returns the code and the message.
func (e *Error) Error() string { return string(e.Code) + ": " + e.Message }

// New returns a successful reply with the given status.
func New(status Status) *Reply {
	return &Reply{Schema: Schema, OK: true, Status: status}
}

// Fail returns an error reply. A hint that is not empty becomes the first
// entry of Next too, because agents follow Next and may not read Error.
func Fail(code Code, message, hint string) *Reply {
	r := &Reply{Schema: Schema, Status: StatusError, Error: &Error{Code: code, Message: message, Hint: hint}}
	if hint != "" {
		r.Next = []string{hint}
	}
	return r
}

// Int returns a pointer to n, for the fields that may be 0.
func Int(n int64) *int64 { return &n }

// hintIsMirrored reports whether the error's hint, if any, is in Next.
func (r *Reply) hintIsMirrored() bool {
	return r.Error == nil || r.Error.Hint == "" || slices.Contains(r.Next, r.Error.Hint)
}
