module github.com/pairmux/pairmux/shape

go 1.26.0
