// Package journal reads, writes and follows a terminal's journal directory.
//
// A journal is one directory with three files. raw.log holds the bytes that
// the pane printed, index.jsonl one event a line, and meta.json says what the
// terminal is. Offsets are absolute: they count every byte since the terminal
// was created, and keep their meaning when old bytes are rotated away or the
// name is used again.
//
// Readers take no lock and write nothing. Any number of processes may read,
// follow and append events at the same time; exactly one, the one that runs
// [Pump], writes raw.log.
//
// The format is a public contract: SPEC.md, format version 1, with test
// vectors in [Vectors]. Numbers such as J12 in this documentation name its
// clauses.
package journal
