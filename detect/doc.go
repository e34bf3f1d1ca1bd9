// Package detect knows what a shell and a program tell about themselves: the
// OSC 133 marks a hooked shell prints around prompts and commands, the state
// that follows from them, the start-up files that make a shell print them, and
// the evidence that a program waits for input.
//
// The package reads bytes, process tables and terminals; it never writes to a
// terminal and keeps no state of its own between calls.
package detect
