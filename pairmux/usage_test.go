package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/matryer/is"
	"github.com/pairmux/pairmux/envelope"
)

// pairmux runs the binary in a world where no terminal and no server is, and
// fails the test if it creates one.
func pairmux(t *testing.T, argv ...string) (stdout string, code int) {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.Command(binary, argv...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TMUX_TMPDIR=" + dir, "LC_ALL=C.UTF-8", "TERM=xterm"}
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	err := cmd.Run()
	if stderr.Len() > 0 {
		t.Errorf("%q wrote to stderr: %s", argv, stderr.String())
	}
	if made, _ := os.ReadDir(dir); len(made) > 0 {
		t.Errorf("%q created %v", argv, made[0].Name())
	}
	return out.String(), exitCode(err)
}

// TestUsageErrors: what the parser sees alone exits with 2, is an envelope
// under --json wherever that stands, names the fault, and creates nothing.
func TestUsageErrors(t *testing.T) {
	for _, row := range []struct{ line, names string }{
		{"nosuch", "nosuch"},
		{"rnu t true", "rnu"},
		{"--nope", "--nope"},
		{"-x", "-x"},
		{"ls --nope", "--nope"},
		{"ls -a", "-a"},
		{"ls extra", "extra"},
		{"ls --all --all", "--all"},
		{"ls --all=true", "--all"},
		{"ls --socket", "--socket"},
		{"--socket", "--socket"},
		{"ls --socket a --socket b", "--socket"},
		{"--socket a ls --socket b", "--socket"},
		{"ls --state-dir", "--state-dir"},
		{"version extra", "extra"},
		{"help nosuch", "nosuch"},
		{"help run new", "new"},
		{"new a b", "b"},
		{"new a --name b", "name"},
		{"new --size", "--size"},
		{"new --size 80", "80"},
		{"new --size 80x24x3", "80x24x3"},
		{"new --size 80X24", "80X24"},
		{"new --size 19x24", "19x24"},
		{"new --size 80x4", "80x4"},
		{"new --size 1001x24", "1001x24"},
		{"new --size 80x501", "80x501"},
		{"new --size -80x24", "-80x24"},
		{"new --timeout 5", "5"},
		{"new --timeout -5s", "-5s"},
		{"new --timeout 5x", "5x"},
		{"new --timeout=", "--timeout"},
		{"new --timeout 1d2h3", "1d2h3"},
		{"new --max-journal 5KB", "5KB"},
		{"new --max-journal -5", "-5"},
		{"new --cmd a --cmd b", "--cmd"},
		{"new --screen", "--screen"},
		{"run", "name"},
		{"run t", "command"},
		{"run t true --head x", "x"},
		{"run t true --head -1", "-1"},
		{"run t true --tail 1.5", "1.5"},
		{"run t true --tail +1", "+1"},
		{"run t true --tail 99999999999999999999", "99999999999999999999"},
		{"run t true --max-bytes 1kb", "1kb"},
		{"run t true --max-bytes 1.5MiB", "1.5MiB"},
		{"run t true --max-bytes KiB", "KiB"},
		{"run t true --max-bytes 9999999999GiB", "9999999999GiB"},
		{"run t true --timeout 100", "100"},
		{"run t true --timeout", "--timeout"},
		{"run t true --script f", "script"},
		{"run t ls -l", "-l"},
		{"peek", "name"},
		{"peek t --tail 3 --screen", "--screen"},
		{"peek t --head 3", "--head"},
		{"wait", "name"},
		{"wait t --idle 0", "0"},
		{"wait t --idle -1", "-1"},
		{"wait t --idle 1.5", "1.5"},
		{"wait t --idle x", "x"},
		{"wait t --cmd 0", "0"},
		{"wait t --since -1", "-1"},
		{"wait t --since Run", "Run"},
		{"wait t --pattern a --pattern b", "--pattern"},
		{"send", "name"},
		{"send t", "text"},
		{"send t word", "word"},
		{"send t --text a --stdin", "--stdin"},
		{"send t --text", "--text"},
		{"send t --key", "--key"},
		{"log t --cmd 1 --grep x", "--grep"},
		{"log t --last --range 1:2", "--range"},
		{"log t --range 1", "1"},
		{"log t --range :2", ":2"},
		{"log t --range 2:1", "2:1"},
		{"log t --range 0:end", "0:end"},
		{"log t --range 1:END", "1:END"},
		{"log t --context -1", "-1"},
		{"history", "name"},
		{"history t --tail x", "x"},
		{"kill", "name"},
		{"kill t u", "u"},
		{"kill t --all", "--all"},
		{"note", "name"},
		{"note t", "text"},
		{"prune --older-than 7", "7"},
		{"prune --older-than -7d", "-7d"},
		{"prune a b", "b"},
	} {
		t.Run(row.line, func(t *testing.T) {
			t.Parallel()
			is := is.New(t)
			words := strings.Fields(row.line)
			for _, argv := range [][]string{append([]string{"--json"}, words...), append(words, "--json")} {
				if last := words[len(words)-1]; argv[0] != "--json" && strings.HasPrefix(last, "--") && valueless(words) {
					continue // the flag would take --json as its value
				}
				out, code := pairmux(t, argv...)
				is.Equal(code, 2)
				r, err := envelope.Decode([]byte(out))
				is.NoErr(err)
				is.NoErr(r.Validate())
				is.Equal(r.OK, false)
				is.Equal(r.Error.Code, envelope.CodeBadArgs)
				if !strings.Contains(r.Error.Message, row.names) {
					t.Errorf("the message does not name %q: %s", row.names, r.Error.Message)
				}
			}
			out, code := pairmux(t, words...)
			is.Equal(code, 2)
			if !strings.HasPrefix(out, "error E_BAD_ARGS: ") {
				t.Errorf("text form: %q", out)
			}
		})
	}
}

func valueless(words []string) bool {
	last := strings.TrimPrefix(words[len(words)-1], "--")
	for _, c := range commands() {
		if f := c.flag(last); f != nil && f.kind != boolean {
			return true
		}
	}
	return false
}

// TestRefused: well-formed but refused exits with 1 and creates nothing.
func TestRefused(t *testing.T) {
	for _, row := range []struct {
		argv []string
		code envelope.Code
	}{
		{[]string{"new", "UPPER"}, envelope.CodeBadArgs},
		{[]string{"new", "t", "--cwd", "/no/such"}, envelope.CodeBadArgs},
		{[]string{"new", "t", "--env", "x"}, envelope.CodeBadArgs},
		{[]string{"ls", "--socket", "a/b"}, envelope.CodeBadArgs},
		{[]string{"ls", "--socket="}, envelope.CodeBadArgs},
		{[]string{"ls", "--state-dir", "rel"}, envelope.CodeBadArgs},
		{[]string{"ls", "--state-dir="}, envelope.CodeBadArgs},
		{[]string{"run", "t", "a\nb"}, envelope.CodeBadArgs},
		{[]string{"wait", "t", "--pattern", "("}, envelope.CodeBadArgs},
		{[]string{"log", "t", "--grep", "[a"}, envelope.CodeBadArgs},
		{[]string{"send", "t", "--key", "Nope"}, envelope.CodeBadArgs},
		{[]string{"run", "t", "true"}, envelope.CodeNoTerminal},
		{[]string{"peek", "t"}, envelope.CodeNoTerminal},
		{[]string{"wait", "t"}, envelope.CodeNoTerminal},
		{[]string{"send", "t", "--enter"}, envelope.CodeNoTerminal},
		{[]string{"log", "t"}, envelope.CodeNoTerminal},
		{[]string{"history", "t"}, envelope.CodeNoTerminal},
		{[]string{"kill", "t"}, envelope.CodeNoTerminal},
		{[]string{"note", "t", "x"}, envelope.CodeNoTerminal},
		{[]string{"prune", "t"}, envelope.CodeNoTerminal},
	} {
		t.Run(strings.Join(row.argv, " "), func(t *testing.T) {
			t.Parallel()
			is := is.New(t)
			out, code := pairmux(t, append([]string{"--json"}, row.argv...)...)
			is.Equal(code, 1)
			r, err := envelope.Decode([]byte(out))
			is.NoErr(err)
			is.NoErr(r.Validate())
			is.Equal(r.Error.Code, row.code)
		})
	}
}

// golden compares with testdata/golden/NAME; -update rewrites it.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", "golden", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (-update rewrites it); got:\n%s", file, got)
	}
}

