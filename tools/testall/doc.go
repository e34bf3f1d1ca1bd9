// Command testall checks and tests every module of the repository, each alone
// (GOWORK=off), and counts.
//
// For each module it runs gofmt, go mod tidy -diff, go build, go vet,
// staticcheck and go test. It goes on after a failure, prints what failed, and
// ends with the line "N passed, N failed", which counts each check and each
// test that has no subtests. The exit status is 1 when anything failed.
//
// Run it from the repository's root:
//
//	go run ./tools/testall [-summary FILE] [-static=false] [MODULE…]
package main
