package envelope

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

var (
	// ErrMalformed is what [Decode] returns for bytes that are not one reply.
	ErrMalformed = errors.New("malformed reply")
	// ErrSchema is what [Decode] returns for a reply of a format that this
	// package does not know, such as a later one.
	ErrSchema = errors.New("unknown reply schema")
)

// Decode reads one reply. Fields that it does not know are ignored, names are
// compared exactly, and an empty array is the same as an absent one; the reply
// is not checked any further (see [Reply.Validate]). Errors wrap [ErrMalformed]
// or [ErrSchema]. Decode does not keep b.
func Decode(b []byte) (*Reply, error) {
	var head map[string]json.RawMessage
	if err := json.Unmarshal(b, &head); err != nil {
		return nil, fmt.Errorf("%w: %v", ErrMalformed, err)
	}
	var schema *string
	if err := json.Unmarshal(head["schema"], &schema); err != nil || schema == nil {
		return nil, fmt.Errorf("%w: no schema", ErrMalformed)
	}
	if *schema != Schema {
		return nil, fmt.Errorf("%w: found %q, can read %q", ErrSchema, *schema, Schema)
	}
	var ok *bool
	if err := json.Unmarshal(head["ok"], &ok); err != nil || ok == nil {
		return nil, fmt.Errorf("%w: no ok", ErrMalformed)
	}
	r := new(Reply)
	if err := decodeObject(head, reflect.ValueOf(r).Elem()); err != nil {
		return nil, fmt.Errorf("%w: %v", ErrMalformed, err)
	}
	return r, nil
}

// decodeObject fills a struct from an object. It exists because encoding/json
// folds case: it would take a future field "Status" for "status".
func decodeObject(object map[string]json.RawMessage, v reflect.Value) error {
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		raw, there := object[name]
		if !there || bytes.Equal(raw, []byte("null")) {
			continue
		}
		if err := decodeValue(raw, v.Field(i)); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func decodeValue(raw json.RawMessage, v reflect.Value) error {
	switch {
	case v.Kind() == reflect.Pointer && v.Type().Elem().Kind() == reflect.Struct:
		v.Set(reflect.New(v.Type().Elem()))
		return decodeValue(raw, v.Elem())
	case v.Kind() == reflect.Struct:
		var object map[string]json.RawMessage
		if err := json.Unmarshal(raw, &object); err != nil {
			return err
		}
		return decodeObject(object, v)
	case v.Kind() == reflect.Slice:
		var elements []json.RawMessage
		if err := json.Unmarshal(raw, &elements); err != nil || len(elements) == 0 {
			return err
		}
		v.Set(reflect.MakeSlice(v.Type(), len(elements), len(elements)))
		for i, element := range elements {
			if err := decodeValue(element, v.Index(i)); err != nil {
				return fmt.Errorf("%d: %w", i, err)
			}
		}
		return nil
	}
	return json.Unmarshal(raw, v.Addr().Interface())
}
