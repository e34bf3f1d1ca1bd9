module github.com/pairmux/pairmux/pairmux

go 1.26.0
