package detect

import (
	"context"
	"os"
	"path/filepath"
	"testing"
)

func TestIncompleteAsksTheShellWithoutRunning(t *testing.T) {
	dir := t.TempDir()
	touched := filepath.Join(dir, "touched")
	for shell, cases := range map[string]map[string]bool{
		"/bin/bash": {
			"echo 'abc": true, "echo \"abc": true, "echo $(date": true, "if true; then echo": true, "cat <<E": true, "cat <<E\nx": true,
			"cat <<E\nx\nE": false, "{ echo": true, "(echo": true, "for i in 1 2": true, "case x in": true, "echo a |": true, "echo a &&": true,
			"echo a \\": true, "echo 'a\\'": false, "if )": false, "fi": false, "ls !(x)": false, "echo $((1<<2))": false, "echo '<<E'": false,
			"touch " + touched: false, "f() { echo; }; f": false, "echo \u00e9; while read; do x": true, "echo a \\\\": false, "echo a\\|": false,
		},
		"/usr/bin/zsh": {
			"echo 'abc": true, "if true; then echo": true, "cat <<E": true, "cat <<E\nx\nE": false, "{ echo": true, "echo $(ls": true,
			"echo `ls": true, "echo ${a": true, "a=(1 2": true, "echo a &&": true, "case x in": true, "if )": false, "fi": false,
			"echo $((1<<2))": false, "ls *(.)": false, "touch " + touched: false, "echo hi # c": false,
		},
		"/usr/bin/fish": {
			"echo 'abc": true, "if true; echo": true, "begin; echo": true, "echo (ls": true, "echo a |": true, "function f": true,
			"if )": false, "end": false, "touch " + touched: false, "cat <<E": false, "for i in 1 2; echo $i; end": false,
		},
		"/bin/dash": {
			"echo 'abc": true, "if true; then echo": true, "{ echo": true, "(echo": true, "if )": false, "echo hi": false, "touch " + touched: false,
			"cat <<E": true, "cat <<E\nx\nE": false, "echo $((1<<2))": false, "echo '<<E'": false,
		},
	} {
		for source, want := range cases {
			file := filepath.Join(dir, "source")
			if err := os.WriteFile(file, []byte(source+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			if got := Incomplete(context.Background(), shell, file, []byte(source)); got != want {
				t.Errorf("%s: Incomplete(%q) = %v, want %v", shell, source, got, want)
			}
		}
	}
	if _, err := os.Stat(touched); err == nil {
		t.Error("a source was run")
	}
}
