module github.com/pairmux/pairmux/tools

go 1.26.0
