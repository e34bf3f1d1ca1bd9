package mcptest

import (
	"bytes"
	"errors"
	"io/fs"
	"os/exec"
	"strings"
	"testing"

	"github.com/pairmux/pairmux/envelope"
	"github.com/pairmux/pairmux/skillpack"
)

// TestSkillCommandLines runs every command line of the skill's sh blocks, in the
// order of the file, on an empty state directory: each by a shell as an agent
// would, and each must succeed and end as the skill says that it does.
func TestSkillCommandLines(t *testing.T) {
	// How a line ends where it is not obvious from its command. Without an entry:
	// run and wait --done end as done, the others in any status but error.
	documented := map[string]envelope.Status{
		`pairmux run slow "sleep 2; echo built" --timeout 500ms`:                                     envelope.StatusRunning,
		`pairmux run slow "sleep 60" --timeout 500ms`:                                                envelope.StatusRunning,
		`pairmux run work "sleep 1" --timeout 200ms`:                                                 envelope.StatusRunning,
		`pairmux run work "sleep 1; echo server up" --timeout 100ms`:                                 envelope.StatusRunning,
		`pairmux run tests "sleep 1; echo 12 passed" --timeout 100ms`:                                envelope.StatusRunning,
		`pairmux wait work --idle 300 --timeout 20s`:                                                 envelope.StatusIdle,
		`pairmux run inner "sh" --timeout 2s`:                                                        envelope.StatusAwaitingInput,
		`pairmux send ask --text y --enter --wait done`:                                              envelope.StatusDone,
		`pairmux send pad --text "hello" --enter --wait idle --timeout 2s`:                           envelope.StatusAwaitingInput,
		`pairmux wait deploy --human --notify --timeout 5m`:                                          envelope.StatusHumanDone,
		`pairmux wait deploy --note --timeout 5s`:                                                    envelope.StatusHumanDone,
		`pairmux send menu --text 2 --enter --wait done --timeout 10s`:                               envelope.StatusDone,
		`pairmux run ask 'printf "Go on? [y/N] "; read -r answer; echo "got $answer"' --timeout 10s`: envelope.StatusAwaitingInput,
	}
	used := map[string]bool{}
	skill := skillpack.Files()
	err := fs.WalkDir(skill, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".md") {
			return err
		}
		text, err := fs.ReadFile(skill, path)
		if err != nil {
			return err
		}
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			for _, line := range shellLines(string(text)) {
				out := w.shell(line)
				if strings.HasPrefix(line, "pairmux help") {
					continue
				}
				r := replyOf(t, out)
				want, listed := documented[line]
				switch {
				case !r.OK:
					t.Errorf("%s\n%s", line, r.raw)
				case listed && r.Status != want:
					t.Errorf("%s: status %s, want %s\n%s", line, r.Status, want, r.raw)
				case !listed && (strings.HasPrefix(line, "pairmux run") || strings.Contains(line, " --done")) && r.Status != envelope.StatusDone:
					t.Errorf("%s: status %s\n%s", line, r.Status, r.raw)
				case !listed && strings.Contains(line, "--pattern") && r.Status != envelope.StatusPatternFound:
					t.Errorf("%s: status %s\n%s", line, r.Status, r.raw)
				case r.Status == envelope.StatusTimeout:
					t.Errorf("%s: timeout\n%s", line, r.raw)
				}
			}
		})
		for _, line := range shellLines(string(text)) {
			used[line] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for line := range documented {
		if !used[line] {
			t.Errorf("not in the skill: %s", line)
		}
	}
}

// shellLines are the lines of a page's sh blocks.
func shellLines(page string) []string {
	var lines []string
	for i, block := range strings.Split(page, "\n```") {
		if code, ok := strings.CutPrefix(block, "sh\n"); ok && i%2 == 1 {
			lines = append(lines, strings.Split(code, "\n")...)
		}
	}
	return lines
}

// shell runs one line as an agent's shell tool would, with --json; its exit
// status must be 0.
func (w *world) shell(line string) []byte {
	w.t.Helper()
	cmd := w.command("sh", "-c", `pairmux() { command pairmux --json "$@"; }; `+line)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		w.t.Fatal(err)
	}
	if err != nil || stderr.Len() > 0 {
		w.t.Errorf("%s: %v\n%s%s", line, err, out, stderr.String())
	}
	return out
}
