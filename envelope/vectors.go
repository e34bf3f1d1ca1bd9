package envelope

import "embed"

// Vectors holds the test vectors of SPEC 8, under testdata: replies in both
// forms (reply), lines that a reader must accept (read) and refuse (refuse).
//
//go:embed testdata/reply testdata/read testdata/refuse
var Vectors embed.FS
