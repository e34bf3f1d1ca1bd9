package shape

// grouper gives matching lines with the lines around them.
type grouper struct {
	o      GrepOptions
	emit   func(n int64, line []byte, match bool) error
	before [][]byte // up to Context lines in front of the current one, a ring
	held   int      // of them are in use
	next   int      // slot for the next
	after  int      // lines that a match still wants
	last   int64    // number of the line given last
}

func (g *grouper) line(n int64, line []byte, match bool) error {
	switch {
	case match:
		first := n - int64(g.held)
		if g.o.Context > 0 && g.last > 0 && first > g.last+1 && g.o.Gap != nil {
			if err := g.o.Gap(); err != nil {
				return err
			}
		}
		for ; g.held > 0; g.held-- {
			i := (g.next - g.held + len(g.before)) % len(g.before)
			if err := g.emit(n-int64(g.held), g.before[i], false); err != nil {
				return err
			}
		}
		g.after = max(g.o.Context, 0)
	case g.after > 0:
		g.after--
	default:
		if g.o.Context > 0 {
			g.hold(line)
		}
		return nil
	}
	g.last = n
	return g.emit(n, line, match)
}

func (g *grouper) hold(line []byte) {
	if g.before == nil {
		g.before = make([][]byte, g.o.Context)
	}
	g.before[g.next] = append(g.before[g.next][:0], line...)
	g.next = (g.next + 1) % len(g.before)
	g.held = min(g.held+1, len(g.before))
}

// forget is for when lines are passed over.
func (g *grouper) forget() { g.held = 0 }
