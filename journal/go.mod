module github.com/pairmux/pairmux/journal

go 1.26.0

require (
	github.com/fsnotify/fsnotify v1.10.1
	golang.org/x/sys v0.50.0
)
