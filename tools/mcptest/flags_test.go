package mcptest

import (
	"slices"
	"strings"
	"testing"

	"github.com/pairmux/pairmux/envelope"
	"github.com/pairmux/pairmux/mcpserver"
)

// TestArgumentsMatchTheCommandLine compares the table of tools with what the
// binary says of itself: each argument's flag is one of its command's, takes a
// value exactly when the argument has one, and repeats when it is a list.
func TestArgumentsMatchTheCommandLine(t *testing.T) {
	commands := newWorld(t).cli().Commands
	for _, tool := range mcpserver.Tools() {
		for _, a := range tool.Arguments {
			if a.Flag == "" {
				continue
			}
			name := tool.Command
			if a.Command != "" {
				name = a.Command
			}
			f := flagOf(commands, name, a.Flag)
			if f == nil {
				t.Errorf("%s: %s stands for %s %s, which is no flag", tool.Name, a.Name, name, a.Flag)
				continue
			}
			// The text of send reaches the command by a switch, on standard input.
			takesValue := a.Kind != mcpserver.KindBoolean && a.Flag != "--stdin"
			if (f.Value != "") != takesValue {
				t.Errorf("%s: %s is of kind %s, but %s %s has the value %q", tool.Name, a.Name, a.Kind, name, a.Flag, f.Value)
			}
			if list := a.Kind == mcpserver.KindStrings; list != f.Repeats {
				t.Errorf("%s: %s is of kind %s, but that %s %s repeats is %v", tool.Name, a.Name, a.Kind, name, a.Flag, f.Repeats)
			}
		}
		if !slices.ContainsFunc(commands, func(c envelope.Command) bool { return c.Name == tool.Command }) {
			t.Errorf("%s runs %q, which is no command", tool.Name, tool.Command)
		}
	}
}

// TestFlagsHaveArguments is the other direction: what an agent can say on the
// command line it can say by MCP, but for what is listed here.
func TestFlagsHaveArguments(t *testing.T) {
	unneeded := map[string]string{
		"new --max-journal": "housekeeping of the machine's owner",
		"run --exit-status": "a tool has no exit status; exit_code is in the reply",
		"send --text":       "text goes by --stdin",
		"log --raw":         "bytes are no JSON",
		"log --prev":        "an archive; the terminal in use is the new one",
	}
	global := []string{"--json", "--socket", "--state-dir", "--help", "--version"}
	commands := newWorld(t).cli().Commands
	for _, tool := range mcpserver.Tools() {
		run := []string{tool.Command}
		flags := map[string]bool{}
		for _, a := range tool.Arguments {
			name := tool.Command
			if a.Command != "" {
				name = a.Command
				run = append(run, name)
			}
			flags[name+" "+a.Flag] = true
			if a.Name == "tail" {
				flags["history --tail"] = true
			}
		}
		for _, c := range commands {
			if !slices.Contains(run, c.Name) {
				continue
			}
			for _, f := range c.Flags {
				key := c.Name + " " + f.Name
				if !flags[key] && !slices.Contains(global, f.Name) && unneeded[key] == "" {
					t.Errorf("%s cannot be said by %s", key, tool.Name)
				}
			}
		}
	}
}

// TestHiddenAndHumanCommandsAreNoTools: what changes the machine or needs a
// terminal of its own is not offered.
func TestHiddenAndHumanCommandsAreNoTools(t *testing.T) {
	for _, tool := range mcpserver.Tools() {
		for _, c := range []string{"skill", "prune", "attach", "watch", "mcp"} {
			if tool.Command == c || strings.HasSuffix(tool.Name, "_"+c) {
				t.Errorf("%s runs %s", tool.Name, tool.Command)
			}
		}
	}
}

func flagOf(commands []envelope.Command, command, flag string) *envelope.Flag {
	for _, c := range commands {
		if c.Name != command {
			continue
		}
		for i := range c.Flags {
			if c.Flags[i].Name == flag {
				return &c.Flags[i]
			}
		}
	}
	return nil
}
