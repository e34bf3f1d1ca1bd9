// Package tools holds what the other modules are built, checked and measured
// with. Nothing in it is linked into pairmux, and nobody needs it to use a
// module.
//
// The programs are testall (every check and test of every module, with a
// count), bench (the project's figures, side by side with what they are
// compared to) and the tests in house (the layout of the repository) and
// docscheck (the examples in the documentation, run on a real tmux).
package tools
