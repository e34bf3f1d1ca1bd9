package skillpack_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pairmux/pairmux/skillpack"
)

func noEnv(string) string { return "" }

func install(t *testing.T, o skillpack.Options) []skillpack.Result {
	t.Helper()
	if o.Env == nil {
		o.Env = noEnv
	}
	results, err := skillpack.Install(o)
	if err != nil {
		t.Fatal(err)
	}
	return results
}

// tree maps each path under dir to its content; a directory's is "dir".
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	m := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		if e.IsDir() {
			m[rel] = "dir"
			return nil
		}
		b, err := os.ReadFile(path)
		m[rel] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// complete checks that dir holds the skill and, beside it, only what others names.
func complete(t *testing.T, dir string, others ...string) {
	t.Helper()
	have := tree(t, dir)
	delete(have, ".")
	delete(have, "references")
	for _, name := range files(t) {
		if have[name] != read(t, name) {
			t.Errorf("%s in %s is not the skill's", name, dir)
		}
		delete(have, name)
	}
	for name := range have {
		if !slices.Contains(others, name) {
			t.Errorf("left behind: %s", name)
		}
	}
}

func TestPlaces(t *testing.T) {
	env := map[string]string{}
	get := func(k string) string { return env[k] }
	want := map[string]string{
		"claude-code": "/h/.claude/skills/pairmux", "codex": "/h/.codex/skills/pairmux",
		"gemini": "/h/.gemini/skills/pairmux", "cursor": "/h/.cursor/skills/pairmux",
		"opencode": "/h/.config/opencode/skills/pairmux", "copilot": "/h/.copilot/skills/pairmux",
		"windsurf": "/h/.codeium/windsurf/skills/pairmux", "kiro": "/h/.kiro/skills/pairmux",
		"amp": "/h/.config/amp/skills/pairmux", "agents": "/h/.agents/skills/pairmux",
	}
	check := func() {
		t.Helper()
		n := 0
		for _, target := range skillpack.Targets() {
			n++
			if got := target.Dir("/h", get); got != want[target.Name] {
				t.Errorf("%s: %s, want %s", target.Name, got, want[target.Name])
			}
		}
		if n != len(want) {
			t.Errorf("%d targets, want %d", n, len(want))
		}
	}
	check()
	env = map[string]string{"CLAUDE_CONFIG_DIR": "rel", "CODEX_HOME": "./c", "XDG_CONFIG_HOME": "x"}
	check() // relative ones are ignored
	env = map[string]string{"CLAUDE_CONFIG_DIR": "/c", "CODEX_HOME": "/x/", "XDG_CONFIG_HOME": "/cfg"}
	want["claude-code"], want["codex"] = "/c/skills/pairmux", "/x/skills/pairmux"
	want["opencode"], want["amp"] = "/cfg/opencode/skills/pairmux", "/cfg/amp/skills/pairmux"
	check()
}

