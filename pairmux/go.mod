module github.com/pairmux/pairmux/pairmux

go 1.26.0

require (
	github.com/clipperhouse/displaywidth v0.11.0
	github.com/matryer/is v1.4.1
	github.com/pairmux/pairmux/detect v0.0.0
	github.com/pairmux/pairmux/envelope v0.0.0
	github.com/pairmux/pairmux/journal v0.0.0
	github.com/pairmux/pairmux/lockfile v0.0.0
	github.com/pairmux/pairmux/mcpserver v0.0.0-00010101000000-000000000000
	github.com/pairmux/pairmux/shape v0.0.0
	github.com/pairmux/pairmux/skillpack v0.0.0-00010101000000-000000000000
	github.com/pairmux/pairmux/tmuxio v0.0.0
	github.com/rogpeppe/go-internal v1.16.0
	github.com/urfave/cli/v2 v2.27.7
	golang.org/x/sys v0.50.0
	golang.org/x/term v0.48.0
)

require (
	github.com/clipperhouse/uax29/v2 v2.7.0 // indirect
	github.com/cpuguy83/go-md2man/v2 v2.0.7 // indirect
	github.com/fsnotify/fsnotify v1.10.1 // indirect
	github.com/gofrs/flock v0.13.2 // indirect
	github.com/russross/blackfriday/v2 v2.1.0 // indirect
	github.com/sourcegraph/jsonrpc2 v0.2.3 // indirect
	github.com/xrash/smetrics v0.0.0-20240521201337-686a1a2994c1 // indirect
	golang.org/x/tools v0.26.0 // indirect
)

replace (
	github.com/pairmux/pairmux/detect => ../detect
	github.com/pairmux/pairmux/envelope => ../envelope
	github.com/pairmux/pairmux/journal => ../journal
	github.com/pairmux/pairmux/lockfile => ../lockfile
	github.com/pairmux/pairmux/mcpserver => ../mcpserver
	github.com/pairmux/pairmux/shape => ../shape
	github.com/pairmux/pairmux/skillpack => ../skillpack
	github.com/pairmux/pairmux/tmuxio => ../tmuxio
)
