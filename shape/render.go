package shape

import "io"

// Render renders src and returns what the limits let through. It blocks until
// src ends and returns the error of src, with the lines up to there.
func Render(src io.Reader, o Options, l Limits) (Result, error) {
	w := NewWindow(l)
	var r *Renderer
	going := false
	r = NewRenderer(o, func(line []byte) {
		if going {
			w.Extend(line)
		} else {
			w.Add(line)
		}
		going = r.more
	})
	_, err := io.CopyBuffer(onlyWriter{r}, onlyReader{src}, make([]byte, 64<<10))
	r.Close()
	return w.Result(), err
}

// onlyWriter and onlyReader keep io.CopyBuffer to the buffer it is given.
type onlyWriter struct{ io.Writer }
type onlyReader struct{ io.Reader }
