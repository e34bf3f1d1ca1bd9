package detect

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"strconv"
	"strings"
	"syscall"
	"unsafe"
)

// The groups whose processes are looked into; more are not read one by one.
const maxLooked = 256

func (l *Look) termios(tty string) {
	fd, err := syscall.Open(tty, syscall.O_RDONLY|syscall.O_NOCTTY|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	defer syscall.Close(fd)
	var t syscall.Termios
	if _, _, e := syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), syscall.TCGETS, uintptr(unsafe.Pointer(&t))); e != 0 {
		return
	}
	l.Termios = true
	l.Echo = t.Lflag&syscall.ECHO != 0
	l.Canonical = t.Lflag&syscall.ICANON != 0
}

// stat is the part of /proc/PID/stat that matters here.
type stat struct {
	comm                 string
	state                byte
	parent, group, front int
	ticks                uint64
	start                uint64
}

func readStat(path string) (stat, bool) {
	b, err := os.ReadFile(path)
	if err != nil {
		return stat{}, false
	}
	// The name may hold blanks and parentheses: it ends at the last one.
	open, end := bytes.IndexByte(b, '('), bytes.LastIndexByte(b, ')')
	if open < 0 || end < open {
		return stat{}, false
	}
	f := strings.Fields(string(b[end+1:]))
	if len(f) < 20 {
		return stat{}, false
	}
	s := stat{comm: string(b[open+1 : end]), state: f[0][0]}
	s.parent, _ = strconv.Atoi(f[1])
	s.group, _ = strconv.Atoi(f[2])
	s.front, _ = strconv.Atoi(f[5])
	user, _ := strconv.ParseUint(f[11], 10, 64)
	sys, _ := strconv.ParseUint(f[12], 10, 64)
	s.ticks = user + sys
	s.start, _ = strconv.ParseUint(f[19], 10, 64)
	return s, true
}

func proc(pid int, rest string) string { return "/proc/" + strconv.Itoa(pid) + rest }

// children lists the processes that any thread of pid forked.
func children(pid int) []int {
	tasks, err := os.ReadDir(proc(pid, "/task"))
	if err != nil {
		return nil
	}
	var kids []int
	for _, t := range tasks {
		b, err := os.ReadFile(proc(pid, "/task/"+t.Name()+"/children"))
		if err != nil {
			continue
		}
		for _, f := range strings.Fields(string(b)) {
			if n, err := strconv.Atoi(f); err == nil {
				kids = append(kids, n)
			}
		}
	}
	return kids
}

// front: an interactive shell leads a group of its own and is the launcher's
// child; a job's leader is the shell's.
func (l *Look) front(panePID int) {
	leader, ok := readStat(proc(panePID, "/stat"))
	if !ok || leader.front <= 0 {
		return
	}
	l.Known, l.Foreground = true, leader.front
	if st, ok := readStat(proc(leader.front, "/stat")); ok && st.parent == panePID {
		l.Shell, l.ShellForeground = leader.front, true
	}
}

func (l *Look) processes(panePID int, tty string) {
	leader, ok := readStat(proc(panePID, "/stat"))
	if !ok || leader.front <= 0 {
		return
	}
	l.Known, l.Foreground = true, leader.front
	queue := children(panePID)
	if len(queue) > 0 {
		l.Shell = queue[0]
	}
	seen := 0
	for i := 0; i < len(queue) && i < 1<<14; i++ {
		pid := queue[i]
		st, ok := readStat(proc(pid, "/stat"))
		if !ok {
			continue
		}
		queue = append(queue, children(pid)...)
		if pid == l.Shell {
			l.ShellForeground = st.group == l.Foreground
		}
		if st.group != l.Foreground || st.state == 'Z' {
			continue
		}
		l.Ticks += st.ticks
		l.Names = append(l.Names, st.comm)
		if seen++; seen <= maxLooked {
			l.threads(pid, tty)
		}
	}
	if len(l.Names) == 0 {
		l.Unclear = true // the group's processes hang off somebody else
	}
}

// threads looks at what each thread of a foreground process sleeps in.
func (l *Look) threads(pid int, tty string) {
	tasks, err := os.ReadDir(proc(pid, "/task"))
	if err != nil {
		return
	}
	for _, t := range tasks {
		dir := proc(pid, "/task/"+t.Name())
		st, ok := readStat(dir + "/stat")
		if !ok || st.state != 'S' {
			continue
		}
		b, err := os.ReadFile(dir + "/syscall")
		switch {
		case errors.Is(err, os.ErrPermission):
			if _, err := os.ReadDir(proc(pid, "/fd")); err != nil {
				l.Hidden = true
			} else {
				l.wchan(pid, dir, tty)
			}
		case err == nil:
			l.syscall(pid, string(b), tty)
		}
	}
}

