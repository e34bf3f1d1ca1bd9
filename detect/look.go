package detect

// Look is what the kernel says about a pane's terminal and the processes in
// its foreground at one moment. Everything in it may be unknown: which parts
// can be asked depends on the system and on who asks.
type Look struct {
	// Known is set when the foreground process group could be read.
	Known bool
	// Shell is the process id of the pane's child (the shell or the program),
	// 0 when it is gone or unknown. ShellForeground is set when its group is
	// the terminal's foreground group.
	Shell           int
	ShellForeground bool
	// Foreground is the terminal's foreground process group.
	Foreground int
	// Termios is set when the line discipline could be read; Echo and
	// Canonical are its ECHO and ICANON.
	Termios, Echo, Canonical bool
	// Reads is set when a thread of the foreground group sleeps in a read of
	// this terminal; Polls when one sleeps in a poll, select or epoll whose set
	// holds it; Relay when that set also holds a socket or another terminal
	// (ssh, script: they always do, so it says nothing).
	Reads, Polls, Relay bool
	// Hidden is set when a process of the group may not be looked into (setuid
	// programs); Unclear when a sleep could not be told from another.
	Hidden, Unclear bool
	// Ticks is the CPU time of the group so far, in clock ticks.
	Ticks uint64
	// Names are the command names in the foreground group.
	Names []string
}

// Front is the cheap half of a look: who has the terminal's foreground, and is
// it the pane's own shell? It costs two small reads.
func Front(panePID int) Look {
	var l Look
	l.front(panePID)
	return l
}

// Observe looks at the terminal at path tty, whose session leader is the
// process panePID. It reads only, does not block on the terminal, and needs no
// privilege; what it may not see is marked as such. Safe for concurrent use.
func Observe(panePID int, tty string) Look {
	var l Look
	l.termios(tty)
	l.processes(panePID, tty)
	return l
}
