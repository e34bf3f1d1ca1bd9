package mcpserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/pairmux/pairmux/envelope"
)

// toolResult is the CallToolResult of MCP. The envelope stands in it twice, and
// the two are equal: some hosts show the model one of them, some the other.
type toolResult struct {
	Content    [1]textContent  `json:"content"`
	Structured json.RawMessage `json:"structuredContent"`
	IsError    bool            `json:"isError,omitempty"`

	ResultType string         `json:"resultType,omitempty"` // 2026-07-28
	Meta       map[string]any `json:"_meta,omitempty"`
}

type textContent struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

func resultOf(line []byte, isError bool) *toolResult {
	return &toolResult{
		Content:    [1]textContent{{"text", string(line)}},
		Structured: line,
		IsError:    isError,
	}
}

// refusal is the result for arguments that were refused.
func refusal(err error) *toolResult {
	return failure(envelope.CodeBadArgs, err.Error(), "")
}

func failure(code envelope.Code, message, hint string) *toolResult {
	return resultOf(line(envelope.Fail(code, message, hint)), true)
}

// line is the reply's JSON without the line end.
func line(r *envelope.Reply) []byte {
	var b bytes.Buffer
	if err := r.WriteJSON(&b); err != nil {
		panic(err) // a buffer takes everything
	}
	return bytes.TrimSuffix(b.Bytes(), []byte{'\n'})
}

// result judges what a child left behind.
func (o *outcome) result(t Tool, inv *Invocation, limit time.Duration, globals []string) *toolResult {
	switch {
	case o.startErr != nil:
		return failure(envelope.CodeInternal, fmt.Sprintf("cannot start pairmux: %v", o.startErr),
			"check that the pairmux executable is where it was when this server started, then restart the server")
	case o.overflow:
		return failure(envelope.CodeTooLarge, fmt.Sprintf("the reply of %s is over 1 MiB", t.Name),
			"ask for less: max_bytes, head or tail, or pairmux_log with command_id, grep or a smaller range; the journal is complete")
	}
	reply, err := decodeReply(o.stdout)
	if err != nil {
		message := fmt.Sprintf("pairmux %s gave no reply (%s)", inv.command, o.end())
		switch {
		case o.late:
			message = fmt.Sprintf("pairmux %s gave no reply within %s", inv.command, limit)
		case len(bytes.TrimSpace(o.stdout)) > 0:
			message = fmt.Sprintf("pairmux %s gave a reply that is no envelope (%v; %s)", inv.command, err, o.end())
		}
		if tail := tailText(o.stderr, 2048); tail != "" {
			message += ": " + tail
		}
		return failure(envelope.CodeInternal, message, "call pairmux_doctor")
	}
	if reply.OK && !o.endedWell() {
		return failure(envelope.CodeInternal,
			fmt.Sprintf("pairmux %s replied %s but ended badly (%s); the reply cannot be trusted", inv.command, reply.Status, o.end()),
			"look with pairmux_peek before going on")
	}
	if !t.bounded && len(reply.Output) > budget {
		shorten(reply, inv, globals)
	}
	return resultOf(line(reply), !reply.OK)
}

func decodeReply(b []byte) (*envelope.Reply, error) {
	if !utf8.Valid(b) {
		return nil, errors.New("not UTF-8")
	}
	return envelope.Decode(b)
}

// tailText returns at most n bytes of the end of b as text without control
// characters.
func tailText(b []byte, n int) string {
	b = bytes.TrimSpace(b)
	if len(b) > n {
		b = b[len(b)-n:]
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return ' '
		case r < ' ' || r >= 0x7f && r < 0xa0:
			return -1
		}
		return r
	}, strings.ToValidUTF8(string(b), ""))
}

func cutText(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}
