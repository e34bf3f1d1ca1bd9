// Package journalproxy has no code; its test uses module journal as somebody
// outside of this repository would: from a zip behind a module proxy, with no
// go.work and no replace, in a program that imports nothing else of pairmux. That
// program, testdata/outside.go, lists the terminals, follows one that a real
// pairmux drives, and reads a command's output.
package journalproxy
