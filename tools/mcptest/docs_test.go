package mcptest

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pairmux/pairmux/mcpserver"
	"github.com/pairmux/pairmux/skillpack"
)

// generated compares the part of a page between its two marks with what the code
// says; with -update it is rewritten.
func generated(t *testing.T, page, mark, want string) {
	t.Helper()
	path := root("docs", page)
	text := read(t, path)
	begin, end := "<!-- begin: "+mark+" -->\n", "<!-- end -->\n"
	before, rest, ok := strings.Cut(text, begin)
	got, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("docs/%s has no place for %s", page, mark)
	}
	if got == want {
		return
	}
	if !*update {
		t.Errorf("docs/%s is not what the code says (-update rewrites it); got\n%s\nwant\n%s", page, got, want)
		return
	}
	if err := os.WriteFile(path, []byte(before+begin+want+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestToolsTable(t *testing.T) {
	var b strings.Builder
	b.WriteString("| tool | does | arguments | hints |\n|---|---|---|---|\n")
	for _, tool := range mcpserver.Tools() {
		var arguments []string
		for _, a := range tool.Arguments {
			s := "`" + a.Name + "`"
			if a.Required {
				s = "**" + s + "**"
			}
			switch a.Kind {
			case mcpserver.KindString, mcpserver.KindText, mcpserver.KindBoolean:
			case mcpserver.KindStrings:
				s += " list"
			default:
				s += " " + string(a.Kind)
			}
			if a.Default != "" {
				s += " (" + a.Default + ")"
			}
			arguments = append(arguments, s)
		}
		var hints []string
		for _, h := range []struct {
			is   bool
			name string
		}{{tool.ReadOnly, "read-only"}, {tool.Destructive, "destructive"}, {tool.Idempotent, "idempotent"}, {tool.OpenWorld, "open world"}} {
			if h.is {
				hints = append(hints, h.name)
			}
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", tool.Name, tool.Title, strings.Join(arguments, ", "), strings.Join(hints, ", "))
	}
	generated(t, "mcp.md", "tools", b.String())
}

func TestTargetsTable(t *testing.T) {
	var b strings.Builder
	b.WriteString("| target | directory | moved by |\n|---|---|---|\n")
	for _, target := range skillpack.Targets() {
		var asked []string
		dir := target.Dir("~", func(name string) string {
			if !slices.Contains(asked, name) {
				asked = append(asked, name)
			}
			return ""
		})
		moved := ""
		if len(asked) > 0 {
			moved = "`$" + strings.Join(asked, "`, `$") + "`"
		}
		fmt.Fprintf(&b, "| `%s` | `%s` | %s |\n", target.Name, dir, moved)
	}
	generated(t, "skill.md", "targets", b.String())
}

// blocks are the fenced blocks of a page, with their kind in front.
func blocks(page string) []string {
	var list []string
	for i, b := range strings.Split("\n"+page, "\n```") {
		if i%2 == 1 {
			list = append(list, b)
		}
	}
	return list
}

// TestClientConfigurations: the page and the module say the same, and what is
// JSON can be read.
func TestClientConfigurations(t *testing.T) {
	page := blocks(read(t, root("docs", "mcp.md")))
	module := blocks(read(t, root("mcpserver", "CLIENTS.md")))
	if len(module) < 6 {
		t.Fatalf("only %d blocks in CLIENTS.md", len(module))
	}
	for _, b := range module {
		if !slices.Contains(page, b) {
			t.Errorf("docs/mcp.md does not have\n%s", b)
		}
	}
	for _, b := range page {
		if text, ok := strings.CutPrefix(b, "json\n"); ok && !json.Valid([]byte(text)) {
			t.Errorf("not JSON: %s", text)
		}
		if !strings.Contains(b, "mcp") {
			t.Errorf("a block that is no configuration: %s", b)
		}
	}
}

// TestSkillPageNamesEveryFile: the list of files in docs/skill.md is complete.
func TestSkillPageNamesEveryFile(t *testing.T) {
	page := read(t, root("docs", "skill.md"))
	err := fs.WalkDir(skillpack.Files(), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !strings.Contains(page, "| `"+path+"` |") {
			t.Errorf("docs/skill.md does not list %s", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
