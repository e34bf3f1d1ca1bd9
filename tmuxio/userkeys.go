package tmuxio

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// KeySettings are the options of a human's own tmux by which his fingers know
// it: prefix, prefix2, mode-keys, status-keys, mouse, escape-time.
type KeySettings map[string]string

// keyOptions are read and set in this order.
func keyOptions() []string {
	return []string{"prefix", "prefix2", "mode-keys", "status-keys", "mouse", "escape-time"}
}

// UserKeys asks the user's running tmux server for the settings, the one that
// environ's TMUX names or else the default one, for 300 ms at most; if there is
// none it looks for plain set lines in the user's configuration files. Nothing
// is executed or sourced from those. Values that are not plainly valid are left
// out. binary is the tmux client.
func UserKeys(ctx context.Context, binary string, environ []string) KeySettings {
	if keys := runningKeys(ctx, binary, environ); keys != nil {
		return keys
	}
	keys := KeySettings{}
	for _, path := range userFiles(environ) {
		if f, err := os.Open(path); err == nil {
			scanKeys(bufio.NewScanner(f), keys)
			f.Close()
		}
	}
	return keys
}

func runningKeys(ctx context.Context, binary string, environ []string) KeySettings {
	ctx, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
	defer cancel()
	var args []string
	if socket, _, ok := strings.Cut(lookUp(environ, "TMUX"), ","); ok {
		args = append(args, "-S", socket)
	}
	var cmds [][]string
	for _, name := range keyOptions() {
		cmds = append(cmds, []string{"show-options", "-gv", name})
	}
	cmd := exec.CommandContext(ctx, binary, append(append([]string{"-N"}, args...), Chain(cmds...)...)...)
	cmd.Env = environ
	cmd.WaitDelay = 100 * time.Millisecond
	out, err := cmd.Output()
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if err != nil || len(lines) != len(keyOptions()) {
		return nil
	}
	keys := KeySettings{}
	for i, name := range keyOptions() {
		keys.add(name, lines[i])
	}
	return keys
}

// userFiles are the files that tmux reads, in its order.
func userFiles(environ []string) []string {
	home := lookUp(environ, "HOME")
	files := []string{"/etc/tmux.conf"}
	if home != "" {
		files = append(files, filepath.Join(home, ".tmux.conf"))
	}
	if x := lookUp(environ, "XDG_CONFIG_HOME"); x != "" {
		files = append(files, filepath.Join(x, "tmux/tmux.conf"))
	}
	if home != "" {
		files = append(files, filepath.Join(home, ".config/tmux/tmux.conf"))
	}
	return files
}

func lookUp(environ []string, key string) string {
	for _, kv := range environ {
		if v, ok := strings.CutPrefix(kv, key+"="); ok {
			return v
		}
	}
	return ""
}

// scanKeys takes the settings from lines like "set -g prefix C-a"; whatever is
// more than that is passed over.
func scanKeys(lines *bufio.Scanner, keys KeySettings) {
	for lines.Scan() {
		w := strings.Fields(lines.Text())
		if len(w) == 0 {
			continue
		}
		switch w[0] {
		case "set", "set-option", "setw", "set-window-option":
		default:
			continue
		}
		w = w[1:]
		for len(w) > 0 && len(w[0]) > 1 && w[0][0] == '-' {
			w = w[1:]
		}
		if len(w) > 2 && strings.HasPrefix(w[2], "#") {
			w = w[:2]
		}
		if len(w) == 2 {
			keys.add(w[0], strings.Trim(w[1], `'"`))
		}
	}
}

// add takes a value if tmux is sure to accept it: a bad one would stop the
// chain that attaches.
func (k KeySettings) add(name, value string) {
	ok := false
	switch name {
	case "prefix", "prefix2":
		if len(value) == 2 && value[0] == '^' {
			value = "C-" + value[1:]
		}
		if key, err := Key(value); err == nil {
			value, ok = key, true
		} else {
			ok = value == "None" || len(value) == 1 && value[0] > ' ' && value[0] <= '~'
		}
	case "mode-keys", "status-keys":
		ok = value == "vi" || value == "emacs"
	case "mouse":
		ok = value == "on" || value == "off"
	case "escape-time":
		ok = value != "" && len(value) < 5 && strings.Trim(value, "0123456789") == ""
	}
	if ok {
		k[name] = value
	}
}

// commands set the options for one session where tmux keeps them by session,
// so that each human has his own.
func (k KeySettings) commands(session string) [][]string {
	var cmds [][]string
	for _, name := range keyOptions() {
		value, ok := k[name]
		if !ok {
			continue
		}
		switch name {
		case "mode-keys":
			cmds = append(cmds, []string{"set", "-gw", name, value})
		case "escape-time":
			cmds = append(cmds, []string{"set", "-s", name, value})
		default:
			cmds = append(cmds, []string{"set", "-t", session, name, value})
		}
		if name == "prefix" && value != "None" {
			cmds = append(cmds, []string{"bind-key", "--", value, "send-prefix"})
		}
	}
	return cmds
}
