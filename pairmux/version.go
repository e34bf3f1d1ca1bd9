package main

import (
	"runtime/debug"

	"github.com/pairmux/pairmux/envelope"
)

// release is set by the release build (-ldflags -X); a build by go install
// knows its module's version.
var release = ""

func version() string {
	if release != "" {
		return release
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "0.1.0-dev"
}

func runVersion(*call) *outcome {
	r := envelope.New(envelope.StatusOK)
	r.Output = version()
	return &outcome{reply: r}
}
