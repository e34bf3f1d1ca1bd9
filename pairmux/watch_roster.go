package main

import (
	"context"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pairmux/pairmux/envelope"
	"github.com/pairmux/pairmux/journal"
)

// A watchRow is what the dashboard shows of one terminal.
type watchRow struct {
	envelope.Terminal
	prompt *envelope.Prompt
	notes  []string
	active time.Time
	t      *terminal // nil when the journal cannot be read
}

// rank orders rows by how much they need a human: only a human may answer a
// secret, an agent can answer the rest, the dead need nobody.
func (r *watchRow) rank() int {
	switch r.Status {
	case envelope.StatusAwaitingInput:
		if r.prompt != nil && r.prompt.Kind == envelope.KindSecret {
			return 0
		}
		return 1
	case envelope.StatusUnknown:
		return 2
	case envelope.StatusRunning:
		return 3
	case envelope.StatusDead:
		return 5
	}
	return 4
}

// roster keeps the states of all terminals of a server. It looks at a journal
// again when it has grown, and by the interval at what makes no noise there.
type roster struct {
	env     *environment
	every   time.Duration
	dirs    []string // where terminals appear
	listed  [2]time.Time
	settled bool // the directories were old when they were listed
	rounds  int
	entries []*watched
}

// watched is a terminal and what was last seen of it.
type watched struct {
	name   string
	t      *terminal
	follow *journal.Follower
	s      *state
	mark   journal.Mark
	due    time.Time
	row    watchRow
}

func newRoster(env *environment, every time.Duration) *roster {
	return &roster{env: env, every: every, dirs: []string{journal.Namespace(env.root, env.endpoint), env.root}}
}

func (e *watched) close() {
	if e.t != nil {
		_ = e.t.j.Close()
	}
}

// lookers is how many terminals are looked at side by side: a look at a silent
// program sleeps between two glances.
const lookers = 8

// silentWork is how much is spent per interval on terminals whose journals did
// not grow: a glance at an idle one is 1, a look at a running one runningWork.
// With more of them each is looked at less often, so that a dashboard costs
// little however many there are. What is printed is seen at once all the same.
const (
	silentWork  = 64
	runningWork = 12
)

// round brings the entries up to date and reports whether any may differ.
func (r *roster) round(ctx context.Context) (changed bool, err error) {
	if changed, err = r.list(); err != nil {
		return false, err
	}
	every := r.every + r.every*time.Duration(r.work())/silentWork
	queue := make(chan *watched)
	var group sync.WaitGroup
	var looked atomic.Bool
	for range min(lookers, len(r.entries)) {
		group.Go(func() {
			for e := range queue {
				if e.look(ctx, r.env, every) {
					looked.Store(true)
				}
			}
		})
	}
	now := time.Now()
	r.rounds++
	for _, e := range r.entries {
		if !now.Before(e.due) || e.t != nil && (r.rounds%2 == 0 || e.lively()) && e.follow.Now() != e.mark {
			queue <- e
		}
	}
	close(queue)
	group.Wait()
	return changed || looked.Load(), nil
}

func (r *roster) work() int {
	n := 0
	for _, e := range r.entries {
		switch {
		case e.lively():
			n += runningWork
		case e.row.Status == envelope.StatusIdle:
			n++
		}
	}
	return n
}

// lively reports that something runs there. The journals of the others are
// looked at in every second round only.
func (e *watched) lively() bool {
	return e.row.Status != envelope.StatusIdle && e.row.Status != envelope.StatusDead
}

// list finds new terminals, and drops those that are gone. A directory whose
// time is only just past may change again without another time.
func (r *roster) list() (changed bool, err error) {
	var times [2]time.Time
	for i, dir := range r.dirs {
		if st, err := os.Stat(dir); err == nil {
			times[i] = st.ModTime()
		}
	}
	if r.settled && times == r.listed {
		return false, nil
	}
	now := time.Now()
	r.settled = now.Sub(times[0]) > time.Second && now.Sub(times[1]) > time.Second
	r.listed = times
	names, err := journal.Terminals(r.env.root, r.env.endpoint)
	if err != nil {
		return false, err
	}
	was := len(r.entries)
	known := map[string]*watched{}
	for _, e := range r.entries {
		if e.t != nil && !e.t.j.Retired() {
			known[e.name] = e
			continue
		}
		e.close()
	}
	r.entries = r.entries[:0]
	for _, name := range names {
		e := known[name]
		if e == nil {
			e, changed = &watched{name: name}, true
		}
		delete(known, name)
		r.entries = append(r.entries, e)
	}
	for _, e := range known {
		e.close()
	}
	return changed || was != len(r.entries), nil
}

// look derives what is true now, from as little as has changed, and reports
// whether it had to.
func (e *watched) look(ctx context.Context, env *environment, every time.Duration) bool {
	e.due = time.Now().Add(every)
	if e.t == nil {
		j, err := journal.Find(env.root, env.endpoint, e.name)
		if err != nil {
			e.fail(err)
			return true
		}
		e.t = env.wrap(e.name, j)
		e.follow = j.Follow()
	}
	mark := e.follow.Now()
	grown := mark != e.mark
	if !grown && e.s != nil && e.still() {
		return false
	}
	var err error
	// While a terminal is being made its pane is not known yet, and the mode of
	// a shell can change.
	_ = e.t.j.Reload()
	e.t = env.wrap(e.name, e.t.j)
	if e.s == nil || mark.Index != e.mark.Index {
		e.s, err = e.t.derive(ctx)
	} else {
		err = e.t.update(ctx, e.s)
	}
	e.mark = mark
	if err != nil {
		e.s = nil
		e.fail(err)
		return true
	}
	e.row = watchRow{Terminal: e.t.row(e.s), prompt: e.s.prompt, notes: e.s.recent.notes, active: e.t.lastActivity(), t: e.t}
	if e.newborn() {
		e.row.Status = envelope.StatusUnknown
		e.due = time.Now().Add(glance)
	} else if wait := e.t.nextLook(e.s, 0); wait < lookEvery && e.row.Status == envelope.StatusRunning {
		e.due = time.Now().Add(min(wait, every))
	}
	return true
}

// newborn reports that the terminal has a journal but no pane yet. One whose
// maker was killed at that point is dead.
func (e *watched) newborn() bool {
	return e.t.meta.PanePID == 0 && time.Since(e.t.meta.CreatedAt) < 30*time.Second
}

// still reports that nothing can have changed where the journal did not.
func (e *watched) still() bool {
	switch {
	case e.row.LockPID != 0: // let go without a word, or about to be
		return false
	case e.s.status == envelope.StatusDead:
		return !e.newborn()
	}
	return e.s.status == envelope.StatusIdle && e.t.life() == alive
}

func (e *watched) fail(err error) {
	e.row = watchRow{Terminal: envelope.Terminal{Name: e.name, Status: envelope.StatusUnknown, Cmd: err.Error()}, t: e.t}
}

// rows are the terminals, who needs a human first.
func (r *roster) rows() []watchRow {
	rows := make([]watchRow, 0, len(r.entries))
	for _, e := range r.entries {
		rows = append(rows, e.row)
	}
	slices.SortFunc(rows, func(a, b watchRow) int {
		if d := a.rank() - b.rank(); d != 0 {
			return d
		}
		return strings.Compare(a.Name, b.Name)
	})
	return rows
}
