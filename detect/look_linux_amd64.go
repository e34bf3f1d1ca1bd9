package detect

import "syscall"

func isRead(nr int) bool { return nr == syscall.SYS_READ || nr == syscall.SYS_READV }
func isPoll(nr int) bool { return nr == syscall.SYS_POLL || nr == syscall.SYS_PPOLL }
func isSelect(nr int) bool {
	return nr == syscall.SYS_SELECT || nr == syscall.SYS_PSELECT6
}

// 441 is epoll_pwait2, which package syscall does not name.
func isEpoll(nr int) bool {
	return nr == syscall.SYS_EPOLL_WAIT || nr == syscall.SYS_EPOLL_PWAIT || nr == 441
}
