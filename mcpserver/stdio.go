package mcpserver

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// ServeStdio is [Serve] for a whole process. It takes standard output for itself, so
// that what anything else prints there goes to standard error and cannot break the
// protocol; and it ends in order on SIGINT, SIGTERM and SIGHUP, which is no error.
// The process should do nothing else and exit when it returns.
func ServeStdio(c Config) error {
	out, err := takeStdout()
	if err != nil {
		return fmt.Errorf("take standard output: %w", err)
	}
	defer out.Close()
	// Otherwise the first write after the client went would kill the process before
	// it could end its children.
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	err = Serve(ctx, os.Stdin, out, c)
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// takeStdout moves standard output to a descriptor that no child inherits, and puts
// standard error in its place.
func takeStdout() (*os.File, error) {
	syscall.ForkLock.RLock()
	fd, err := syscall.Dup(syscall.Stdout)
	if err == nil {
		syscall.CloseOnExec(fd)
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, err
	}
	if err := duplicate(syscall.Stderr, syscall.Stdout); err != nil {
		syscall.Close(fd)
		return nil, err
	}
	return os.NewFile(uintptr(fd), "stdout"), nil
}
