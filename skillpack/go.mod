module github.com/pairmux/pairmux/skillpack

go 1.26.0
