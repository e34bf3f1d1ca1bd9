package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/pairmux/pairmux/envelope"
)

// surroundings are what decides how long a tmux server that is started here
// lives: the control group, and who is process 1.
type surroundings struct {
	cgroup    string // of systemd's hierarchy; "" where there is none
	init      string // the name of process 1
	container string // which kind, "" for none
	systemd   bool   // it manages this machine
	linger    bool   // the user's services outlive the login
	killUser  bool   // logind ends a session's processes at logout
	killMode  string // of the service, "" when unknown
}

// scoped starts the server in a control group of its own.
const scoped = "start the server in a scope of its own: systemd-run --user --scope pairmux new keep"

// checkLifetime says whether the server outlives whoever starts it.
func (e *environment) checkLifetime() envelope.Check {
	pid := os.Getpid()
	if srv, err := e.server(); err == nil {
		if p, err := srv.ServerPID(); err == nil {
			pid = p
		}
	}
	return judgeLifetime(look(pid))
}

// judgeLifetime is the verdict.
func judgeLifetime(s surroundings) envelope.Check {
	const name = "lifetime"
	unit := path.Base(s.cgroup)
	switch {
	case s.init == "bwrap" || s.init == "firejail":
		return faulty(name, "inside a sandbox ("+s.init+") that ends everything with its program", "start pairmux outside of the sandbox, and let the sandboxed program use its socket")
	case s.container != "":
		return sound(name, "inside a container ("+s.container+"): the server outlives its starter and ends with the container")
	case !s.systemd || s.cgroup == "":
		return sound(name, "no service manager ends the server with its starter")
	case strings.HasSuffix(unit, ".service") && !strings.HasPrefix(unit, "user@"):
		if s.killMode == "process" || s.killMode == "none" {
			return sound(name, fmt.Sprintf("the service %s leaves the server alone (KillMode=%s)", unit, s.killMode))
		}
		return faulty(name, "the server belongs to the service "+unit+", and ends when that stops", scoped)
	case strings.HasPrefix(unit, "session-") && s.killUser:
		return faulty(name, "logind ends the server at logout (KillUserProcesses=yes)", "loginctl enable-linger; "+scoped)
	case strings.Contains(s.cgroup, "/user@") && !s.linger:
		check := sound(name, "the server outlives its starter, and ends with your last logout")
		check.Fix = "to keep it longer: loginctl enable-linger"
		return check
	}
	return sound(name, "the server outlives its starter (in "+unit+")")
}

// look reads the surroundings of a process. What cannot be read is taken for
// not there.
func look(pid int) surroundings {
	var s surroundings
	s.cgroup = controlGroup(fmt.Sprintf("/proc/%d/cgroup", pid))
	if b, err := os.ReadFile("/proc/1/comm"); err == nil {
		s.init = strings.TrimSpace(string(b))
	}
	for file, kind := range map[string]string{"/.dockerenv": "docker", "/run/.containerenv": "podman"} {
		if _, err := os.Stat(file); err == nil {
			s.container = kind
		}
	}
	if b, err := os.ReadFile("/run/systemd/container"); err == nil && s.container == "" {
		s.container = strings.TrimSpace(string(b))
	}
	if _, err := os.Stat("/run/systemd/system"); err == nil {
		s.systemd = true
	}
	if u, err := user.Current(); err == nil {
		_, err := os.Stat(filepath.Join("/var/lib/systemd/linger", u.Username))
		s.linger = err == nil
	}
	files, _ := filepath.Glob("/etc/systemd/logind.conf.d/*.conf")
	for _, file := range append([]string{"/etc/systemd/logind.conf"}, files...) {
		if v, ok := setting(file, "KillUserProcesses"); ok {
			s.killUser = v == "yes" || v == "true" || v == "1" || v == "on"
		}
	}
	if unit := path.Base(s.cgroup); s.systemd && strings.HasSuffix(unit, ".service") {
		s.killMode = killMode(s.cgroup, unit)
	}
	return s
}

// controlGroup is the path in the unified hierarchy, or in systemd's of the
// older kind.
func controlGroup(file string) string {
	b, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	found := ""
	for line := range strings.Lines(string(b)) {
		f := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(f) == 3 && (f[1] == "name=systemd" || f[0] == "0" && f[1] == "" && found == "") {
			found = f[2]
		}
	}
	if found == "/" {
		return ""
	}
	return found
}

// setting reads KEY=VALUE of a configuration file.
func setting(file, key string) (string, bool) {
	b, err := os.ReadFile(file)
	if err != nil {
		return "", false
	}
	value, ok := "", false
	for lines := bufio.NewScanner(bytes.NewReader(b)); lines.Scan(); {
		if v, found := strings.CutPrefix(strings.TrimSpace(lines.Text()), key+"="); found {
			value, ok = strings.TrimSpace(v), true
		}
	}
	return value, ok
}

func killMode(cgroup, unit string) string {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	args := []string{"show", "--property=KillMode", "--value", unit}
	if strings.Contains(cgroup, "/user@") {
		args = append([]string{"--user"}, args...)
	}
	out, err := exec.CommandContext(ctx, "systemctl", args...).Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}
