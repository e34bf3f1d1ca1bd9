package detect

// Phase is where a hooked shell stands between two prompts.
type Phase int

// The phases, in the order a shell goes through them.
const (
	Unseen    Phase = iota // no mark of this shell yet
	Prompting              // its prompt has begun
	Ready                  // its line editor reads
	Open                   // a command has the terminal
	Ended                  // the command ended, the next prompt has not begun
	Exited                 // the launcher reported the shell's exit
)

// Change tells what a mark did to the state.
type Change int

// The changes that Feed reports.
const (
	Nothing   Change = iota // ignored: foreign, stale or a repetition
	Prompted                // a new prompt began
	Readied                 // the line editor reads
	Continued               // a secondary prompt: what was entered is incomplete
	Started                 // a command's output begins
	Finished                // the open command ended
	Refused                 // an end without a start: nothing ran (empty line, Ctrl-C, syntax error)
	Reprompt                // the same prompt again while a command is open
	Quit                    // the shell exited
)

// Command is a command that a shell ran, as its marks tell it.
type Command struct {
	N int64
	// Start and End delimit the output in journal offsets; MarkEnd is the end
	// of the end mark. Start is -1 when the start lies before what was read.
	Start, End, MarkEnd int64
	Status              int64
	HasStatus           bool
	// Began is when the command started by the shell's own clock, in
	// microseconds since the epoch, 0 when unknown. Took is its own time in
	// milliseconds, where HasTook is set.
	Began   int64
	Took    int64
	HasTook bool
	// Cmdline is known only after the following prompt, and not always.
	Cmdline string
	Run     string
}

// Machine follows one shell's marks. Marks count only with the shell's own
// nonce. While command n is open, only its own end, a mark of a later prompt
// (which no data can replay, since it was never printed before) or the
// launcher's exit mark changes the state, so printed marks, replayed journals
// and other shells cannot fake an end.
//
// The zero value with AID set starts in Unseen and may be fed from any point of
// the journal. A Machine is not safe for concurrent use.
type Machine struct {
	AID string
	// Sentinel is set for a machine that follows the marks of sentinel lines,
	// which carry a run's id, and no others. Without it these are left alone:
	// they belong to a shell nested in the one that is followed.
	Sentinel bool

	Phase Phase
	// N is the counter of the newest prompt.
	N int64
	// PromptAt is the offset of the newest prompt's first byte, ReadyAt the
	// offset behind the newest "line editor reads" mark, ContinuedAt the one
	// behind the newest secondary prompt since (0: none).
	PromptAt, ReadyAt, ContinuedAt int64
	// Flags are the letters that the newest prompt carried.
	Flags string
	// Cur is the open command, Last the newest one that ended.
	Cur, Last Command
	// RefusedStatus is the status of the newest Refused.
	RefusedStatus int64
	// Again is the newest prompt mark that appeared while a command was open
	// (Again.End is 0 when there was none): a sign that the end was lost.
	Again Mark
	// ExitStatus is the shell's exit status in phase Exited.
	ExitStatus int64

	// refused is set when the newest end was one without a start: the line that
	// the next prompt reports is then not Last's.
	refused bool
}

// Expect puts the machine where it stands right before a command is entered at
// prompt n, whose output cannot begin before offset at.
func (m *Machine) Expect(n, at int64) {
	*m = Machine{AID: m.AID, Sentinel: m.Sentinel, Phase: Ready, N: n, ReadyAt: at, PromptAt: at, Last: m.Last, Flags: m.Flags}
}

