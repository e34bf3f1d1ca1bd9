package detect

import (
	"strings"
	"testing"
)

func TestTypeableRefusesWhatALineEditorWouldChange(t *testing.T) {
	for source, want := range map[string]bool{
		"echo hi":                    true,
		`echo "a;b" | grep -v '#x'`:  true,
		"echo hi!":                   false,
		"^a^b":                       false,
		"echo\thi":                   false,
		"echo h\u00e9":               false,
		"a\nb":                       false,
		strings.Repeat("x", 1000):    true,
		strings.Repeat("x", 1001):    false,
		"echo \x1b":                  false,
		"printf '%s\\n' \"$(date)\"": true,
	} {
		if got := Typeable(Bash, source); got != want {
			t.Errorf("Typeable(%q) = %v", source, got)
		}
	}
}

func TestBlankIsEmptyOrOnlyComments(t *testing.T) {
	for source, want := range map[string]bool{
		"": true, "  \t": true, "# x": true, "  # x\n\n# y\n": true, "#x\necho": false, "echo # x": false, ":": false,
	} {
		if got := Blank(source); got != want {
			t.Errorf("Blank(%q) = %v", source, got)
		}
	}
}

func TestFileLineTellsAWatcherWhatRuns(t *testing.T) {
	for _, c := range []struct {
		source   string
		comments bool
		want     string
	}{
		{"echo hi!", true, `. "$__pairmux_dir"/run-7 # echo hi?`},
		{"echo hi!", false, `. "$__pairmux_dir"/run-7`},
		{"a\nb", true, `. "$__pairmux_dir"/run-7 # a ...`},
		{"\n\techo\x1bx \u00e9", true, `. "$__pairmux_dir"/run-7 # echo?x ?`},
		{`echo a\`, true, `. "$__pairmux_dir"/run-7 # echo a`},
		{strings.Repeat("y", 100), true, `. "$__pairmux_dir"/run-7 # ` + strings.Repeat("y", 60) + " ..."},
	} {
		if got := FileLine(Bash, 7, c.source, c.comments); got != c.want {
			t.Errorf("FileLine(%q) = %q, want %q", c.source, got, c.want)
		}
	}
}

func TestQuoteMakesOneWord(t *testing.T) {
	for in, want := range map[string]string{
		"plain-word_1.txt": "plain-word_1.txt", "": "''", "a b": "'a b'", "it's": `'it'\''s'`, "$x": "'$x'", "a\nb": "'a\nb'", "~": "'~'",
	} {
		if got := Quote(in); got != want {
			t.Errorf("Quote(%q) = %s, want %s", in, got, want)
		}
	}
}

func TestIdentifyTellsTheFamily(t *testing.T) {
	for path, want := range map[string]Shell{
		"/bin/bash": Bash, "bash-5.2": Bash, "-bash": Bash, "/usr/local/bin/zsh-5.9": Zsh, "/usr/bin/fish": Fish, "/bin/dash": POSIX,
		"/bin/sh": POSIX, "/bin/busybox": POSIX, "/bin/ksh93": POSIX, "/usr/bin/python3": Unknown, "/bin/tcsh": Csh, "-csh": Csh, "nu": Unknown,
	} {
		if got := Identify(path); got != want {
			t.Errorf("Identify(%q) = %s, want %s", path, got, want)
		}
	}
}

func TestTypeableKnowsTheFamily(t *testing.T) {
	for _, c := range []struct {
		family Shell
		source string
		want   bool
	}{
		{Zsh, "echo hi # c", false}, {Zsh, "echo hi; false", true},
		{Fish, "ls -l /tmp", true}, {Fish, "echo 'a", false}, {Fish, "if true", false}, {Fish, "X=1 env", false}, {Fish, "echo $x", false},
		{Fish, "end", false}, {Bash, "if true; then echo; fi # c", true},
	} {
		if got := Typeable(c.family, c.source); got != c.want {
			t.Errorf("Typeable(%s, %q) = %v", c.family, c.source, got)
		}
	}
}

func TestSentinelLineQuotesForTheFamily(t *testing.T) {
	for _, c := range []struct {
		family Shell
		want   string
	}{
		{POSIX, `eval 'it'\''s !'; printf '\033]133;D;%s;aid=x;r=7\007' "$?"`},
		{Fish, `eval 'it\'s !'; printf '\033]133;D;%s;aid=x;r=7\007' $status`},
		{Csh, `eval 'it'\''s \!'; printf '\033]133;D;%s;aid=x;r=7\007' $status`},
	} {
		got := SentinelLine(c.family, "x", 7, "it's !")
		if !strings.HasSuffix(got, c.want) || strings.Contains(got, "\x1b") {
			t.Errorf("%s: %s", c.family, got)
		}
	}
	if got := SourceLine(Csh, "/a b!"); got != `source '/a b\!'` {
		t.Error(got)
	}
}
