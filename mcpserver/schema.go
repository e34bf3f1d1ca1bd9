package mcpserver

import (
	"encoding/json"
	"sync"

	"github.com/pairmux/pairmux/envelope"
)

// outputSchema describes the envelope, of a success as of an error: the TypeScript
// SDK checks structuredContent also when isError is true. It is the envelope's own
// schema, closed, which holds because every reply is written anew from the fields
// that this server knows: a child from a newer pairmux cannot break it.
var outputSchema = sync.OnceValue(func() json.RawMessage {
	var schema map[string]any
	if err := json.Unmarshal(envelope.JSONSchema(), &schema); err != nil {
		panic(err)
	}
	delete(schema, "$schema") // 2020-12 is what MCP assumes without it
	closeObjects(schema)
	return mustMarshal(schema)
})

// closeObjects forbids, in this schema and those below it, what they do not name.
func closeObjects(schema map[string]any) {
	if properties, ok := schema["properties"].(map[string]any); ok {
		schema["additionalProperties"] = false
		for _, p := range properties {
			if sub, ok := p.(map[string]any); ok {
				closeObjects(sub)
			}
		}
	}
	if items, ok := schema["items"].(map[string]any); ok {
		closeObjects(items)
	}
}
