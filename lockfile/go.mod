module github.com/pairmux/pairmux/lockfile

go 1.26.0
