package mcpserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

const (
	// maxWord bounds an argument on the command line: Linux allows 131,071 bytes.
	maxWord = 100_000
	// maxWait bounds a wait, because some clients never cancel a call.
	maxWait = 24 * time.Hour
)

// ArgumentError says which argument of a call was refused, and why. Nothing has
// been executed.
type ArgumentError struct {
	Tool     string
	Argument string // empty when the fault is in their combination
	Reason   string // for an unknown argument it lists the known ones
}

func (e *ArgumentError) Error() string {
	if e.Argument == "" {
		return e.Tool + ": " + e.Reason
	}
	return fmt.Sprintf("%s: arguments.%s: %s", e.Tool, e.Argument, e.Reason)
}

// values are a call's arguments, decoded by their kinds: string, int64, bool or
// []string.
type values map[string]any

func (v values) has(name string) bool { _, ok := v[name]; return ok }

func (v values) text(name string) string { s, _ := v[name].(string); return s }

func (v values) isSet(name string) bool { b, _ := v[name].(bool); return b }

// Invocation turns the arguments of a call, a JSON object or nothing, into a
// command line. Errors are of type *ArgumentError.
func (t Tool) Invocation(arguments json.RawMessage) (*Invocation, error) {
	v, err := t.decode(arguments)
	if err != nil {
		return nil, err
	}
	inv := &Invocation{Wait: t.waits, command: t.Command}
	if t.check != nil {
		if err := t.check(inv, v); err != nil {
			if e, ok := err.(*ArgumentError); ok {
				e.Tool = t.Name
			}
			return nil, err
		}
	}
	inv.Argv = append(inv.Argv, inv.command)
	var positionals []string
	for _, a := range t.Arguments {
		value, given := v[a.Name]
		command := a.Command
		if command == "" {
			command = t.Command
		}
		if !given && a.Default != "" && command == inv.command && !inv.noDefaults {
			value, given = a.Default, true
		}
		if !given {
			continue
		}
		if a.Kind == KindDuration && inv.Wait > 0 {
			inv.Wait, _ = parseDuration(value.(string))
		}
		words, stdin := a.words(value)
		if a.positional {
			positionals = append(positionals, words...)
		} else {
			inv.Argv = append(inv.Argv, words...)
		}
		if stdin != nil {
			inv.Stdin = stdin
		}
	}
	inv.Argv = append(inv.Argv, "--json")
	if len(positionals) > 0 {
		inv.Argv = append(append(inv.Argv, "--"), positionals...)
	}
	return inv, nil
}

// words are the value on the command line.
func (a Argument) words(value any) (argv []string, stdin []byte) {
	switch value := value.(type) {
	case bool:
		if value && a.Flag != "" {
			argv = []string{a.Flag}
		}
	case int64:
		argv = a.word(strconv.FormatInt(value, 10))
	case []string:
		for _, s := range value {
			argv = append(argv, a.word(s)...)
		}
	case string:
		if a.stdin != "" {
			return []string{a.stdin}, []byte(value)
		}
		argv = a.word(value)
	}
	return argv, stdin
}

func (a Argument) word(s string) []string {
	switch {
	case a.positional:
		return []string{s}
	case a.Flag != "":
		return []string{a.Flag + "=" + s}
	}
	return nil
}

// decode checks the arguments against the table. Unknown ones are refused here,
// because some clients remove additionalProperties from the schema.
func (t Tool) decode(arguments json.RawMessage) (values, error) {
	v := values{}
	var raw map[string]json.RawMessage
	if len(arguments) > 0 {
		if err := json.Unmarshal(arguments, &raw); err != nil {
			return nil, &ArgumentError{Tool: t.Name, Reason: "arguments must be an object"}
		}
	}
	known := map[string]bool{}
	for _, a := range t.Arguments {
		known[a.Name] = true
		b, given := raw[a.Name]
		if !given {
			if a.Required {
				return nil, &ArgumentError{Tool: t.Name, Argument: a.Name, Reason: "is required"}
			}
			continue
		}
		value, reason := a.decode(b)
		if reason != "" {
			return nil, &ArgumentError{Tool: t.Name, Argument: a.Name, Reason: reason}
		}
		v[a.Name] = value
	}
	if unknown := firstUnknown(raw, known); unknown != "" {
		return nil, t.unknown(unknown)
	}
	return v, nil
}

// firstUnknown returns the alphabetically first one, so that the answer to the same
// call is always the same.
func firstUnknown(raw map[string]json.RawMessage, known map[string]bool) string {
	first := ""
	for name := range raw {
		if !known[name] && (first == "" || name < first) {
			first = name
		}
	}
	return first
}

