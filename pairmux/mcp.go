package main

import (
	"os"

	"github.com/pairmux/pairmux/detect"
	"github.com/pairmux/pairmux/mcpserver"
)

// mcp serves the agent commands as MCP tools on stdio; each call runs this same
// executable.
func runMCP(c *call) *outcome {
	if c.args[0] != "serve" {
		return usage("mcp does not take "+detect.Quote(c.args[0]), "pairmux mcp serve")
	}
	self, err := os.Executable()
	if err != nil {
		return internal(err)
	}
	config := mcpserver.Config{Executable: self, Args: c.env.globalArgs(), Version: version(), Stderr: os.Stderr}
	if err := mcpserver.ServeStdio(config); err != nil {
		return internal(err)
	}
	return &outcome{raw: nothing}
}
