package tmuxio

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// hostile are words that some grammar of tmux or sh could take for more than
// text.
var hostile = []string{
	"plain", "two words", " lead", "trail ", "a\tb",
	";", ";;", "a;", `a\;`, `a\\;`, "a;b", "; kill-server", `\`, `\\`, `a\`, `\n`,
	"-", "--", "-l", "-t %0", "-;",
	"'", "''", "'a'", `"`, `"a"`, `a"b'c`, "`id`", "$HOME", "${HOME}", "$(id)", "~", "~root",
	"#", "##", "###", "#S", "#{session_name}", "##{session_name}", "#(id)", "#[fg=red]", "##[x]", "#,", "#}", "a#",
	"{", "}", "{end}", "a,b", "#{?a,b,c}", "%H", "%%", "%", "%0", "100%", "%Y-%m-%d #S",
	"a\nb", "\n", "a\n  b", "a\n# no comment\nb", "a\n\n\tb\n", "\nkill-server\n",
	"ä€漢字😀", "e\u0301", "\xff\xfe", "a\xff7\n\xff", "a\xc3", "\x01\x02\x1b[31m\x7f", "\r", "a\rb",
	"!", "!!", "&", "&& id", "|", "> x", "* ?[a]", "=", "a=b", "(", ")", "<", "",
}

// Every word reaches a program's argv as it is, on the way that starts the
// session and on the one that adds a window.
func TestArgumentsSurvive(t *testing.T) {
	s := newServer(t)
	for _, name := range []string{"cold", "warm"} {
		file := filepath.Join(t.TempDir(), "argv")
		argv := append([]string{"/bin/sh", "-c", `for a; do printf '%s\0' "$a"; done >"$0.new" && mv "$0.new" "$0" && exec sleep 1000`, file}, hostile...)
		create(t, s, WindowSpec{Name: name, Argv: argv})
		eventually(t, "argv", func() bool { _, err := os.Stat(file); return err == nil })
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		got := strings.Split(strings.TrimSuffix(string(data), "\x00"), "\x00")
		if len(got) != len(hostile) {
			t.Fatalf("%s: %d words came, want %d: %q", name, len(got), len(hostile), got)
		}
		for i, want := range hostile {
			if got[i] != want {
				t.Errorf("%s: %q came as %q", name, want, got[i])
			}
		}
	}
}

func TestOptionValuesSurvive(t *testing.T) {
	s := newServer(t)
	w := create(t, s, WindowSpec{Name: "a", Argv: []string{"sleep", "1000"}})
	for _, v := range hostile {
		// #{==:} compares inside tmux: 3.4 and 3.5a escape what they print.
		same := run(t, s, Chain(
			[]string{"set", "-p", "-t", w.PaneID, "--", "@v", v},
			[]string{"if-shell", "-F", "1", commandString([]string{"set", "-p", "-t", w.PaneID, "--", "@w", v})},
			[]string{"display-message", "-p", "-t", w.PaneID, "#{==:#{@v},#{@w}}"},
		)...)
		if same != "1" {
			t.Errorf("%q is not the same as an argument and in a command string", v)
		}
	}
}

func TestFormatLiteralExpandsToItself(t *testing.T) {
	s := newServer(t)
	create(t, s, WindowSpec{Name: "a", Argv: []string{"sleep", "1000"}})
	for _, v := range hostile {
		if strings.ContainsFunc(v, func(r rune) bool { return r < ' ' || r == '\x7f' || r == '\ufffd' }) {
			continue // not printable through display-message; the pipe test has them
		}
		if got := run(t, s, Chain([]string{"display-message", "-p", "--", FormatLiteral(v)})...); got != v {
			t.Errorf("%q came as %q", v, got)
		}
	}
}

func TestPipeCommandIsLiteral(t *testing.T) {
	s := newServer(t)
	dir := t.TempDir()
	command := func(i int) string {
		file := ShellQuote(filepath.Join(dir, strconv.Itoa(i)))
		return "printf %s " + ShellQuote(hostile[i]) + " >" + file + ".new; mv " + file + ".new " + file + "; exec cat >/dev/null"
	}
	w := create(t, s, WindowSpec{Name: "a", Argv: []string{"cat"}, PipeCmd: command(0)})
	for i, v := range hostile {
		if i > 0 {
			typeAndReport(t, s, TypeSpec{Pane: w.PaneID, Repipe: command(i), RepipeForce: true})
		}
		var got []byte
		eventually(t, "pipe of "+v, func() (ok bool) {
			var err error
			got, err = os.ReadFile(filepath.Join(dir, strconv.Itoa(i)))
			return err == nil
		})
		if string(got) != v {
			t.Errorf("%q came as %q", v, got)
		}
	}
}

func TestShellQuote(t *testing.T) {
	for _, v := range hostile {
		got, err := exec.Command("/bin/sh", "-c", "printf %s "+ShellQuote(v)).Output()
		if err != nil || string(got) != v {
			t.Errorf("%q came as %q, %v", v, got, err)
		}
	}
}

func TestChainSeparatesCommands(t *testing.T) {
	got := strings.Join(Chain([]string{"a", ";", "b;"}, []string{"c"}), "|")
	if want := `a|\;|b\;|;|c`; got != want {
		t.Errorf("Chain gives %s, want %s", got, want)
	}
}
