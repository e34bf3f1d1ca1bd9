package tmuxio

import (
	"bufio"
	"context"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestScanKeys(t *testing.T) {
	keys := KeySettings{}
	scanKeys(bufio.NewScanner(strings.NewReader(`
# set -g prefix C-x
set -g prefix C-a
  set-option -g -q prefix2 '^B'   # as in screen
setw -g mode-keys vi
set -gw status-keys "emacs"
set -g mouse on ; run-shell "touch /tmp/x"
set -s escape-time 20
set -g prefix2 'C-a; kill-server'
set -g status-keys $(id)
set -g mode-keys
set -g escape-time 1s
bind C-a send-prefix
if-shell true 'set -g mouse off'
`)), keys)
	want := KeySettings{"prefix": "C-a", "prefix2": "C-b", "mode-keys": "vi", "status-keys": "emacs", "escape-time": "20"}
	if !maps.Equal(keys, want) {
		t.Errorf("keys: %v\nwant: %v", keys, want)
	}
}

func TestUserKeysComeFromTheRunningServerFirst(t *testing.T) {
	home := t.TempDir()
	if err := os.WriteFile(filepath.Join(home, ".tmux.conf"), []byte("set -g prefix M-x\nset -g mouse on\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := shortDir(t)
	environ := []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "TMUX_TMPDIR=" + dir}
	user, err := New(Config{Label: "default", TmuxTmpdir: dir})
	if err != nil {
		t.Fatal(err)
	}
	keys := UserKeys(context.Background(), user.Binary(), environ)
	if want := (KeySettings{"prefix": "M-x", "mouse": "on"}); !maps.Equal(keys, want) {
		t.Errorf("from the file: %v, want %v", keys, want)
	}
	if user.Health() != Gone {
		t.Error("asking started a server")
	}

	run(t, user, Chain(
		[]string{"new-session", "-d", "--", "sleep", "1000"},
		[]string{"set", "-g", "prefix", "C-Space"},
		[]string{"set", "-g", "prefix2", "`"},
		[]string{"set", "-g", "mode-keys", "vi"},
		[]string{"set", "-s", "escape-time", "33"},
	)...)
	defer user.Run(context.Background(), "kill-server")
	want := KeySettings{"prefix": "C-Space", "prefix2": "`", "mode-keys": "vi", "escape-time": "33"}
	for name, env := range map[string][]string{
		"default server": environ,
		"TMUX":           {"HOME=" + home, "TMUX=" + user.SocketPath() + ",1,0"},
	} {
		keys := UserKeys(context.Background(), user.Binary(), env)
		for k, v := range want {
			if keys[k] != v {
				t.Errorf("%s: %v, want %v", name, keys, want)
			}
		}
	}
}
