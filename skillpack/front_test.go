package skillpack_test

import (
	"io/fs"
	"regexp"
	"strings"
	"testing"

	"github.com/pairmux/pairmux/skillpack"
)

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := fs.ReadFile(skillpack.Files(), name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// files are the names of all files of the skill.
func files(t *testing.T) []string {
	t.Helper()
	var names []string
	err := fs.WalkDir(skillpack.Files(), ".", func(name string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// TestFrontMatter holds the rules of agentskills.io, and that the block is YAML
// whatever the reader: each line is a key and a plain scalar, without what would need
// quotes.
func TestFrontMatter(t *testing.T) {
	text := read(t, "SKILL.md")
	rest, ok := strings.CutPrefix(text, "---\n")
	if !ok {
		t.Fatal("SKILL.md does not begin with front matter")
	}
	block, body, ok := strings.Cut(rest, "\n---\n")
	if !ok {
		t.Fatal("front matter does not end")
	}
	fields := map[string]string{}
	for _, line := range strings.Split(block, "\n") {
		key, value, ok := strings.Cut(line, ": ")
		if !ok || !regexp.MustCompile(`^[a-z-]+$`).MatchString(key) {
			t.Errorf("not a key and a value: %q", line)
		}
		if strings.Contains(value, ": ") || strings.Contains(value, " #") || !regexp.MustCompile(`^[A-Za-z]`).MatchString(value) {
			t.Errorf("needs quotes in YAML: %q", value)
		}
		if _, twice := fields[key]; twice {
			t.Errorf("%s stands twice", key)
		}
		fields[key] = value
	}
	if fields["name"] != skillpack.Name {
		t.Errorf("name is %q, the directory is called %q", fields["name"], skillpack.Name)
	}
	if n := len(fields["description"]); n < 100 || n > 1024 {
		t.Errorf("description is %d bytes long, want 100 to 1024", n)
	}
	if !strings.Contains(fields["description"], "Use it ") {
		t.Error("description does not say when to use the skill")
	}
	if n := len(fields["compatibility"]); n > 500 {
		t.Errorf("compatibility is %d bytes long, want at most 500", n)
	}
	if !strings.Contains(body, "\n## When not to use it\n") {
		t.Error("SKILL.md does not say when not to use pairmux")
	}
}

func TestSkillIsShort(t *testing.T) {
	if n := strings.Count(read(t, "SKILL.md"), "\n"); n >= 180 {
		t.Errorf("SKILL.md has %d lines, want under 180", n)
	}
	for _, name := range files(t) {
		if n := strings.Count(read(t, name), "\n"); n >= 200 {
			t.Errorf("%s has %d lines: an agent reads it whole", name, n)
		}
	}
}

func TestReferencesAreThereAndNamed(t *testing.T) {
	skill := read(t, "SKILL.md")
	want := map[string]bool{
		"references/commands.md": true, "references/interactive-programs.md": true,
		"references/collaboration.md": true, "references/troubleshooting.md": true,
	}
	for _, name := range files(t) {
		if name == "SKILL.md" {
			continue
		}
		if !want[name] {
			t.Errorf("%s is there and nobody asked for it", name)
		}
		delete(want, name)
		if !strings.Contains(skill, "`"+name+"`") {
			t.Errorf("SKILL.md does not name %s", name)
		}
	}
	for name := range want {
		t.Errorf("%s is missing", name)
	}
	for _, m := range regexp.MustCompile("`(references/[^`]*)`").FindAllStringSubmatch(skill, -1) {
		if _, err := fs.Stat(skillpack.Files(), m[1]); err != nil {
			t.Error(err)
		}
	}
}
