package detect

import (
	_ "embed"
	"path/filepath"
	"strings"
)

// Shell is a family of shells that share a syntax.
type Shell string

// The families.
const (
	Bash    Shell = "bash"
	Zsh     Shell = "zsh"
	Fish    Shell = "fish"
	POSIX   Shell = "posix" // dash, ksh, mksh, busybox sh and whatever calls itself sh
	Csh     Shell = "csh"   // csh and tcsh
	Unknown Shell = "unknown"
)

// Identify tells the family from the path of a shell's executable.
func Identify(path string) Shell {
	base := strings.TrimPrefix(filepath.Base(path), "-")
	base, _, _ = strings.Cut(base, "-") // bash-5.2, zsh-5.9
	switch strings.TrimRight(base, "0123456789.") {
	case "bash":
		return Bash
	case "zsh":
		return Zsh
	case "fish":
		return Fish
	case "sh", "dash", "ash", "ksh", "ksh93", "mksh", "lksh", "oksh", "yash", "busybox":
		return POSIX
	}
	if base == "csh" || base == "tcsh" {
		return Csh
	}
	return Unknown
}

// Integration is what makes a shell print marks: files to write beside the
// journal and the command line that makes the shell read them. No file of the
// user's is touched.
type Integration struct {
	// Files maps a name within the terminal's directory to its content. The
	// content holds the nonce: write it with mode 0600.
	Files map[string][]byte
	// Argv is the command line, argv[0] included.
	Argv []string
	// Env is added to the shell's environment.
	Env []string
}

// HookName is the function of the bash integration that reports a command's
// end. Under "set -x" bash prints its name before it runs.
const HookName = "__pairmux_end"

//go:embed bash.sh
var bashScript string

//go:embed zsh.env
var zshEnv string

//go:embed zsh.zsh
var zshScript string

//go:embed fish.fish
var fishScript string

// Integrate returns the integration of the shell at path for the terminal
// directory dir, with nonce as the application id of its marks. getenv gives
// the environment that the shell will have; it is asked for ZDOTDIR alone. It
// returns false when the family has none.
func Integrate(path, dir, nonce string, getenv func(string) (string, bool)) (Integration, bool) {
	fill := func(template string, more ...string) []byte {
		return []byte(strings.NewReplacer(append([]string{"@AID@", nonce, "@DIR@", Quote(dir)}, more...)...).Replace(template))
	}
	name := filepath.Base(path)
	switch Identify(path) {
	case Bash:
		return Integration{
			Files: map[string][]byte{"rc.bash": fill(bashScript)},
			Argv:  []string{name, "--rcfile", filepath.Join(dir, "rc.bash"), "-i"},
		}, true
	case Zsh:
		restore := "unset ZDOTDIR"
		if v, ok := getenv("ZDOTDIR"); ok {
			restore = "export ZDOTDIR=" + Quote(v)
		}
		return Integration{
			Files: map[string][]byte{"zsh/.zshenv": fill(zshEnv, "@ZDOTDIR@", restore), "rc.zsh": fill(zshScript)},
			Argv:  []string{name, "-l", "-i"},
			Env:   []string{"ZDOTDIR=" + filepath.Join(dir, "zsh")},
		}, true
	case Fish:
		script := strings.NewReplacer("@AID@", nonce, "@DIR@", fishQuote(dir)).Replace(fishScript)
		return Integration{
			Files: map[string][]byte{"rc.fish": []byte(script)},
			Argv:  []string{name, "-l", "-i", "-C", "source " + fishQuote(filepath.Join(dir, "rc.fish"))},
		}, true
	}
	return Integration{}, false
}

// fishQuote returns s as one word of fish.
func fishQuote(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'"
}

// Quote returns s as one word of a POSIX shell; plain words stay as they are.
func Quote(s string) string {
	if s != "" && strings.IndexFunc(s, needsQuote) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// SourceLine is the command by which a shell of this family reads a file of
// commands and runs them itself.
func SourceLine(family Shell, path string) string {
	switch family {
	case Fish:
		return "source " + fishQuote(path)
	case Csh:
		return "source " + cshQuote(path)
	}
	return ". " + Quote(path)
}

// cshQuote returns s as one word of csh, where history expansion works within
// quotes too.
func cshQuote(s string) string {
	return "'" + strings.NewReplacer("'", `'\''`, "!", `\!`).Replace(s) + "'"
}

func needsQuote(r rune) bool {
	switch {
	case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
		return false
	}
	return !strings.ContainsRune("@%+=:,./_-", r)
}
