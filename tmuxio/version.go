package tmuxio

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
)

// MinVersion is the oldest version that can be used.
const MinVersion = "3.2"

// Version asks a tmux binary for its version ("3.3a"), which takes 1 ms, and
// checks it as [CheckVersion] does; the version is returned with that error
// too. binary "" is tmux in PATH. Not found: [ErrNoTmux].
func Version(ctx context.Context, binary string) (string, error) {
	if binary == "" {
		binary = "tmux"
	}
	cmd := exec.CommandContext(ctx, binary, "-V")
	out, err := cmd.Output()
	if errors.Is(err, exec.ErrNotFound) || cmd.Process == nil {
		return "", &Error{Op: "-V", Stderr: binary, ExitCode: -1, Err: ErrNoTmux}
	}
	if err != nil {
		if ctx.Err() != nil {
			err = ErrTimeout
		}
		return "", &Error{Op: "-V", ExitCode: cmd.ProcessState.ExitCode(), Err: err}
	}
	v := strings.TrimPrefix(strings.TrimSpace(string(out)), "tmux ")
	return v, CheckVersion(v)
}

// CheckVersion checks a version in the words of tmux -V or #{version}: "3.2a",
// "3.3-rc", "next-3.4" (what will be 3.4), "openbsd-7.1" (the base system's,
// numbered with it), "master". Too old: [ErrTooOld]. One that cannot be read
// is an error without sentinel.
func CheckVersion(v string) error {
	number, least := v, MinVersion
	switch {
	case v == "master":
		return nil
	case strings.HasPrefix(v, "next-"):
		number = v[len("next-"):]
	case strings.HasPrefix(v, "openbsd-"):
		// 6.9 came with 3.2.
		number, least = v[len("openbsd-"):], "6.9"
	}
	major, minor, err := parseVersion(number)
	if err != nil {
		return fmt.Errorf("tmux version %q cannot be read", v)
	}
	leastMajor, leastMinor, _ := parseVersion(least)
	if major < leastMajor || major == leastMajor && minor < leastMinor {
		return &Error{Op: "-V", Stderr: "found " + v + ", need " + MinVersion + " or later", Err: ErrTooOld}
	}
	return nil
}

// parseVersion reads the two numbers; letters and -rc tell patch levels apart,
// which nothing here depends on.
func parseVersion(v string) (major, minor int, err error) {
	_, err = fmt.Sscanf(v, "%d.%d", &major, &minor)
	return major, minor, err
}
