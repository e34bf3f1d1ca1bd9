module github.com/pairmux/pairmux/envelope

go 1.26.0