// TestHelpText: the overview has at most 40 lines and two groups; each
// command's help has its synopsis, every flag with its default, one example.
func TestHelpText(t *testing.T) {
	is := is.New(t)
	overview, code := pairmux(t)
	is.Equal(code, 0)
	is.True(strings.Count(overview, "\n") <= 40)
	is.True(strings.Contains(overview, "\nagent commands\n"))
	is.True(strings.Contains(overview, "\nhuman commands\n"))
	golden(t, "help.txt", overview)
	for _, argv := range [][]string{{"help"}, {"--help"}, {"-h"}, {"--json", "help"}} {
		out, code := pairmux(t, argv...)
		is.Equal(code, 0)
		is.Equal(out, overview)
	}
	for _, c := range commands() {
		out, code := pairmux(t, "help", c.name)
		is.Equal(code, 0)
		golden(t, "help-"+c.name+".txt", out)
		is.True(strings.Contains(overview, "  "+c.name+" "))
		is.True(strings.Contains(out, "usage: pairmux "+c.name))
		is.Equal(strings.Count(out, "\nexample\n"), 1)
		for _, f := range c.flags {
			is.True(strings.Contains(out, "\n  --"+f.name+" "))
			is.True(f.def == "" || strings.Contains(out, "(default "+f.def+")"))
		}
		same, _ := pairmux(t, c.name, "--help")
		is.Equal(same, out)
	}
}

// TestCommandList: pairmux --json alone lists every command and flag.
func TestCommandList(t *testing.T) {
	is := is.New(t)
	out, code := pairmux(t, "--json")
	is.Equal(code, 0)
	r, err := envelope.Decode([]byte(out))
	is.NoErr(err)
	is.NoErr(r.Validate())
	is.Equal(r.Status, envelope.StatusOK)
	is.Equal(len(r.Commands), len(commands()))
	for i, c := range commands() {
		is.Equal(r.Commands[i].Name, c.name)
		listed := map[string]bool{}
		for _, f := range r.Commands[i].Flags {
			listed[f.Name] = true
		}
		for _, f := range c.flags {
			is.True(listed["--"+f.name])
		}
	}
	var pretty bytes.Buffer
	is.NoErr(json.Indent(&pretty, []byte(out), "", " "))
	golden(t, "commands.json", pretty.String())
}

// TestVersion: both spellings, with and without JSON, need nothing.
func TestVersion(t *testing.T) {
	is := is.New(t)
	text, code := pairmux(t, "version")
	is.Equal(code, 0)
	flag, code := pairmux(t, "--version")
	is.Equal(code, 0)
	is.Equal(flag, text)
	out, code := pairmux(t, "version", "--json")
	is.Equal(code, 0)
	r, err := envelope.Decode([]byte(out))
	is.NoErr(err)
	is.Equal(r.Status, envelope.StatusOK)
	is.True(strings.Contains(text, r.Output))
	is.True(r.Output != "")
}
