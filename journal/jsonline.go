package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"
)

// Both of the journal's JSON forms are flat objects. They are written and read
// here by hand, because a process that lives for five milliseconds would spend
// a good part of one on building reflection tables, and because unknown fields
// have to survive a rewrite.

var errNotObject = errors.New("not a JSON object")

type field struct {
	name string
	ptr  any // *string, *EventType, *int, *int64, *uint64, **int64, *time.Time
}

// decodeObject sets the fields that b has, and returns the others. A null
// leaves its field alone. The first wrong type ends it with an error.
func decodeObject(b []byte, fields []field) (map[string]json.RawMessage, error) {
	b = bytes.TrimSpace(b)
	if len(b) == 0 || b[0] != '{' || !json.Valid(b) {
		return nil, errNotObject
	}
	var extra map[string]json.RawMessage
	for i := skipSpace(b, 1); b[i] != '}'; {
		end := skipValue(b, i)
		key, err := unquote(b[i:end])
		if err != nil {
			return nil, err
		}
		i = skipSpace(b, skipSpace(b, end)+1) // over the colon
		end = skipValue(b, i)
		val := b[i:end]
		if f := slices.IndexFunc(fields, func(f field) bool { return f.name == key }); f >= 0 {
			if err := setField(fields[f].ptr, val); err != nil {
				return nil, fmt.Errorf("field %s: %w", key, err)
			}
		} else {
			if extra == nil {
				extra = make(map[string]json.RawMessage)
			}
			extra[key] = bytes.Clone(val)
		}
		if i = skipSpace(b, end); b[i] == ',' {
			i = skipSpace(b, i+1)
		}
	}
	return extra, nil
}

func skipSpace(b []byte, i int) int {
	for b[i] == ' ' || b[i] == '\t' || b[i] == '\n' || b[i] == '\r' {
		i++
	}
	return i
}

// skipValue returns the index after the value that begins at i. The text must be valid JSON.
func skipValue(b []byte, i int) int {
	depth := 0
	for {
		switch b[i] {
		case '"':
			for i++; b[i] != '"'; i++ {
				if b[i] == '\\' {
					i++
				}
			}
			i++
		case '{', '[':
			depth++
			i++
		case '}', ']':
			depth--
			i++
		case ',', ':', ' ', '\t', '\n', '\r':
			i++
		default:
			for bytes.IndexByte([]byte(",:]} \t\n\r"), b[i]) < 0 {
				i++
			}
		}
		if depth == 0 {
			return i
		}
	}
}

func setField(ptr any, val []byte) (err error) {
	if string(val) == "null" {
		return nil
	}
	switch p := ptr.(type) {
	case *string:
		*p, err = unquote(val)
	case *EventType:
		var s string
		s, err = unquote(val)
		*p = EventType(s)
	case *int:
		*p, err = strconv.Atoi(string(val))
	case *int64:
		*p, err = strconv.ParseInt(string(val), 10, 64)
	case *uint64:
		*p, err = strconv.ParseUint(string(val), 10, 64)
	case **int64:
		var n int64
		if n, err = strconv.ParseInt(string(val), 10, 64); err == nil {
			*p = &n
		}
	case *time.Time:
		// A time in an unknown form must not cost the whole event.
		var s string
		if s, err = unquote(val); err == nil {
			*p, _ = time.Parse(time.RFC3339Nano, s)
		}
		err = nil
	}
	return err
}

// appendObject writes the fields that are not empty, then extra in the order of its keys.
func appendObject(b []byte, fields []field, extra map[string]json.RawMessage) []byte {
	b = append(b, '{')
	start := len(b)
	name := func(s string) {
		if len(b) > start {
			b = append(b, ',')
		}
		b = append(quote(b, s), ':')
	}
	for _, f := range fields {
		switch p := f.ptr.(type) {
		case *string:
			if *p != "" {
				name(f.name)
				b = quote(b, *p)
			}
		case *EventType:
			if *p != "" {
				name(f.name)
				b = quote(b, string(*p))
			}
		case *int:
			if *p != 0 {
				name(f.name)
				b = strconv.AppendInt(b, int64(*p), 10)
			}
		case *int64:
			if *p != 0 {
				name(f.name)
				b = strconv.AppendInt(b, *p, 10)
			}
		case *uint64:
			if *p != 0 {
				name(f.name)
				b = strconv.AppendUint(b, *p, 10)
			}
		case **int64:
			if *p != nil {
				name(f.name)
				b = strconv.AppendInt(b, **p, 10)
			}
		case *time.Time:
			if !p.IsZero() {
				name(f.name)
				b = append(p.UTC().AppendFormat(append(b, '"'), time.RFC3339Nano), '"')
			}
		}
	}
	known := func(key string) bool {
		return slices.ContainsFunc(fields, func(f field) bool { return f.name == key })
	}
	for _, key := range slices.Sorted(maps.Keys(extra)) {
		var val bytes.Buffer
		if known(key) || json.Compact(&val, extra[key]) != nil {
			continue
		}
		name(key)
		b = append(b, val.Bytes()...)
	}
	return append(b, '}')
}

func unquote(val []byte) (string, error) {
	if val[0] != '"' {
		return "", errors.New("not a string")
	}
	if in := val[1 : len(val)-1]; bytes.IndexByte(in, '\\') < 0 && utf8.Valid(in) {
		return string(in), nil
	}
	var s string
	err := json.Unmarshal(val, &s)
	return s, err
}

// quote appends s as a JSON string. Unlike encoding/json it leaves < > & as they
// are: the texts are command lines, and people grep them.
func quote(b []byte, s string) []byte {
	const hexDigits = "0123456789abcdef"
	b = append(b, '"')
	for _, r := range s { // an invalid byte comes out as U+FFFD
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r == '\n':
			b = append(b, '\\', 'n')
		case r == '\t':
			b = append(b, '\\', 't')
		case r < 0x20 || r == 0x7f:
			b = append(b, '\\', 'u', '0', '0', hexDigits[r>>4], hexDigits[r&15])
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return append(b, '"')
}
