// Package docscheck has no code; its tests hold the documentation to the
// binary. They run every example in README.md and docs/ on a real tmux and
// compare what it prints with what the page says, up to times, positions and
// directories; and they compare the flags of docs/cli.md with those that
// `pairmux --json` lists, both ways.
//
// An example is a fenced block of the kind "console": a line that begins with
// "$ " is a command, run by bash, and the lines after it are its output. All
// examples of a page run in order, in one directory, on one server. Two HTML
// comments on lines of their own are instructions: `<!-- run: … -->` runs a
// command that the page does not show, `<!-- meanwhile: … -->` runs one in the
// background while the next example runs.
//
// With -update the outputs that differ are rewritten.
package docscheck
