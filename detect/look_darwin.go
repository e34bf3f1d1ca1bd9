package detect

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

func (l *Look) termios(tty string) {
	fd, err := syscall.Open(tty, syscall.O_RDONLY|syscall.O_NOCTTY|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	defer syscall.Close(fd)
	t, err := unix.IoctlGetTermios(fd, unix.TIOCGETA)
	if err != nil {
		return
	}
	l.Termios = true
	l.Echo = t.Lflag&unix.ECHO != 0
	l.Canonical = t.Lflag&unix.ICANON != 0
}

func (l *Look) front(panePID int) { l.processes(panePID, "") }

// processes reads the foreground group and the pane's child from the process
// table. What a process sleeps in is not to be had without privileges, so it
// stays unclear and the wording decides.
func (l *Look) processes(panePID int, _ string) {
	leader, err := unix.SysctlKinfoProc("kern.proc.pid", panePID)
	if err != nil || leader.Eproc.Tpgid <= 0 {
		return
	}
	l.Known, l.Foreground, l.Unclear = true, int(leader.Eproc.Tpgid), true
	all, err := unix.SysctlKinfoProcSlice("kern.proc.tty", int(leader.Eproc.Tdev))
	if err != nil {
		return
	}
	for _, p := range all {
		if int(p.Eproc.Ppid) == panePID && l.Shell == 0 {
			l.Shell = int(p.Proc.P_pid)
			l.ShellForeground = int(p.Eproc.Pgid) == l.Foreground
		}
		if int(p.Eproc.Pgid) == l.Foreground {
			l.Names = append(l.Names, unix.ByteSliceToString((*[17]byte)(unsafe.Pointer(&p.Proc.P_comm))[:]))
		}
	}
}

// Process tells whether a process lives and when it started (microseconds
// since the epoch); stopped is set for a stopped process.
func Process(pid int) (start uint64, stopped, alive bool) {
	p, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || p.Proc.P_pid != int32(pid) || p.Proc.P_stat == 5 {
		return 0, false, false
	}
	t := p.Proc.P_starttime
	return uint64(t.Sec)*1e6 + uint64(t.Usec), p.Proc.P_stat == 4, true
}

// Asleep is not known here: every process counts as asleep.
func Asleep(int) bool { return true }

// Children are not known here.
func Children(int) []int { return nil }