func TestAllOnlyWhereTheAgentIs(t *testing.T) {
	home := t.TempDir()
	for _, dir := range []string{".claude", ".config/amp"} {
		if err := os.MkdirAll(filepath.Join(home, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(home, ".kiro"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, target := range []string{"", skillpack.All} {
		results := install(t, skillpack.Options{Home: home, Target: target})
		if len(results) != len(skillpack.Targets()) {
			t.Fatalf("%d results, want one a target", len(results))
		}
		for _, r := range results {
			switch r.Target {
			case "claude-code", "amp":
				if r.Action == skillpack.Skipped {
					t.Errorf("%s skipped: %s", r.Target, r.Why)
				}
				complete(t, r.Path)
			default:
				if r.Action != skillpack.Skipped || r.Why == "" {
					t.Errorf("%s: %s %q, want skipped and why", r.Target, r.Action, r.Why)
				}
				if _, err := os.Stat(r.Path); err == nil {
					t.Errorf("%s was made", r.Path)
				}
			}
		}
	}
}

func TestSecondTimeUnchanged(t *testing.T) {
	home := t.TempDir()
	first := install(t, skillpack.Options{Home: home, Target: "kiro"})
	if len(first) != 1 || first[0].Action != skillpack.Written {
		t.Fatalf("first: %v", first)
	}
	complete(t, first[0].Path)
	name := filepath.Join(first[0].Path, "SKILL.md")
	before, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	second := install(t, skillpack.Options{Home: home, Target: "kiro"})
	if second[0].Action != skillpack.Unchanged {
		t.Errorf("second: %v", second)
	}
	after, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	if !os.SameFile(before, after) {
		t.Error("an unchanged file was replaced")
	}
	if before.Mode().Perm() != 0o644 {
		t.Errorf("mode %v, want 0644", before.Mode())
	}
}

func TestUpgradeKeepsForeignFiles(t *testing.T) {
	home := t.TempDir()
	dir := install(t, skillpack.Options{Home: home, Target: "codex"})[0].Path
	for name, text := range map[string]string{"SKILL.md": "old", "references/mine.md": "mine", "notes": "mine too"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(filepath.Join(dir, "references/commands.md")); err != nil {
		t.Fatal(err)
	}
	if r := install(t, skillpack.Options{Home: home, Target: "codex"}); r[0].Action != skillpack.Written {
		t.Fatalf("%v", r)
	}
	complete(t, dir, "references/mine.md", "notes")
	for name, want := range map[string]string{"references/mine.md": "mine", "notes": "mine too"} {
		if b, _ := os.ReadFile(filepath.Join(dir, name)); string(b) != want {
			t.Errorf("%s is %q", name, b)
		}
	}
}

func TestDryRunWritesNothing(t *testing.T) {
	home := t.TempDir()
	install(t, skillpack.Options{Home: home, Target: "cursor"})
	if err := os.WriteFile(filepath.Join(home, ".cursor/skills/pairmux/SKILL.md"), []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(home, ".codex"), 0o755); err != nil {
		t.Fatal(err)
	}
	before := tree(t, home)
	would := map[string]skillpack.Action{}
	for _, r := range install(t, skillpack.Options{Home: home, DryRun: true}) {
		would[r.Target] = r.Action
	}
	if would["cursor"] != skillpack.WouldWrite || would["codex"] != skillpack.WouldWrite || would["amp"] != skillpack.Skipped {
		t.Errorf("dry run says %v", would)
	}
	if r := install(t, skillpack.Options{Home: home, Target: "amp", DryRun: true}); r[0].Action != skillpack.WouldWrite {
		t.Errorf("dry run of a named target says %v", r)
	}
	after := tree(t, home)
	if len(before) != len(after) {
		t.Errorf("%d files before, %d after", len(before), len(after))
	}
	for name, text := range before {
		if after[name] != text {
			t.Errorf("%s changed", name)
		}
	}
}

func TestLinksToDirectoriesAreFollowed(t *testing.T) {
	home, dotfiles := t.TempDir(), t.TempDir()
	if err := os.Symlink(dotfiles, filepath.Join(home, ".claude")); err != nil {
		t.Fatal(err)
	}
	r := install(t, skillpack.Options{Home: home, Target: "all"})
	if r[0].Action != skillpack.Written {
		t.Fatalf("%v", r[0])
	}
	complete(t, filepath.Join(dotfiles, "skills", "pairmux"))
	if info, err := os.Lstat(filepath.Join(home, ".claude")); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Error("the link is gone")
	}
}

func TestLinkedFileIsReplacedNotWrittenThrough(t *testing.T) {
	home := t.TempDir()
	elsewhere := filepath.Join(home, "elsewhere")
	if err := os.WriteFile(elsewhere, []byte("precious"), 0o644); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(home, ".agents/skills/pairmux")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, filepath.Join(dir, "SKILL.md")); err != nil {
		t.Fatal(err)
	}
	install(t, skillpack.Options{Home: home, Target: "agents"})
	complete(t, dir)
	if b, _ := os.ReadFile(elsewhere); string(b) != "precious" {
		t.Errorf("wrote through the link: %q", b)
	}
}

// TestUnwritableIsReported puts a file where a directory has to be, because
// permissions do not stop a test that runs as root.
func TestUnwritableIsReported(t *testing.T) {
	home := t.TempDir()
	for _, dir := range []string{".claude", ".codex", ".gemini/skills/pairmux/SKILL.md"} {
		if err := os.MkdirAll(filepath.Join(home, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(home, ".claude", "skills"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, dry := range []bool{true, false} {
		got := map[string]skillpack.Result{}
		for _, r := range install(t, skillpack.Options{Home: home, DryRun: dry}) {
			got[r.Target] = r
		}
		if r := got["claude-code"]; r.Action != skillpack.Skipped || !strings.Contains(r.Why, "not a directory") {
			t.Errorf("dry %v: %v", dry, r)
		}
		if r := got["gemini"]; r.Action != skillpack.Skipped || !strings.Contains(r.Why, "is a directory") {
			t.Errorf("dry %v: %v", dry, r)
		}
		if r := got["codex"]; r.Action == skillpack.Skipped {
			t.Errorf("dry %v: one bad directory stops the others: %v", dry, r)
		}
	}
	results, err := skillpack.Install(skillpack.Options{Home: home, Target: "claude-code", Env: noEnv})
	var path *fs.PathError
	if !errors.As(err, &path) {
		t.Errorf("a named target that cannot be written: error %v", err)
	}
	if len(results) != 1 || results[0].Action != skillpack.Skipped {
		t.Errorf("results %v", results)
	}
}

// TestLooksBeforeItWrites puts a directory where SKILL.md has to be: the update cannot
// be completed, so it is not begun.
func TestLooksBeforeItWrites(t *testing.T) {
	home := t.TempDir()
	dir := install(t, skillpack.Options{Home: home, Target: "amp"})[0].Path
	for _, name := range files(t) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("old"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(filepath.Join(dir, "SKILL.md")); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "SKILL.md", "x"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := skillpack.Install(skillpack.Options{Home: home, Target: "amp", Env: noEnv}); err == nil {
		t.Fatal("no error")
	}
	for name, text := range tree(t, dir) {
		if text != "dir" && text != "old" {
			t.Errorf("%s was written although the update could not be completed", name)
		}
	}
}

// TestNeverHalfAFile reads the skill over and over while it is being replaced.
func TestNeverHalfAFile(t *testing.T) {
	home := t.TempDir()
	dir := install(t, skillpack.Options{Home: home, Target: "kiro"})[0].Path
	path := filepath.Join(dir, "SKILL.md")
	whole, stop := read(t, "SKILL.md"), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			if b, err := os.ReadFile(path); err != nil || string(b) != whole && string(b) != "old" {
				t.Errorf("read %d bytes of %d, error %v", len(b), len(whole), err)
				return
			}
		}
	})
	for range 50 {
		old := filepath.Join(home, "old")
		if err := os.WriteFile(old, []byte("old"), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(old, path); err != nil {
			t.Fatal(err)
		}
		install(t, skillpack.Options{Home: home, Target: "kiro"})
	}
	close(stop)
	wg.Wait()
}

func TestSkillFileComesLast(t *testing.T) {
	home := t.TempDir()
	dir := filepath.Join(home, ".kiro/skills/pairmux")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	// A link to nothing looks like a free place until the directory is to be made.
	if err := os.Symlink(filepath.Join(home, "nowhere"), filepath.Join(dir, "references")); err != nil {
		t.Fatal(err)
	}
	if _, err := skillpack.Install(skillpack.Options{Home: home, Target: "kiro", Env: noEnv}); err == nil {
		t.Fatal("no error")
	}
	if _, err := os.Stat(filepath.Join(dir, "SKILL.md")); err == nil {
		t.Error("SKILL.md is there without its references")
	}
}

func TestManyAtOnce(t *testing.T) {
	home := t.TempDir()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if _, err := skillpack.Install(skillpack.Options{Home: home, Target: "codex", Env: noEnv}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	complete(t, filepath.Join(home, ".codex/skills/pairmux"))
}

func TestWrongOptions(t *testing.T) {
	_, err := skillpack.Install(skillpack.Options{Home: t.TempDir(), Target: "emacs", Env: noEnv})
	if !errors.Is(err, skillpack.ErrTarget) {
		t.Fatalf("error %v", err)
	}
	for _, target := range skillpack.Targets() {
		if !strings.Contains(err.Error(), target.Name) {
			t.Errorf("%q does not name %s", err, target.Name)
		}
	}
	for _, home := range []string{"", "relative"} {
		if _, err := skillpack.Install(skillpack.Options{Home: home, Env: noEnv}); !errors.Is(err, skillpack.ErrHome) {
			t.Errorf("home %q: error %v", home, err)
		}
	}
}
