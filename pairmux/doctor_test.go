package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLifetimeIsJudgedByWhatManagesTheServer(t *testing.T) {
	for _, c := range []struct {
		name   string
		s      surroundings
		ok     bool
		detail string
		fix    string
	}{
		{"no systemd", surroundings{init: "runit"}, true, "no service manager", ""},
		{"container", surroundings{init: "sleep", container: "docker", cgroup: "/docker/1"}, true, "container (docker)", ""},
		{"sandbox", surroundings{init: "bwrap", systemd: true, cgroup: "/user.slice/user@1.service/app.slice/x.scope"}, false, "sandbox (bwrap)", "outside"},
		{"session", surroundings{init: "systemd", systemd: true, cgroup: "/user.slice/user-1000.slice/session-3.scope"}, true, "outlives its starter", ""},
		{"session that is cleared", surroundings{init: "systemd", systemd: true, killUser: true, cgroup: "/user.slice/user-1000.slice/session-3.scope"}, false, "at logout", "systemd-run --user --scope pairmux"},
		{"service", surroundings{init: "systemd", systemd: true, killMode: "control-group", cgroup: "/system.slice/ci-runner.service"}, false, "ci-runner.service", "systemd-run --user --scope pairmux"},
		{"service, unknown mode", surroundings{init: "systemd", systemd: true, cgroup: "/system.slice/ci-runner.service"}, false, "ci-runner.service", "systemd-run"},
		{"service that leaves it", surroundings{init: "systemd", systemd: true, killMode: "process", cgroup: "/system.slice/ssh.service"}, true, "KillMode=process", ""},
		{"desktop", surroundings{init: "systemd", systemd: true, cgroup: "/user.slice/user-1000.slice/user@1000.service/app.slice/term.scope"}, true, "last logout", "enable-linger"},
		{"desktop that lingers", surroundings{init: "systemd", systemd: true, linger: true, cgroup: "/user.slice/user-1000.slice/user@1000.service/app.slice/term.scope"}, true, "term.scope", ""},
		{"service of the user's", surroundings{init: "systemd", systemd: true, linger: true, cgroup: "/user.slice/user-1000.slice/user@1000.service/app.slice/agent.service"}, false, "agent.service", "systemd-run"},
	} {
		got := judgeLifetime(c.s)
		if got.OK != c.ok || !strings.Contains(got.Detail, c.detail) || !strings.Contains(got.Fix, c.fix) || !got.OK && got.Fix == "" {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}

func TestControlGroupIsReadInBothHierarchies(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cgroup")
	for text, want := range map[string]string{
		"0::/user.slice/session-1.scope\n":                                  "/user.slice/session-1.scope",
		"5:devices:/x\n1:name=systemd:/system.slice/a.service\n0::/other\n": "/system.slice/a.service",
		"0::/other\n1:name=systemd:/system.slice/a.service\n":               "/system.slice/a.service",
		"9:name=systemd:/\n0::/\n":                                          "",
		"":                                                                  "",
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := controlGroup(file); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := controlGroup(file + ".none"); got != "" {
		t.Errorf("%q", got)
	}
}

func TestSizesAreToldForPeople(t *testing.T) {
	for n, want := range map[int64]string{0: "0 B", 1023: "1023 B", 1024: "1.0 KiB", 3 << 19: "1.5 MiB", 5 << 30: "5.0 GiB"} {
		if got := bytesOf(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}
