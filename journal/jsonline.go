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
// leaves its field alone, of a key that comes twice the last value counts. What
// is not one JSON object, and a known field of a wrong type, is an error.
func decodeObject(b []byte, fields []field) (extra map[string]json.RawMessage, err error) {
	i := skipSpace(b, 0)
	if i >= len(b) || b[i] != '{' {
		return nil, errNotObject
	}
	end := eachMember(b, i, 0, func(key, val []byte) {
		if err != nil {
			return
		}
		if f := findField(fields, key); f != nil {
			if e := setField(f.ptr, val); e != nil {
				err = fmt.Errorf("field %s: %w", f.name, e)
			}
			return
		}
		var name string
		if name, err = unquote(key); err == nil {
			if extra == nil {
				extra = make(map[string]json.RawMessage)
			}
			extra[name] = bytes.Clone(val)
		}
	})
	if end < 0 || skipSpace(b, end) != len(b) {
		return nil, errNotObject
	}
	return extra, err
}

func findField(fields []field, key []byte) *field {
	if bytes.IndexByte(key, '\\') >= 0 {
		if s, err := unquote(key); err == nil {
			key = quote(nil, s)
		}
	}
	key = key[1 : len(key)-1]
	for i := range fields {
		if fields[i].name == string(key) {
			return &fields[i]
		}
	}
	return nil
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
		if known(key) || !validValue(extra[key]) || json.Compact(&val, extra[key]) != nil {
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
