package journal

import "embed"

// Vectors holds the test vectors of the format under testdata/vectors, for
// implementations in any language:
//
//   - namespaces.json: endpoint paths and their hashes (J4);
//   - events.json: lines of index.jsonl, each with the event it is, or bad (J21, J23);
//   - journals/NAME: whole journals, each with what a reader must find in it in
//     journals/NAME.json; outputs are in hex.
//
//go:embed testdata/vectors
var Vectors embed.FS
