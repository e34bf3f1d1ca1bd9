package envelope

import (
	"io"
	"strconv"
)

// WriteJSON writes the reply as one compact line and a LF, in one call of
// w.Write, whose error it returns. The line is valid JSON whatever bytes the
// reply holds; `<`, `>` and `&` stand as they are.
func (r *Reply) WriteJSON(w io.Writer) error {
	b := make([]byte, 0, 512+len(r.Output)+len(r.Output)/16)
	b = r.appendHead(b)
	b = appendStr(b, "output", r.Output)
	b = r.appendTail(b)
	_, err := w.Write(b)
	return err
}

// appendHead appends the opening brace and the fields that stand before output.
func (r *Reply) appendHead(b []byte) []byte {
	schema := r.Schema
	if schema == "" {
		schema = Schema
	}
	b = append(b, `{"schema":"`...)
	b = appendJSON(b, schema)
	b = append(b, `","ok":`...)
	b = strconv.AppendBool(b, r.OK)
	b = appendStr(b, "status", r.Status)
	b = appendStr(b, "terminal", r.Terminal)
	b = appendStr(b, "mode", r.Mode)
	b = appendPtr(b, "exit_code", r.ExitCode)
	b = appendPtr(b, "duration_ms", r.DurationMS)
	return appendNum(b, "cmd_id", r.CmdID)
}

// appendTail appends the fields after output, the closing brace and the LF.
func (r *Reply) appendTail(b []byte) []byte {
	if t := r.Truncated; t != nil {
		b = append(b, `,"truncated":{"omitted_lines":`...)
		b = strconv.AppendInt(b, t.OmittedLines, 10)
		b = appendNum(b, "omitted_bytes", t.OmittedBytes)
		b = appendStr(b, "get_full", t.GetFull)
		b = append(b, '}')
	}
	b = appendPtr(b, "cursor", r.Cursor)
	if p := r.Prompt; p != nil {
		b = append(b, `,"prompt":{`...)
		b = appendFirst(b, "kind", p.Kind)
		b = appendAlways(b, "evidence", p.Evidence)
		b = append(b, '}')
	}
	b = appendRows(b, "terminals", r.Terminals, (*Terminal).appendJSON)
	b = appendRows(b, "notes", r.Notes, appendQuoted)
	b = appendRows(b, "next", r.Next, appendQuoted)
	b = appendRows(b, "warnings", r.Warnings, appendQuoted)
	b = appendRows(b, "commands", r.Commands, (*Command).appendJSON)
	b = appendRows(b, "history", r.History, (*HistoryRow).appendJSON)
	b = appendRows(b, "checks", r.Checks, (*Check).appendJSON)
	if e := r.Error; e != nil {
		b = append(b, `,"error":{`...)
		b = appendFirst(b, "code", e.Code)
		b = appendAlways(b, "message", e.Message)
		b = appendStr(b, "hint", e.Hint)
		b = append(b, '}')
	}
	return append(b, "}\n"...)
}

func (t *Terminal) appendJSON(b []byte) []byte {
	b = append(b, '{')
	b = appendFirst(b, "name", t.Name)
	b = appendAlways(b, "status", t.Status)
	b = appendStr(b, "mode", t.Mode)
	b = appendStr(b, "cmd", t.Cmd)
	b = appendNum(b, "lock_pid", int64(t.LockPID))
	b = appendNum(b, "notes", int64(t.Notes))
	b = appendStr(b, "last_activity", t.LastActivity)
	b = appendPtr(b, "exit_code", t.ExitCode)
	b = appendStr(b, "socket", t.Socket)
	return append(b, '}')
}

func (c *Command) appendJSON(b []byte) []byte {
	b = append(b, '{')
	b = appendFirst(b, "name", c.Name)
	b = appendAlways(b, "group", c.Group)
	b = appendAlways(b, "summary", c.Summary)
	b = appendAlways(b, "usage", c.Usage)
	b = appendRows(b, "flags", c.Flags, (*Flag).appendJSON)
	return append(b, '}')
}

func (f *Flag) appendJSON(b []byte) []byte {
	b = append(b, '{')
	b = appendFirst(b, "name", f.Name)
	b = appendStr(b, "value", f.Value)
	b = appendStr(b, "default", f.Default)
	b = appendStr(b, "help", f.Help)
	if f.Repeats {
		b = append(b, `,"repeats":true`...)
	}
	return append(b, '}')
}

func (h *HistoryRow) appendJSON(b []byte) []byte {
	b = append(b, '{')
	if h.CmdID != 0 {
		b = append(b, `"cmd_id":`...)
		b = strconv.AppendInt(b, h.CmdID, 10)
		b = append(b, ',')
	}
	b = appendFirst(b, "command", h.Command)
	b = appendAlways(b, "by", h.By)
	b = appendPtr(b, "exit_code", h.ExitCode)
	b = appendStr(b, "started", h.Started)
	b = appendPtr(b, "duration_ms", h.DurationMS)
	b = append(b, `,"bytes":`...)
	b = strconv.AppendInt(b, h.Bytes, 10)
	return append(b, '}')
}

func (c *Check) appendJSON(b []byte) []byte {
	b = append(b, '{')
	b = appendFirst(b, "name", c.Name)
	b = append(b, `,"ok":`...)
	b = strconv.AppendBool(b, c.OK)
	b = appendStr(b, "detail", c.Detail)
	b = appendStr(b, "fix", c.Fix)
	return append(b, '}')
}

func appendQuoted(s *string, b []byte) []byte {
	b = append(b, '"')
	b = appendJSON(b, *s)
	return append(b, '"')
}

// appendFirst appends a member that is always there and opens its object.
func appendFirst[T ~string](b []byte, key string, v T) []byte {
	b = append(b, '"')
	b = append(b, key...)
	b = append(b, `":"`...)
	b = appendJSON(b, string(v))
	return append(b, '"')
}

func appendAlways[T ~string](b []byte, key string, v T) []byte {
	return appendFirst(append(b, ','), key, v)
}

func appendStr[T ~string](b []byte, key string, v T) []byte {
	if v == "" {
		return b
	}
	return appendAlways(b, key, v)
}

func appendKey(b []byte, key string) []byte {
	b = append(b, ',', '"')
	b = append(b, key...)
	return append(b, '"', ':')
}

func appendNum(b []byte, key string, n int64) []byte {
	if n == 0 {
		return b
	}
	return strconv.AppendInt(appendKey(b, key), n, 10)
}

func appendPtr(b []byte, key string, n *int64) []byte {
	if n == nil {
		return b
	}
	return strconv.AppendInt(appendKey(b, key), *n, 10)
}

func appendRows[T any](b []byte, key string, rows []T, row func(*T, []byte) []byte) []byte {
	if len(rows) == 0 {
		return b
	}
	b = append(appendKey(b, key), '[')
	for i := range rows {
		if i > 0 {
			b = append(b, ',')
		}
		b = row(&rows[i], b)
	}
	return append(b, ']')
}