// Feed takes the next mark and tells what it changed.
func (m *Machine) Feed(k Mark) Change {
	if k.AID != m.AID || m.AID == "" || m.Phase == Exited {
		return Nothing
	}
	if k.Kind == Exit {
		if m.Phase == Open {
			m.finish(k, true)
		}
		m.Phase = Exited
		m.ExitStatus = k.Status
		return Quit
	}
	if m.Sentinel != (k.Run != "") {
		return Nothing
	}
	if m.Sentinel {
		return m.sentinel(k)
	}
	if k.N < 0 || m.Phase != Unseen && k.N < m.N {
		return Nothing
	}
	if m.Phase == Open && k.N == m.N {
		switch k.Kind {
		case CommandEnd:
			if !k.HasStatus {
				return Nothing
			}
			m.finish(k, true)
			m.Phase = Ended
			return Finished
		case PromptEnd:
			m.Again = k
			return Reprompt
		}
		return Nothing
	}
	if m.Phase == Open { // a later prompt: the end was lost or not read
		m.finish(k, false)
		m.Phase = Ended
	}
	switch k.Kind {
	case PromptStart:
		if m.Phase != Unseen && k.N == m.N && (m.Phase == Prompting || m.Phase == Ready) {
			m.PromptAt = k.Start
			return Nothing // redrawn
		}
		if m.Phase == Ended && k.Cmdline != "" && !m.refused {
			m.Last.Cmdline = k.Cmdline
		}
		m.Phase, m.N, m.PromptAt, m.Flags = Prompting, k.N, k.Start, k.Flags
		m.ContinuedAt = 0
		return Prompted
	case PromptEnd:
		if m.Phase == Ended && k.N == m.N {
			return Nothing // this prompt's command has ended
		}
		m.Phase, m.N, m.ReadyAt, m.ContinuedAt = Ready, k.N, k.End, 0
		return Readied
	case Continuation:
		m.N = k.N
		if m.Phase != Prompting {
			m.Phase = Ready
		}
		m.ContinuedAt = k.End
		return Continued
	case OutputStart:
		if m.Phase == Ended && k.N == m.N {
			return Nothing
		}
		m.Phase, m.N, m.ContinuedAt = Open, k.N, 0
		m.Cur = Command{N: k.N, Start: k.End, Began: k.Micros, Cmdline: k.Cmdline}
		m.Again = Mark{}
		return Started
	case CommandEnd:
		if m.Phase == Ended && k.N == m.N || !k.HasStatus {
			return Nothing // the first end wins
		}
		if m.Phase == Unseen {
			m.Cur = Command{N: k.N, Start: -1}
			m.N = k.N
			m.finish(k, true)
			m.Phase = Ended
			return Finished
		}
		m.Phase, m.N, m.RefusedStatus, m.refused = Ended, k.N, k.Status, true
		m.ContinuedAt = 0
		return Refused
	}
	return Nothing
}

// sentinel handles the marks of a sentinel line, which carry the run's id
// instead of a prompt counter.
func (m *Machine) sentinel(k Mark) Change {
	switch {
	case k.Kind == OutputStart && !(m.Phase == Open && m.Cur.Run == k.Run):
		m.Phase = Open
		m.Cur = Command{N: -1, Start: k.End, Began: k.Micros, Run: k.Run}
		return Started
	case k.Kind == CommandEnd && m.Phase == Open && m.Cur.Run == k.Run:
		m.finish(k, true)
		m.Phase = Ended
		return Finished
	case k.Kind == CommandEnd && m.Phase == Unseen:
		m.Cur = Command{N: -1, Start: -1, Run: k.Run}
		m.finish(k, true)
		m.Phase = Ended
		return Finished
	}
	return Nothing
}

func (m *Machine) finish(k Mark, own bool) {
	m.Last, m.refused = m.Cur, false
	m.Last.End = k.Start
	m.Last.MarkEnd = k.Start
	if own {
		m.Last.MarkEnd = k.End
		m.Last.Status, m.Last.HasStatus = k.Status, k.HasStatus
		switch {
		case k.HasMillis:
			m.Last.Took, m.Last.HasTook = k.Millis, true
		case m.Last.Began > 0 && k.Micros >= m.Last.Began:
			m.Last.Took, m.Last.HasTook = (k.Micros-m.Last.Began+500)/1000, true
		}
	}
	m.Cur = Command{}
	m.Again = Mark{}
}
