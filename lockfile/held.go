package lockfile

import (
	"os"
	"time"
)

// Held tells whether the lock of the file at path is in anyone's hands, and in
// whose. It takes no lock and writes nothing, so that looking never makes
// another's [TryLock] fail; what it says may be past as soon as it is said. A
// missing file is not held, and neither is one whose holder was killed.
//
// On Linux the kernel's list of locks decides (proc_locks(5)) and the content
// gives the rest; a holder outside this process's pid namespace is not listed
// and counts as not held. Elsewhere, and where /proc is not mounted, the
// content decides, if a process with its pid exists. A holder that has not yet
// written its name has only PID, and on other systems is not seen.
func Held(path string) (Holder, bool) {
	f, err := os.Open(path)
	if err != nil {
		return Holder{}, false
	}
	defer f.Close()
	h, ok := readHolder(f)
	pid, listed := lockedBy(f, h.PID)
	switch {
	case listed && pid == 0:
		return Holder{}, false
	case listed && (!ok || h.PID != pid):
		return Holder{PID: pid}, true
	case listed:
		return h, true
	}
	if !ok || !alive(h.PID) {
		return Holder{}, false
	}
	return h, true
}

// whoHolds is for the text of an error about a lock that is known to be held.
// A holder writes its name just after it got the lock, so a missing one is
// looked for again.
func whoHolds(path string) Holder {
	var h Holder
	for range 4 {
		var held bool
		h, held = Held(path)
		if held && !h.Since.IsZero() {
			return h
		}
		time.Sleep(200 * time.Microsecond)
	}
	if h.PID == 0 {
		if f, err := os.Open(path); err == nil {
			defer f.Close()
			h, _ = readHolder(f)
		}
	}
	return h
}
