module github.com/pairmux/pairmux/journal

go 1.26.0
