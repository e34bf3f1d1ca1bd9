package docscheck

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

type flagLine struct{ Name, Value, Default string }

// listed is what `pairmux --json` says: the flags of each command, without
// those that every command has.
func listed(t *testing.T) (commands map[string][]flagLine, global []flagLine) {
	t.Helper()
	out, err := exec.Command(binary, "--json").Output()
	if err != nil {
		t.Fatal(err)
	}
	var reply struct {
		Commands []struct {
			Name  string
			Flags []flagLine
		}
	}
	if err := json.Unmarshal(out, &reply); err != nil {
		t.Fatal(err)
	}
	seen := map[flagLine]int{}
	for _, c := range reply.Commands {
		for _, f := range c.Flags {
			seen[f]++
		}
	}
	commands = map[string][]flagLine{}
	for _, c := range reply.Commands {
		commands[c.Name] = nil
		for _, f := range c.Flags {
			if seen[f] == len(reply.Commands) {
				if !slices.Contains(global, f) {
					global = append(global, f)
				}
			} else {
				commands[c.Name] = append(commands[c.Name], f)
			}
		}
	}
	if len(commands) == 0 || len(global) == 0 {
		t.Fatalf("pairmux --json lists %d commands and %d flags that all have", len(commands), len(global))
	}
	return commands, global
}

var flagRow = regexp.MustCompile("^\\| `(--[a-z-]+)( [^`]+)?` \\| (?:`([^`]*)`)?[^|]*\\|")

// documented reads docs/cli.md: the rows of the flag tables, by section.
func documented(t *testing.T) map[string][]flagLine {
	t.Helper()
	data, err := os.ReadFile("../../docs/cli.md")
	if err != nil {
		t.Fatal(err)
	}
	sections := map[string][]flagLine{}
	section := ""
	for _, l := range strings.Split(string(data), "\n") {
		if title, ok := strings.CutPrefix(l, "## "); ok {
			section = strings.Trim(title, "`")
			sections[section] = nil
		} else if m := flagRow.FindStringSubmatch(l); m != nil {
			sections[section] = append(sections[section], flagLine{m[1], strings.TrimSpace(m[2]), m[3]})
		}
	}
	return sections
}

// TestFlags compares the commands and flags of the binary with docs/cli.md:
// each is in both, with the same value and default.
func TestFlags(t *testing.T) {
	commands, global := listed(t)
	docs := documented(t)
	compare := func(section string, binary []flagLine) {
		for _, f := range binary {
			if !slices.Contains(docs[section], f) {
				t.Errorf("%s: the binary has %+v, the page has %+v", section, f, docs[section])
			}
		}
		for _, f := range docs[section] {
			if !slices.Contains(binary, f) {
				t.Errorf("%s: the page has %+v, and the binary does not", section, f)
			}
		}
	}
	compare("Flags of every command", global)
	for name, flags := range commands {
		if _, ok := docs[name]; !ok {
			t.Errorf("no section about %s", name)
			continue
		}
		compare(name, flags)
	}
	for section, flags := range docs {
		if _, ok := commands[section]; !ok && len(flags) > 0 && section != "Flags of every command" {
			t.Errorf("the section %q has flags, and is no command", section)
		}
	}
}

// TestVocabulary: each status, error code, kind and piece of evidence that a
// reply can have is explained.
func TestVocabulary(t *testing.T) {
	data, err := os.ReadFile("../../envelope/schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema any
	if err := json.Unmarshal(data, &schema); err != nil {
		t.Fatal(err)
	}
	words := enums(schema)
	if len(words) < 30 {
		t.Fatalf("only %d words in the schema: %v", len(words), words)
	}
	var text string
	for _, p := range pages(t) {
		page, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		text += string(page)
	}
	for _, w := range words {
		if !strings.Contains(text, "`"+w+"`") {
			t.Errorf("`%s` is explained on no page", w)
		}
	}
}

func enums(v any) (words []string) {
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			if list, ok := e.([]any); ok && k == "enum" {
				for _, w := range list {
					if s, ok := w.(string); ok {
						words = append(words, s)
					}
				}
			}
			words = append(words, enums(e)...)
		}
	case []any:
		for _, e := range v {
			words = append(words, enums(e)...)
		}
	}
	return words
}

var link = regexp.MustCompile(`\]\(([^)#\s]+)(#[^)]*)?\)`)

// TestLinks: each link to a file of the repository leads somewhere.
func TestLinks(t *testing.T) {
	for _, p := range pages(t) {
		data, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(string(data), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(p), m[1])); err != nil {
				t.Errorf("%s: the link to %s leads nowhere", filepath.Base(p), m[1])
			}
		}
	}
}
