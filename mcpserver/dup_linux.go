package mcpserver

import "syscall"

// duplicate makes to the same file as from. Linux on newer architectures has no dup2.
func duplicate(from, to int) error { return syscall.Dup3(from, to, 0) }
