module github.com/pairmux/pairmux/mcpserver

go 1.26.0
