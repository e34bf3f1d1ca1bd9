package mcpserver

import (
	"encoding/json"
	"fmt"
	"slices"
)

// matches checks a value against the keywords of JSON Schema that our schemas use, and
// fails for any other keyword.
func matches(schema, value json.RawMessage) error {
	var s map[string]any
	if err := json.Unmarshal(schema, &s); err != nil {
		return err
	}
	var v any
	if err := json.Unmarshal(value, &v); err != nil {
		return err
	}
	return fits("", s, v)
}

func fits(path string, s map[string]any, v any) error {
	for key := range s {
		if !slices.Contains([]string{"type", "properties", "required", "additionalProperties", "items", "enum", "minimum", "maximum",
			"minLength", "minItems", "maxItems", "description", "title", "default"}, key) {
			return fmt.Errorf("%s: keyword %s", path, key)
		}
	}
	bad := func(what string) error { return fmt.Errorf("%s: %s: %.80v", path, what, v) }
	if enum, ok := s["enum"].([]any); ok && !slices.Contains(enum, v) {
		return bad("not in enum")
	}
	number := func(key string, n float64, under bool) bool {
		limit, ok := s[key].(float64)
		return ok && (under && n < limit || !under && n > limit)
	}
	switch s["type"] {
	case "object":
		m, ok := v.(map[string]any)
		if !ok {
			return bad("not an object")
		}
		properties, _ := s["properties"].(map[string]any)
		if required, ok := s["required"].([]any); ok {
			for _, name := range required {
				if _, there := m[name.(string)]; !there {
					return bad("no " + name.(string))
				}
			}
		}
		for name, value := range m {
			p, known := properties[name].(map[string]any)
			if !known && s["additionalProperties"] == false {
				return bad("unknown " + name)
			}
			if known {
				if err := fits(path+"."+name, p, value); err != nil {
					return err
				}
			}
		}
	case "array":
		list, ok := v.([]any)
		if !ok || number("minItems", float64(len(list)), true) || number("maxItems", float64(len(list)), false) {
			return bad("not such an array")
		}
		for i, value := range list {
			if err := fits(fmt.Sprintf("%s[%d]", path, i), s["items"].(map[string]any), value); err != nil {
				return err
			}
		}
	case "string":
		text, ok := v.(string)
		if !ok || number("minLength", float64(len(text)), true) {
			return bad("not such a string")
		}
	case "integer":
		n, ok := v.(float64)
		if !ok || n != float64(int64(n)) || number("minimum", n, true) || number("maximum", n, false) {
			return bad("not such an integer")
		}
	case "boolean":
		if _, ok := v.(bool); !ok {
			return bad("not a boolean")
		}
	default:
		return bad(fmt.Sprintf("type %v", s["type"]))
	}
	return nil
}
