// Package envelope is the reply of pairmux, "pairmux.v1": its types, its JSON
// form, its text form, its rules, its JSON Schema and its test vectors.
//
// Every pairmux command answers with one [Reply]. [Reply.WriteJSON] writes the
// line that programs read and [Decode] reads it back; [Reply.WriteText] writes
// the same content for people. [Reply.StreamJSON] and [Reply.StreamText] do it
// for an output that does not fit in memory. [Reply.Validate] checks the rules
// that types alone cannot express.
//
// SPEC.md in this directory is the format's specification, in numbered
// clauses; [Vectors] holds the files to test another implementation against.
//
// The package imports the standard library alone, does nothing at start-up and
// keeps no state: everything in it is safe for concurrent use as long as a
// Reply is not changed while it is being written.
package envelope
