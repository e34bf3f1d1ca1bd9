package mcpserver

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// maxLine bounds one line of input, so that a client cannot make the server hold
// more than this for a message that was not even understood yet.
const maxLine = 4 << 20

// errLongLine reports a line that was read to its end and thrown away.
var errLongLine = errors.New("line over 4 MiB")

// lineReader cuts input into lines of bounded length.
type lineReader struct {
	r     *bufio.Reader
	first bool
	max   int
}

func newLineReader(r io.Reader, max int) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(r, 64<<10), first: true, max: max}
}

// next returns the next line without its line end, in memory of its own. A last
// line without a line end counts. It returns errLongLine for a line that was
// skipped, and io.EOF or the reader's error at the end.
func (l *lineReader) next() ([]byte, error) {
	var line []byte
	tooLong := false
	for {
		part, err := l.r.ReadSlice('\n')
		if len(line)+len(part) > l.max+1 {
			tooLong, line = true, nil
		}
		if !tooLong {
			line = append(line, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil && len(line) == 0 && !tooLong {
			return nil, err
		}
		// The error, if any, comes again from the next read.
		break
	}
	if l.first {
		l.first = false
		line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
	}
	if tooLong {
		return nil, errLongLine
	}
	return bytes.TrimRight(line, "\r\n"), nil
}