// syscall judges by the system call and its arguments.
func (l *Look) syscall(pid int, line, tty string) {
	f := strings.Fields(line)
	if len(f) < 7 {
		return // "running", or a kernel that does not tell
	}
	nr, err := strconv.Atoi(f[0])
	if err != nil {
		return
	}
	var arg [6]uint64
	for i := range arg {
		arg[i], _ = strconv.ParseUint(strings.TrimPrefix(f[i+1], "0x"), 16, 64)
	}
	switch {
	case isRead(nr):
		if isTTY(link(pid, int(arg[0])), tty) {
			l.Reads = true
		}
	case isPoll(nr):
		l.polled(pid, pollSet(pid, arg[0], arg[1]), tty)
	case isSelect(nr):
		l.polled(pid, selectSet(pid, int(arg[0]), arg[1]), tty)
	case isEpoll(nr):
		l.polled(pid, epollSet(pid, int(arg[0])), tty)
	}
}

func (l *Look) polled(pid int, fds []int, tty string) {
	onTTY, other := false, false
	for _, fd := range fds {
		switch name := link(pid, fd); {
		case isTTY(name, tty):
			onTTY = true
		case strings.HasPrefix(name, "socket:"), strings.HasSuffix(name, "/ptmx"):
			other = true
		}
	}
	if onTTY {
		l.Polls = true
		l.Relay = l.Relay || other
	}
}

// wchan judges by the kernel function a thread sleeps in, where the system
// call may not be read (yama's ptrace_scope). More stays unclear, nothing
// becomes wrong: a socket's read sleeps in the same function as a terminal's.
func (l *Look) wchan(pid int, dir, tty string) {
	b, _ := os.ReadFile(dir + "/wchan")
	fds, err := os.ReadDir(proc(pid, "/fd"))
	if err != nil {
		return
	}
	onTTY, other := false, false
	for _, e := range fds {
		fd, _ := strconv.Atoi(e.Name())
		switch name := link(pid, fd); {
		case isTTY(name, tty):
			onTTY = true
		case strings.HasPrefix(name, "socket:"), strings.HasSuffix(name, "/ptmx"), name == "anon_inode:inotify":
			other = true
		case name == "anon_inode:[eventpoll]":
			l.polled(pid, epollSet(pid, fd), tty)
		}
	}
	if !onTTY {
		return
	}
	switch fn := string(b); {
	case fn == "wait_woken" || fn == "n_tty_read":
		if other {
			l.Unclear = true
		} else {
			l.Reads = true
		}
	case strings.HasPrefix(fn, "poll_schedule_timeout"), fn == "do_select", fn == "do_sys_poll":
		if other || l.Canonical {
			l.Unclear = true
		} else {
			l.Polls = true
		}
	}
}

func link(pid, fd int) string {
	s, _ := os.Readlink(proc(pid, "/fd/"+strconv.Itoa(fd)))
	return s
}

func isTTY(name, tty string) bool { return name != "" && (name == tty || name == "/dev/tty") }

// memory reads size bytes of a process at addr.
func memory(pid int, addr uint64, size int) []byte {
	f, err := os.Open(proc(pid, "/mem"))
	if err != nil {
		return nil
	}
	defer f.Close()
	b := make([]byte, size)
	n, _ := f.ReadAt(b, int64(addr))
	return b[:n]
}

func pollSet(pid int, addr, n uint64) (fds []int) {
	if n == 0 || n > 4096 {
		return nil
	}
	b := memory(pid, addr, int(n)*8)
	for ; len(b) >= 8; b = b[8:] {
		events := binary.NativeEndian.Uint16(b[4:])
		if fd := int32(binary.NativeEndian.Uint32(b)); fd >= 0 && events&1 != 0 {
			fds = append(fds, int(fd))
		}
	}
	return fds
}

func selectSet(pid, n int, addr uint64) (fds []int) {
	if n <= 0 || n > 4096 || addr == 0 {
		return nil
	}
	b := memory(pid, addr, (n+63)/64*8)
	for fd := 0; fd < n && fd/8 < len(b); fd++ {
		if b[fd/8]&(1<<(fd%8)) != 0 {
			fds = append(fds, fd)
		}
	}
	return fds
}

func epollSet(pid, fd int) (fds []int) {
	b, _ := os.ReadFile(proc(pid, "/fdinfo/"+strconv.Itoa(fd)))
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == "tfd:" {
			if n, err := strconv.Atoi(f[1]); err == nil {
				fds = append(fds, n)
			}
		}
	}
	return fds
}

// Process tells whether a process lives and when it started, in clock ticks
// since boot: together they identify it even after its number was used again.
// stopped is set for a process that a signal or a debugger has stopped.
func Process(pid int) (start uint64, stopped, alive bool) {
	s, ok := readStat(proc(pid, "/stat"))
	if !ok || s.state == 'Z' || s.state == 'X' {
		return 0, false, false
	}
	return s.start, s.state == 'T' || s.state == 't', true
}

// Asleep reports whether no thread of a process runs or is about to: it waits
// for something from outside. A process that is gone, or that cannot be looked
// at, is asleep.
func Asleep(pid int) bool {
	tasks, err := os.ReadDir(proc(pid, "/task"))
	if err != nil {
		return true
	}
	for _, t := range tasks {
		if st, ok := readStat(proc(pid, "/task/"+t.Name()+"/stat")); ok && (st.state == 'R' || st.state == 'D') {
			return false
		}
	}
	return true
}

// Children lists the processes that a process forked and that still run.
func Children(pid int) []int { return children(pid) }
