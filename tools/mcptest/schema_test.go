package mcptest

import (
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

func compile(t *testing.T, b []byte) *jsonschema.Resolved {
	t.Helper()
	var s jsonschema.Schema
	if err := s.UnmarshalJSON(b); err != nil {
		t.Fatal(err)
	}
	r, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
