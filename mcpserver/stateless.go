package mcpserver

import (
	"encoding/json"

	"github.com/sourcegraph/jsonrpc2"
)

// The revision without a handshake: each request says by its _meta in which
// revision it is and what the client can do.
const (
	statelessVersion = "2026-07-28"

	metaVersion      = "io.modelcontextprotocol/protocolVersion"
	metaCapabilities = "io.modelcontextprotocol/clientCapabilities"
	metaServerInfo   = "io.modelcontextprotocol/serverInfo"

	codeUnsupportedVersion = -32022

	// cacheFor is how long a client may keep the list: it changes with the binary.
	cacheFor = 3_600_000 // ms
)

// stateless are the members that only this revision's results have.
type stateless struct {
	ResultType string         `json:"resultType,omitempty"`
	TTL        int            `json:"ttlMs,omitempty"`
	CacheScope string         `json:"cacheScope,omitempty"`
	Meta       map[string]any `json:"_meta,omitempty"`
}

func (s *server) cacheable() stateless {
	return stateless{ResultType: "complete", TTL: cacheFor, CacheScope: "public", Meta: s.resultMeta()}
}

func (s *server) resultMeta() map[string]any {
	return map[string]any{metaServerInfo: s.info()}
}

type discoverResult struct {
	SupportedVersions []string     `json:"supportedVersions"`
	Capabilities      capabilities `json:"capabilities"`
	Instructions      string       `json:"instructions"`

	stateless
}

// isStateless says whether a request belongs to the revision without a handshake:
// by what only its _meta holds, or by the method that only it has. A request of
// it that lacks one of the two is answered as invalid, not as unknown.
func isStateless(method string, meta map[string]json.RawMessage) bool {
	return method == "server/discover" || method != "initialize" && (meta[metaVersion] != nil || meta[metaCapabilities] != nil)
}

func (s *server) answerStateless(conn *jsonrpc2.Conn, req *jsonrpc2.Request, p params, meta map[string]json.RawMessage) (any, *jsonrpc2.Error) {
	var version *string
	if json.Unmarshal(meta[metaVersion], &version) != nil || version == nil {
		return nil, invalid(metaVersion + " must be a string")
	}
	if *version != statelessVersion {
		e := &jsonrpc2.Error{Code: codeUnsupportedVersion, Message: "unsupported protocol version"}
		e.SetError(map[string]any{"supported": []string{statelessVersion}, "requested": *version})
		return nil, e
	}
	var able map[string]json.RawMessage
	if json.Unmarshal(meta[metaCapabilities], &able) != nil || able == nil {
		return nil, invalid(metaCapabilities + " must be an object")
	}
	switch req.Method {
	case "server/discover":
		return discoverResult{
			SupportedVersions: []string{statelessVersion},
			Instructions:      instructions,
			stateless:         s.cacheable(),
		}, nil
	case "tools/list":
		result, err := s.list(p)
		if err != nil {
			return nil, err
		}
		list := result.(listResult)
		list.stateless = s.cacheable()
		return list, nil
	case "tools/call":
		return s.call(conn, req, p, meta, func(r *toolResult) {
			r.ResultType = "complete"
			r.Meta = s.resultMeta()
		})
	}
	return nil, &jsonrpc2.Error{Code: jsonrpc2.CodeMethodNotFound, Message: "method not found: " + cutText(req.Method, 64)}
}
