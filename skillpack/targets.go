package skillpack

import (
	"path/filepath"
	"strings"
)

// All stands for every target whose agent is there.
const All = "all"

// Target is one agent that reads skills from a directory of its own.
type Target struct {
	Name string
	// Agent returns the agent's configuration directory; that it exists is taken as
	// a sign that the agent is used.
	Agent func(home string, env func(string) string) string
	// Dir returns the directory that the skill is installed as. It lies in Agent's,
	// but for agents whose skills have a place of their own.
	Dir func(home string, env func(string) string) string
}

// Targets returns the known targets in the order in which they are reported. The
// variables that move an agent's directory are honoured when they hold an absolute
// path.
func Targets() []Target {
	return []Target{
		under("claude-code", "CLAUDE_CONFIG_DIR", ".claude"),
		under("codex", "CODEX_HOME", ".codex"),
		under("gemini", "", ".gemini"),
		under("cursor", "", ".cursor"),
		xdg("opencode", "opencode"),
		under("copilot", "", ".copilot"),
		under("windsurf", "", ".codeium/windsurf"),
		under("kiro", "", ".kiro"),
		xdg("amp", "amp"),
		under("agents", "", ".agents"),
	}
}

// under is a target whose directory lies in the home directory or where variable says.
func under(name, variable, dir string) Target {
	return at(name, func(home string, env func(string) string) string {
		if variable != "" {
			if moved := env(variable); filepath.IsAbs(moved) {
				return filepath.Clean(moved)
			}
		}
		return filepath.Join(home, filepath.FromSlash(dir))
	})
}

// xdg is a target whose directory lies in the user's configuration directory (XDG
// Base Directory Specification: a relative XDG_CONFIG_HOME is ignored).
func xdg(name, dir string) Target {
	return at(name, func(home string, env func(string) string) string {
		config := env("XDG_CONFIG_HOME")
		if !filepath.IsAbs(config) {
			config = filepath.Join(home, ".config")
		}
		return filepath.Join(config, dir)
	})
}

func at(name string, agent func(string, func(string) string) string) Target {
	return Target{
		Name:  name,
		Agent: agent,
		Dir: func(home string, env func(string) string) string {
			return filepath.Join(agent(home, env), "skills", Name)
		},
	}
}

// names are those of the targets, for messages.
func names() string {
	var list []string
	for _, t := range Targets() {
		list = append(list, t.Name)
	}
	return strings.Join(list, ", ")
}
