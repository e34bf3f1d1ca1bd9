module github.com/pairmux/pairmux/detect

go 1.26.0
