# pairmux: what people run. POSIX sh and GNU make 3.81 are enough.
SHELL = /bin/sh
GO ?= go
TAGS = urfave_cli_no_docs,urfave_cli_no_suggest
BENCHFLAGS ?=

# A binary that depends on the sources alone, and not on git or the directory.
export GOFLAGS = -buildvcs=false
# Static, and 0.5 ms less at every start.
export CGO_ENABLED = 0

.PHONY: help quickstart build test bench bench-agent docs clean

help:
	@echo 'make quickstart   install what is missing, build, and show the main job on a real tmux'
	@echo 'make test         install what is missing, and run every check and test;'
	@echo '                  TESTFLAGS="-static=false journal" for some of it'
	@echo 'make build        build bin/pairmux'
	@echo 'make bench        measure; BENCHFLAGS=-quick for a short run'
	@echo 'make bench-agent  count calls and bytes of ten tasks; rewrites docs/agent-economy.md'
	@echo 'make docs         rewrite the outputs of the examples in README.md and docs/'
	@echo 'make clean        remove what was built'

quickstart:
	@sh tools/need.sh go tmux bash
	@$(MAKE) --no-print-directory build
	@sh tools/quickstart.sh bin/pairmux

# Always run: go itself knows what is up to date.
build:
	@mkdir -p bin
	cd pairmux && GOWORK=off $(GO) build -trimpath -tags $(TAGS) -ldflags '-s -w' -o ../bin/pairmux .

test:
	@sh tools/need.sh -packages pairmux/testdata/packages.txt go git tmux bash zsh fish dash less ps bc node npm
	@mkdir -p bin
	cd tools && GOWORK=off $(GO) build -o ../bin/testall ./testall
	@bin/testall -summary bin/test-summary $(TESTFLAGS)

bench: build
	@sh tools/need.sh go tmux bash zsh fish
	cd tools && GOWORK=off $(GO) build -o ../bin/bench ./bench
	@bin/bench -bin bin/pairmux -json bench.json $(BENCHFLAGS)

bench-agent: build
	@sh tools/need.sh go tmux bash python3 less
	cd tools && GOWORK=off $(GO) build -o ../bin/benchagent ./benchagent
	@bin/benchagent -bin bin/pairmux -json bin/bench-agent.json -doc docs/agent-economy.md

docs:
	cd tools && GOWORK=off $(GO) test -count=1 ./docscheck -update
	cd tools && GOWORK=off $(GO) test -count=1 -run Table ./mcptest -update
	cd pairmux && GOWORK=off $(GO) test -count=1 -run TestShells -update-docs .

clean:
	rm -rf bin dist bench.json
