package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestTable(t *testing.T) {
	r := report{Once: once{Tools: 9047, Skill: 12}, Tasks: []figures{
		{"one", cost{1, 10}, cost{2, 20}, cost{300, 1234567}, cost{4, 999}},
		{"two", cost{1, 1}, cost{1, 1}, cost{1, 1}, cost{1, 1}},
	}}
	const want = `| task | pairmux --json | pairmux MCP | tmux, polled | tmux, least |
|---|---:|---:|---:|---:|
| one | 1 / 10 | 2 / 20 | 300 / 1,234,567 | 4 / 999 |
| two | 1 / 1 | 1 / 1 | 1 / 1 | 1 / 1 |
| **all** | 2 / 11 | 3 / 21 | 301 / 1,234,568 | 5 / 1,000 |

Read once a session: the ten MCP tools 9,047 bytes, or the skill's first page 12 bytes.
`
	if got := r.table(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestWriteInto(t *testing.T) {
	page := filepath.Join(t.TempDir(), "page.md")
	if err := os.WriteFile(page, []byte("# A\n\n"+begin+"old\n"+end+"\nrest\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := writeInto(page, "new\n"); err != nil {
			t.Fatal(err)
		}
		got, _ := os.ReadFile(page)
		if want := "# A\n\n" + begin + "new\n" + end + "\nrest\n"; string(got) != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if err := os.WriteFile(page, []byte("no marks"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := writeInto(page, "new\n"); err == nil {
		t.Error("a page without marks was accepted")
	}
}

// TestPageHasItsPlace: the page in docs takes the table.
func TestPageHasItsPlace(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("..", "..", "docs", "agent-economy.md"))
	if err != nil {
		t.Fatal(err)
	}
	page := filepath.Join(t.TempDir(), "page.md")
	if err := os.WriteFile(page, b, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := writeInto(page, "table\n"); err != nil {
		t.Error(err)
	}
}
