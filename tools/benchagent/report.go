package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/pairmux/pairmux/skillpack"
)

// report is the JSON form.
type report struct {
	Once  once      `json:"once_a_session"`
	Tasks []figures `json:"tasks"`
}

// once is what is read one time, in bytes: the names, descriptions and input
// schemas of the tools, or the skill's SKILL.md.
type once struct {
	Tools int `json:"mcp_tools"`
	Skill int `json:"skill"`
}

// figures are those of one task. TmuxLeast has one look for each thing waited for.
type figures struct {
	Name        string `json:"name"`
	CommandLine cost   `json:"pairmux_cli"`
	MCP         cost   `json:"pairmux_mcp"`
	Tmux        cost   `json:"tmux"`
	TmuxLeast   cost   `json:"tmux_least"`
}

func (r report) table() string {
	var b strings.Builder
	b.WriteString("| task | pairmux --json | pairmux MCP | tmux, polled | tmux, least |\n|---|---:|---:|---:|---:|\n")
	var sum figures
	cell := func(c cost) string { return fmt.Sprintf("%d / %s", c.Calls, thousands(c.Bytes)) }
	row := func(f figures) {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", f.Name, cell(f.CommandLine), cell(f.MCP), cell(f.Tmux), cell(f.TmuxLeast))
	}
	for _, f := range r.Tasks {
		row(f)
		for _, x := range []struct{ to, c *cost }{
			{&sum.CommandLine, &f.CommandLine}, {&sum.MCP, &f.MCP}, {&sum.Tmux, &f.Tmux}, {&sum.TmuxLeast, &f.TmuxLeast},
		} {
			x.to.Calls += x.c.Calls
			x.to.Bytes += x.c.Bytes
		}
	}
	sum.Name = "**all**"
	row(sum)
	fmt.Fprintf(&b, "\nRead once a session: the ten MCP tools %s bytes, or the skill's first page %s bytes.\n",
		thousands(r.Once.Tools), thousands(r.Once.Skill))
	return b.String()
}

func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}

// The marks in a page between which the table stands.
const (
	begin = "<!-- begin: make bench-agent -->\n"
	end   = "<!-- end -->\n"
)

func writeInto(page, table string) error {
	text, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	before, rest, ok := bytes.Cut(text, []byte(begin))
	_, after, ok2 := bytes.Cut(rest, []byte(end))
	if !ok || !ok2 {
		return fmt.Errorf("%s has no place for the table: %s", page, strings.TrimSpace(begin))
	}
	return os.WriteFile(page, bytes.Join([][]byte{before, []byte(begin + table + end), after}, nil), 0o644)
}

// list is the size of what hosts give to a model of tools/list: they keep the
// output schema and the hints to themselves.
func (a *agent) list() (int, error) {
	result, err := a.ask("tools/list", args{})
	if err != nil {
		return 0, err
	}
	var l struct {
		Tools []struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			InputSchema json.RawMessage `json:"inputSchema"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(result, &l); err != nil {
		return 0, err
	}
	b, err := json.Marshal(l.Tools)
	return len(b), err
}

func skillBytes() int {
	b, err := fs.ReadFile(skillpack.Files(), "SKILL.md")
	if err != nil {
		panic(err) // it is embedded
	}
	return len(b)
}
