// Command bench measures pairmux against the figures it has set itself, on the
// machine it runs on.
//
// Each figure that compares two things takes them in turn, round by round, in
// one run, with processes started in the same way, so that a busy or slow
// machine changes both; what is reported is medians, 95th percentiles and
// ratios. Everything happens on private tmux servers with a home and state
// directory of their own under /tmp, which are gone afterwards.
//
// Run it from the repository's root, or by `make bench`:
//
//	go run ./tools/bench [-bin bin/pairmux] [-quick] [-only REGEXP] [-json bench.json]
//
// It prints a table, writes the same as JSON, and exits with status 0 whether
// or not a figure is reached: it measures and does not judge a change.
package main
