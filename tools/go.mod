module github.com/pairmux/pairmux/tools

go 1.26.0

tool honnef.co/go/tools/cmd/staticcheck

require (
	github.com/google/jsonschema-go v0.4.3
	github.com/modelcontextprotocol/go-sdk v1.8.0
	github.com/pairmux/pairmux/envelope v0.0.0
	github.com/pairmux/pairmux/mcpserver v0.0.0
	github.com/pairmux/pairmux/shape v0.0.0
	golang.org/x/mod v0.41.0
)

require (
	github.com/BurntSushi/toml v1.4.1-0.20240526193622-a339e1f7089c // indirect
	github.com/pairmux/pairmux/skillpack v0.0.0
	github.com/segmentio/asm v1.1.3 // indirect
	github.com/segmentio/encoding v0.5.4 // indirect
	github.com/sourcegraph/jsonrpc2 v0.2.3 // indirect
	github.com/yosida95/uritemplate/v3 v3.0.2 // indirect
	golang.org/x/exp/typeparams v0.0.0-20231108232855-2478ac86f678 // indirect
	golang.org/x/oauth2 v0.35.0 // indirect
	golang.org/x/sync v0.23.0 // indirect
	golang.org/x/sys v0.48.0 // indirect
	golang.org/x/time v0.15.0 // indirect
	golang.org/x/tools v0.51.0 // indirect
	honnef.co/go/tools v0.8.2 // indirect
)

replace github.com/pairmux/pairmux/mcpserver => ../mcpserver

replace github.com/pairmux/pairmux/skillpack => ../skillpack

replace github.com/pairmux/pairmux/shape => ../shape

replace github.com/pairmux/pairmux/envelope => ../envelope
