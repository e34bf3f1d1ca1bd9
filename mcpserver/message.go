package mcpserver

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"

	"github.com/sourcegraph/jsonrpc2"
)

// accept takes one line apart and queues what the library may see of it.
func (s *stream) accept(line []byte) {
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return
	}
	if !utf8.Valid(line) || !json.Valid(line) {
		s.refuse(nil, jsonrpc2.CodeParseError, "parse error: not one JSON object a line in UTF-8")
		return
	}
	if line[0] != '[' {
		s.message(line, nil)
		return
	}
	if !s.batches() {
		s.refuse(nil, jsonrpc2.CodeInvalidRequest, "batches are not part of this protocol revision")
		return
	}
	var elements []json.RawMessage
	if err := json.Unmarshal(line, &elements); err != nil || len(elements) == 0 {
		s.refuse(nil, jsonrpc2.CodeInvalidRequest, "empty batch")
		return
	}
	if len(elements) > maxBatch {
		s.refuse(nil, jsonrpc2.CodeInvalidRequest, "batch of over 1,000 messages")
		return
	}
	// One place is held back until all elements are in, so that the array cannot
	// be written before.
	b := &batch{left: 1}
	for _, e := range elements {
		s.message(bytes.TrimSpace(e), b)
	}
	s.leaveBatch(b)
}

// message checks one JSON value as a JSON-RPC message of a client.
func (s *stream) message(line []byte, in *batch) {
	// A map, because decoding into a struct would also take "ID" for "id".
	var m map[string]json.RawMessage
	if line[0] != '{' || json.Unmarshal(line, &m) != nil {
		s.refuseIn(in, nil, jsonrpc2.CodeInvalidRequest, "not a JSON-RPC object")
		return
	}
	rawID, hasID := m["id"]
	rawMethod, hasMethod := m["method"]
	_, hasResult := m["result"]
	_, hasError := m["error"]
	if !hasMethod && (hasResult || hasError) {
		return // an answer, and we asked nothing
	}
	key, idOK := "", true
	if hasID {
		if key, idOK = idKey(rawID); !idOK {
			s.refuseIn(in, nil, jsonrpc2.CodeInvalidRequest, "id must be a string or an integer")
			return
		}
	}
	var method string
	var version string
	fault := ""
	switch {
	case !hasMethod:
		fault = "no method"
	case rawMethod[0] != '"' || json.Unmarshal(rawMethod, &method) != nil:
		fault = "method must be a string"
	case hasResult || hasError:
		fault = "both a request and an answer"
	case json.Unmarshal(m["jsonrpc"], &version) != nil || version != "2.0":
		fault = `jsonrpc must be "2.0"`
	case in != nil && method == "initialize":
		fault = "initialize must not be part of a batch"
	}
	if fault != "" {
		if hasID || !hasMethod {
			s.refuseIn(in, rawID, jsonrpc2.CodeInvalidRequest, fault)
		}
		return
	}
	params := m["params"]
	if string(params) == "null" {
		params = nil
	}
	if params != nil && params[0] != '{' {
		if hasID {
			s.refuseIn(in, rawID, jsonrpc2.CodeInvalidParams, "params must be an object")
		}
		return
	}
	var id *uint64
	if hasID {
		p := s.register(rawID, key, in)
		if p == nil {
			s.refuseIn(in, rawID, jsonrpc2.CodeInvalidRequest, "a request with this id is still in flight")
			return
		}
		id = &p.id
	}
	rebuilt, err := json.Marshal(struct {
		Version string          `json:"jsonrpc"`
		ID      *uint64         `json:"id,omitempty"`
		Method  string          `json:"method"`
		Params  json.RawMessage `json:"params,omitempty"`
	}{"2.0", id, method, params})
	if err != nil {
		panic(err) // every part was valid JSON
	}
	s.mu.Lock()
	s.queue = append(s.queue, rebuilt)
	s.mu.Unlock()
}

// idKey makes an id comparable: the string "1" and the number 1 differ, "é" and
// its escaped form do not. It reports false for what is no id.
func idKey(raw []byte) (string, bool) {
	if len(raw) > 0 && raw[0] == '"' {
		var s string
		if json.Unmarshal(raw, &s) != nil {
			return "", false
		}
		return "s" + s, true
	}
	digits := bytes.TrimPrefix(raw, []byte("-"))
	if len(digits) == 0 {
		return "", false
	}
	for _, c := range digits {
		if c < '0' || c > '9' {
			return "", false
		}
	}
	return "n" + string(raw), true
}
