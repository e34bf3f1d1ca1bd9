package mcpserver

import (
	"encoding/json"
	"time"
)

// Kind is the type of an argument: what JSON it is, and how its value is checked.
type Kind string

// The kinds. Integers and booleans are JSON numbers and booleans, KindStrings is an
// array of strings, all others are JSON strings.
const (
	KindString   Kind = "string"   // anything without NUL, up to 100,000 bytes
	KindText     Kind = "text"     // any size a message can hold; reaches the child on its standard input
	KindDuration Kind = "duration" // 300ms, 90s, 5m, 1h30m, 7d or 0
	KindSize     Kind = "size"     // digits with B, KiB, MiB or GiB
	KindCursor   Kind = "cursor"   // digits, run or start; an integer is taken too
	KindInteger  Kind = "integer"
	KindBoolean  Kind = "boolean"
	KindStrings  Kind = "strings"
)

// Argument is one argument of a tool.
type Argument struct {
	Name        string
	Kind        Kind
	Description string
	Required    bool
	Min         int64 // of an integer
	Max         int64 // of an integer; 0: no bound. Of KindStrings: the number of items

	// Flag is the command line flag that carries the value, with its dashes; empty
	// for what becomes a positional, or decides between commands.
	Flag string
	// Command is the pairmux command that has the flag, where it is not the tool's.
	Command string
	// Default is the value that the server passes when the client gives none. It is
	// there where the command line's own default is too much for a client: many
	// hosts cut a call at 60 s and a reply at about 10,000 tokens.
	Default string

	positional bool
	stdin      string // the word that makes the command read the value from standard input
}

// Tool is one row of the table that describes the server.
type Tool struct {
	Name        string // pairmux_run
	Title       string
	Description string // at most 1,000 characters
	Command     string // the pairmux command that it runs: run
	Arguments   []Argument

	// The hints of MCP's ToolAnnotations.
	ReadOnly, Destructive, Idempotent, OpenWorld bool

	// waits is how long the command may block when no timeout is given; 0 for a
	// command that never blocks.
	waits time.Duration
	// longReply asks the client to keep more of the reply than its default.
	longReply bool
	// bounded says that the command bounds its own output by max_bytes. The server
	// shortens the others itself.
	bounded bool
	// check sees the values before they become a command line; it may change them.
	check func(*Invocation, values) error
}

// Invocation is one call as the child will get it.
type Invocation struct {
	Argv  []string      // after the executable and the global flags, --json included
	Stdin []byte        // nil: no standard input
	Wait  time.Duration // how long the command may block; 0: it never does

	command    string
	noDefaults bool
}

// InputSchema returns the JSON Schema of the tool's arguments: one closed object
// with one type a property, because hosts drop tools whose schemas hold more.
func (t Tool) InputSchema() json.RawMessage {
	required := []string{}
	properties := make(map[string]any, len(t.Arguments))
	for _, a := range t.Arguments {
		properties[a.Name] = a.schema()
		if a.Required {
			required = append(required, a.Name)
		}
	}
	schema := map[string]any{"type": "object", "additionalProperties": false}
	if len(properties) > 0 {
		schema["properties"] = properties
	}
	if len(required) > 0 {
		schema["required"] = required
	}
	return mustMarshal(schema)
}

func (a Argument) schema() map[string]any {
	s := map[string]any{"description": a.Description}
	switch a.Kind {
	case KindInteger, KindBoolean:
		s["type"] = string(a.Kind)
	case KindStrings:
		s["type"] = "array"
		items := map[string]any{"type": "string", "minLength": 1}
		s["items"], s["minItems"] = items, 1
		if a.Max > 0 {
			s["maxItems"] = a.Max
		}
	default:
		s["type"] = "string"
		if a.Required {
			s["minLength"] = 1
		}
	}
	if a.Kind == KindInteger {
		s["minimum"] = a.Min
		if a.Max > 0 {
			s["maximum"] = a.Max
		}
	}
	if a.Default != "" {
		s["default"] = a.Default
	}
	return s
}

// description is the tool as tools/list gives it.
type description struct {
	Name         string          `json:"name"`
	Title        string          `json:"title"`
	Description  string          `json:"description"`
	InputSchema  json.RawMessage `json:"inputSchema"`
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
	Annotations  struct {
		Title       string `json:"title"`
		ReadOnly    bool   `json:"readOnlyHint"`
		Destructive bool   `json:"destructiveHint"`
		Idempotent  bool   `json:"idempotentHint"`
		OpenWorld   bool   `json:"openWorldHint"`
	} `json:"annotations"`
	Meta map[string]any `json:"_meta,omitempty"`
}

func (t Tool) describe() description {
	d := description{
		Name:         t.Name,
		Title:        t.Title,
		Description:  t.Description,
		InputSchema:  t.InputSchema(),
		OutputSchema: outputSchema(),
	}
	d.Annotations.Title = t.Title
	d.Annotations.ReadOnly = t.ReadOnly
	d.Annotations.Destructive = t.Destructive
	d.Annotations.Idempotent = t.Idempotent
	d.Annotations.OpenWorld = t.OpenWorld
	if t.longReply {
		// Claude Code moves longer results to a file unless the tool asks for more.
		d.Meta = map[string]any{"anthropic/maxResultSizeChars": 100000}
	}
	return d
}

func mustMarshal(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}