func (t Tool) unknown(name string) error {
	e := &ArgumentError{Tool: t.Name, Argument: cutText(name, 64), Reason: "is unknown"}
	var allowed []string
	best := len(name)/2 + 1
	near := ""
	for _, a := range t.Arguments {
		allowed = append(allowed, a.Name)
		if d := distance(name, a.Name); d < best {
			best, near = d, a.Name
		}
	}
	if near != "" {
		e.Reason += fmt.Sprintf(", did you mean %q?", near)
	}
	if len(allowed) == 0 {
		e.Reason += "; this tool takes none"
	} else {
		e.Reason += "; allowed: " + strings.Join(allowed, ", ")
	}
	return e
}

// decode reads one value. The reason is empty when it is good.
func (a Argument) decode(b json.RawMessage) (value any, reason string) {
	b = bytes.TrimSpace(b)
	switch a.Kind {
	case KindBoolean:
		switch string(b) {
		case "true":
			return true, ""
		case "false":
			return false, ""
		}
		return nil, "must be true or false"
	case KindInteger:
		n, ok := wholeNumber(b)
		if !ok {
			return nil, "must be an integer"
		}
		if n < a.Min || (a.Max > 0 && n > a.Max) {
			if a.Max > 0 {
				return nil, fmt.Sprintf("must be from %d to %d", a.Min, a.Max)
			}
			return nil, fmt.Sprintf("must be at least %d", a.Min)
		}
		return n, ""
	case KindStrings:
		var list []*string
		if len(b) == 0 || b[0] != '[' || json.Unmarshal(b, &list) != nil {
			return nil, "must be an array of strings"
		}
		if len(list) == 0 {
			return nil, "must hold at least one string"
		}
		if a.Max > 0 && int64(len(list)) > a.Max {
			return nil, fmt.Sprintf("must hold at most %d strings", a.Max)
		}
		out := make([]string, len(list))
		for i, s := range list {
			if s == nil || *s == "" {
				return nil, fmt.Sprintf("item %d must be a string that is not empty", i)
			}
			if reason := a.checkString(*s); reason != "" {
				return nil, fmt.Sprintf("item %d %s", i, reason)
			}
			out[i] = *s
		}
		return out, ""
	}
	var s string
	switch {
	case len(b) > 0 && b[0] == '"' && json.Unmarshal(b, &s) == nil:
	case a.Kind == KindCursor && isDigits(b):
		// Replies give the cursor as a number; models hand it on as they got it.
		s = string(b)
	case a.Kind == KindDuration:
		return nil, `must be a string such as "30s"`
	case a.Kind == KindSize:
		return nil, `must be a string such as "64KiB"`
	default:
		return nil, "must be a string"
	}
	return s, a.checkString(s)
}

func (a Argument) checkString(s string) string {
	switch {
	case s == "" && a.Required:
		return "must not be empty"
	case strings.IndexByte(s, 0) >= 0:
		return "must not hold NUL"
	case a.Kind != KindText && len(s) > maxWord:
		return fmt.Sprintf("must be at most %d bytes long", maxWord)
	}
	if a.Kind == KindDuration {
		d, err := parseDuration(s)
		switch {
		case err != nil:
			return `must be a duration such as "300ms", "45s", "5m" or "1h30m"`
		case d > maxWait:
			return "must be at most 24h; wait again where that is not enough"
		}
	}
	return ""
}

// wholeNumber accepts what JSON Schema calls an integer: also 5.0 and 5e0.
func wholeNumber(b []byte) (int64, bool) {
	if n, err := strconv.ParseInt(string(b), 10, 64); err == nil {
		return n, true
	}
	var f float64
	if len(b) == 0 || b[0] == '"' || json.Unmarshal(b, &f) != nil || string(b) == "null" {
		return 0, false
	}
	if f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return 0, false
	}
	return int64(f), true
}

func isDigits(b []byte) bool {
	for _, c := range b {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(b) > 0
}

// parseDuration reads a duration as the command line does: a number and a unit, one
// or more times, in any of ms, s, m, h, d; or 0.
func parseDuration(s string) (time.Duration, error) {
	if s == "0" {
		return 0, nil
	}
	units := map[string]time.Duration{
		"ms": time.Millisecond, "s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour,
	}
	var total time.Duration
	rest := s
	for ok := true; ok; ok = rest != "" {
		digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
		letters := digits
		for letters < len(rest) && rest[letters] >= 'a' && rest[letters] <= 'z' {
			letters++
		}
		n, err := strconv.ParseInt(rest[:digits], 10, 64)
		unit, known := units[rest[digits:letters]]
		if err != nil || !known || n > int64(math.MaxInt64/unit) {
			return 0, fmt.Errorf("invalid duration %q", s)
		}
		if total += time.Duration(n) * unit; total < 0 {
			return 0, fmt.Errorf("invalid duration %q", s)
		}
		rest = rest[letters:]
	}
	return total, nil
}

// distance is the number of single-byte edits between two names.
func distance(a, b string) int {
	if len(a) > 64 {
		return len(a)
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
