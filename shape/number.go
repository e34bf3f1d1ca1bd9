package shape

import (
	"context"
	"errors"
	"io"
)

// errEnough ends a scan early.
var errEnough = errors.New("enough lines")

// maxLine is the longest line that selections see in one piece.
const maxLine = 8 << 20

// number renders src and calls each with every line and its number.
func number(ctx context.Context, src io.Reader, o Options, each func(n int64, line []byte) error) error {
	var (
		n      int64
		joined []byte
		err    error
		r      *Renderer
	)
	r = NewRenderer(o, func(line []byte) {
		if err != nil {
			return
		}
		if r.more || joined != nil {
			joined = append(joined, line...)
			if r.more && len(joined) < maxLine {
				return
			}
			line = joined
		}
		err = each(n+1, line)
		if !r.more {
			n++
			joined = nil
		} else {
			joined = joined[:0]
		}
	})
	buf := make([]byte, 256<<10)
	for {
		m, rerr := src.Read(buf)
		r.Write(buf[:m])
		if err != nil {
			return err
		}
		if rerr == io.EOF {
			r.Close()
			return err
		}
		if rerr != nil {
			return rerr
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}
