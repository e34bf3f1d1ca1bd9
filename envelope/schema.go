package envelope

import _ "embed"

//go:embed schema.json
var schemaJSON string

// JSONSchema returns the JSON Schema (draft 2020-12) of a reply, success and
// error alike. Unknown fields are allowed, as SPEC 1 demands of readers. It uses
// only keywords that MCP clients are known to accept in an outputSchema: one
// type for each value, no references and no combinators. What these cannot
// say is left to [Reply.Validate]. The caller owns the returned bytes.
func JSONSchema() []byte { return []byte(schemaJSON) }
