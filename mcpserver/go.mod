module github.com/pairmux/pairmux/mcpserver

go 1.26.0

require (
	github.com/pairmux/pairmux/envelope v0.0.0
	github.com/sourcegraph/jsonrpc2 v0.2.3
)

replace github.com/pairmux/pairmux/envelope => ../envelope
