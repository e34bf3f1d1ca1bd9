//go:build linux && !amd64

package detect

import "syscall"

// The generic system call table (arm64, riscv64, loong64) has no select, poll
// or epoll_wait of its own. 441 is epoll_pwait2.
func isRead(nr int) bool   { return nr == syscall.SYS_READ || nr == syscall.SYS_READV }
func isPoll(nr int) bool   { return nr == syscall.SYS_PPOLL }
func isSelect(nr int) bool { return nr == syscall.SYS_PSELECT6 }
func isEpoll(nr int) bool  { return nr == syscall.SYS_EPOLL_PWAIT || nr == 441 }
