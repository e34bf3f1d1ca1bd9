package mcpserver

import (
	"bytes"

	"github.com/sourcegraph/jsonrpc2"
)

// maxBatch bounds a batch: each of its elements, two bytes of input, may cost an error
// answer of a hundred.
const maxBatch = 1000

// batch collects the answers to a JSON-RPC batch (revision 2025-03-26 only). It is
// guarded by the stream's mutex.
type batch struct {
	left    int // requests without an answer yet
	answers [][]byte
	size    int // of the answers, in bytes
}

// refuseIn answers with an error, in the batch if there is one.
func (s *stream) refuseIn(in *batch, rawID []byte, code int64, message string) {
	line := errorLine(rawID, code, message)
	if in == nil {
		_ = s.write(line)
		return
	}
	s.mu.Lock()
	in.answers = append(in.answers, line)
	in.size += len(line)
	s.mu.Unlock()
}

func (s *stream) addToBatch(in *batch, rawID, answer []byte) error {
	s.mu.Lock()
	if in.size+len(answer) > maxMessage {
		answer = errorLine(rawID, jsonrpc2.CodeInternalError, "answers of this batch over 8 MiB")
	}
	in.answers = append(in.answers, answer)
	in.size += len(answer) + 1
	s.mu.Unlock()
	return s.leaveBatch(in)
}

// leaveBatch gives one place of the batch back and writes the array with the last.
func (s *stream) leaveBatch(in *batch) error {
	s.mu.Lock()
	in.left--
	done := in.left == 0 && len(in.answers) > 0
	s.mu.Unlock()
	if !done {
		return nil
	}
	line := append([]byte{'['}, bytes.Join(in.answers, []byte{','})...)
	return s.write(append(line, ']'))
}
