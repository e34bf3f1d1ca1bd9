package envelope

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// schema is the part of JSON Schema that schema.json may use (SPEC 8.1).
type schema struct {
	Schema      string             `json:"$schema"`
	Title       string             `json:"title"`
	Description string             `json:"description"`
	Type        string             `json:"type"`
	Required    []string           `json:"required"`
	Properties  map[string]*schema `json:"properties"`
	Items       *schema            `json:"items"`
	Enum        []string           `json:"enum"`
	Minimum     *float64           `json:"minimum"`
}

func loadSchema(t *testing.T) *schema {
	t.Helper()
	s := new(schema)
	d := json.NewDecoder(strings.NewReader(string(JSONSchema())))
	d.DisallowUnknownFields() // no keyword beyond those
	if err := d.Decode(s); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *schema) check(at string, v any) error {
	switch v := v.(type) {
	case map[string]any:
		if s.Type != "object" {
			return fmt.Errorf("%s: object, want %s", at, s.Type)
		}
		for _, name := range s.Required {
			if _, there := v[name]; !there {
				return fmt.Errorf("%s: no %s", at, name)
			}
		}
		for name, member := range v {
			if p := s.Properties[name]; p != nil {
				if err := p.check(at+"."+name, member); err != nil {
					return err
				}
			}
		}
	case []any:
		if s.Type != "array" {
			return fmt.Errorf("%s: array, want %s", at, s.Type)
		}
		for i, element := range v {
			if err := s.Items.check(fmt.Sprintf("%s[%d]", at, i), element); err != nil {
				return err
			}
		}
	case string:
		if s.Type != "string" || s.Enum != nil && !slices.Contains(s.Enum, v) {
			return fmt.Errorf("%s: %q, want %s %q", at, v, s.Type, s.Enum)
		}
	case float64:
		if s.Type != "integer" || v != math.Trunc(v) || s.Minimum != nil && v < *s.Minimum {
			return fmt.Errorf("%s: %v, want %s", at, v, s.Type)
		}
	case bool:
		if s.Type != "boolean" {
			return fmt.Errorf("%s: bool, want %s", at, s.Type)
		}
	default:
		return fmt.Errorf("%s: %T", at, v)
	}
	return nil
}

// SPEC 8.1: every vector satisfies it, unknown fields do not hurt.
func TestSchemaAdmitsEveryReply(t *testing.T) {
	s := loadSchema(t)
	lines := vectorFiles(t, "testdata/reply/*.json", 40)
	for _, name := range []string{"unknown-fields", "any-order-and-blanks", "escapes", "int64"} {
		lines[name] = vectorFiles(t, "testdata/read/*.json", 9)[name]
	}
	for name, line := range lines {
		var v any
		if err := json.Unmarshal(line, &v); err != nil {
			t.Fatal(err)
		}
		if err := s.check("reply", v); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// SPEC 8.1: it says what is wrong with a reply that is not one.
func TestSchemaRefuses(t *testing.T) {
	s := loadSchema(t)
	for _, line := range []string{
		`[]`, `{}`, `{"schema":"pairmux.v1"}`, `{"ok":true}`, `{"schema":"pairmux.v2","ok":true}`, `{"schema":"pairmux.v1","ok":"true"}`,
		`{"schema":"pairmux.v1","ok":true,"status":"on-fire"}`, `{"schema":"pairmux.v1","ok":true,"exit_code":0.5}`,
		`{"schema":"pairmux.v1","ok":true,"cursor":-1}`, `{"schema":"pairmux.v1","ok":true,"next":"x"}`, `{"schema":"pairmux.v1","ok":true,"notes":[1]}`,
		`{"schema":"pairmux.v1","ok":true,"truncated":{}}`, `{"schema":"pairmux.v1","ok":true,"prompt":{"kind":"text"}}`,
		`{"schema":"pairmux.v1","ok":true,"terminals":[{"name":"a","status":"done"}]}`, `{"schema":"pairmux.v1","ok":false,"error":{"code":"E_LATER","message":""}}`,
	} {
		var v any
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatal(err)
		}
		if s.check("reply", v) == nil {
			t.Errorf("admits %s", line)
		}
	}
}

// SPEC 2.1, 2.2, 3: the schema, the types and the vocabulary say the same.
func TestSchemaAgreesWithTheTypes(t *testing.T) {
	s := loadSchema(t)
	if s.Schema != "https://json-schema.org/draft/2020-12/schema" {
		t.Errorf("dialect %q", s.Schema)
	}
	enums := map[string][]string{
		"reply.schema": {Schema}, "reply.status": plain(statuses()), "reply.mode": plain(modes()),
		"reply.prompt.kind": plain(kinds()), "reply.prompt.evidence": plain(evidences()),
		"reply.terminals.status": plain(terminalStatuses()), "reply.terminals.mode": plain(modes()),
		"reply.commands.group": {GroupAgent, GroupHuman}, "reply.history.by": {ByRun, ByHuman}, "reply.error.code": plain(codes()),
	}
	var walk func(at string, s *schema, typ reflect.Type)
	walk = func(at string, s *schema, typ reflect.Type) {
		if s == nil {
			t.Errorf("%s is not in the schema", at)
			return
		}
		if !slices.Equal(s.Enum, enums[at]) {
			t.Errorf("%s: enum %q, want %q", at, s.Enum, enums[at])
		}
		want := ""
		switch typ.Kind() {
		case reflect.Pointer:
			walk(at, s, typ.Elem())
			return
		case reflect.Slice:
			if s.Type != "array" || s.Items == nil {
				t.Errorf("%s: %s, want array with items", at, s.Type)
				return
			}
			walk(at, s.Items, typ.Elem())
			return
		case reflect.Struct:
			want = "object"
			if len(s.Properties) != typ.NumField() {
				t.Errorf("%s: %d properties for %d fields", at, len(s.Properties), typ.NumField())
			}
			var required []string
			for i := range typ.NumField() {
				name, omit, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
				if omit == "" {
					required = append(required, name)
				}
				walk(at+"."+name, s.Properties[name], typ.Field(i).Type)
			}
			if !slices.Equal(s.Required, required) {
				t.Errorf("%s: required %q, want %q", at, s.Required, required)
			}
		case reflect.String:
			want = "string"
		case reflect.Bool:
			want = "boolean"
		case reflect.Int, reflect.Int64:
			want = "integer"
		}
		if s.Type != want {
			t.Errorf("%s: %s, want %s", at, s.Type, want)
		}
	}
	walk("reply", s, reflect.TypeFor[Reply]())
}

func plain[T ~string](all []T) []string {
	var out []string
	for _, w := range all {
		out = append(out, string(w))
	}
	return out
}

func TestSchemaIsTheCallers(t *testing.T) {
	clear(JSONSchema())
	loadSchema(t)
}
