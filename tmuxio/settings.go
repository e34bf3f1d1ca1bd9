package tmuxio

import (
	"os"
	"path/filepath"
	"sync"
)

// The size of a window that no human looks at, unless its spec says otherwise.
const (
	DefaultCols = 200
	DefaultRows = 50
)

// viewHooks are the hooks that keep sizes, marks and sessions in order without
// a process of ours. run-shell -C runs its expanded format as tmux commands.
func viewHooks() [][]string {
	expand := func(format string) []string { return []string{"run-shell", "-C", format} }

	// A window has its own size in @pmw and @pmh, follows whoever looks at it,
	// and gets its own back when the last one leaves.
	restoreSizes := expand("#{S:#{W:#{?#{&&:#{@pmw},#{==:#{window_active_clients},0}},resize-window -t #{window_id} -x #{@pmw} -y #{@pmh} ;,}}}")
	// Only of a window that is looked at: one that follows clients while
	// nobody looks gets the size of whoever is attached elsewhere.
	followViewer := []string{"if-shell", "-F", "#{window_active_clients}", "set -w window-size latest"}
	// Whoever looks at a window could type into it. Every pane of it is
	// marked, since a human can go from a split of his to ours.
	markTouched := expand("#{P:set -p -t #{pane_id} @pm_touched 1 ;}")
	// A human's session ends when its last client has left. The option
	// destroy-unattached would do this too early: it counts neither a client
	// that is about to leave nor a read-only one beside others, and 3.3a
	// crashes when such a client is drawn without its session.
	endSessions := expand("#{S:#{?#{&&:#{@pm_attach},#{==:#{session_attached_list},}},kill-session -t '#{session_id}' ;,}}")

	look := commandString(restoreSizes, followViewer, markTouched)
	return [][]string{
		{"set-hook", "-g", "client-detached", commandString(restoreSizes, endSessions)},
		{"set-hook", "-g", "client-attached", look},
		{"set-hook", "-g", "client-session-changed", look},
		{"set-hook", "-g", "session-window-changed", look},
	}
}

// settings are the commands that make any server ours. They run in the call
// that may start the server, before the first window is made, each time: they
// cost nothing that can be measured. Options that a version does not have are
// passed over (-q). A global window-size of manual would kill 3.3a to 3.6b.
func settings() [][]string {
	var cmds [][]string
	for _, kv := range [][2]string{
		{"exit-empty", "on"},
		{"exit-unattached", "off"},
		{"destroy-unattached", "off"},
		{"default-terminal", defaultTerminal()},
		{"default-size", "200x50"},
		{"history-limit", "5000"},
		{"escape-time", "10"},
		{"remain-on-exit", "off"},
		{"automatic-rename", "off"},
		{"allow-rename", "off"},
		{"allow-passthrough", "off"},
		{"set-clipboard", "off"},
		{"update-environment", ""},
		{"bell-action", "none"},
		{"renumber-windows", "off"},
		{"window-size", "latest"},
	} {
		cmds = append(cmds, []string{"set", "-gq", kv[0], kv[1]})
	}
	return append(cmds, viewHooks()...)
}

// defaultTerminal is what TERM is in a pane: tmux's own where programs will
// find a description of it.
var defaultTerminal = sync.OnceValue(func() string {
	dirs := []string{
		os.Getenv("TERMINFO"),
		filepath.Join(os.Getenv("HOME"), ".terminfo"),
		"/etc/terminfo", "/lib/terminfo", "/usr/share/terminfo",
		"/usr/local/share/terminfo", "/opt/homebrew/share/terminfo",
	}
	for _, d := range dirs {
		// Some systems name the directory by the letter, some by its code.
		for _, sub := range []string{"t", "74"} {
			if d == "" {
				continue
			}
			if _, err := os.Stat(filepath.Join(d, sub, "tmux-256color")); err == nil {
				return "tmux-256color"
			}
		}
	}
	return "screen-256color"
})
