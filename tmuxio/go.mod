module github.com/pairmux/pairmux/tmuxio

go 1.26.0
