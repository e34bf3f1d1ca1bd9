package detect

import (
	"bytes"
	"context"
	"os/exec"
	"strings"
)

// Incomplete asks the shell at path, without running anything, whether the
// source in file ends in the middle of a construct: an open quote, a
// here-document without its end, an if without fi. A source that is merely
// wrong is not incomplete, and neither is one of a family that cannot be asked.
// It starts one or two short-lived processes, which ctx bounds.
func Incomplete(ctx context.Context, path, file string, source []byte) bool {
	family := Identify(path)
	switch family {
	case Bash, Zsh, Fish, POSIX:
	default:
		return false
	}
	if openEnd(source) {
		return true
	}
	// An empty environment: BASH_ENV would be read, a language would translate
	// the messages.
	ask := func(script string, args ...string) string {
		cmd := exec.CommandContext(ctx, path, args...)
		cmd.Env = []string{"LC_ALL=C", "PATH=/usr/bin:/bin", "HOME=/nonexistent"}
		var out bytes.Buffer
		cmd.Stderr = &out
		if script != "" {
			cmd.Stdin = strings.NewReader(script)
		}
		_ = cmd.Run() // a syntax error is an answer, not a failure
		return out.String()
	}
	switch family {
	case Bash:
		return says(ask("", "--norc", "-O", "extglob", "-n", file),
			"unexpected EOF while looking for", "unexpected end of file", "delimited by end-of-file")
	case Zsh:
		if says(ask("", "-f", "-n", file), "parse error near `\\n'", "unmatched ", "closing brace expected") {
			return true
		}
		// A stray parenthesis behind a complete source is an error; an open
		// here-document or parenthesis takes it up.
		return ask(string(source)+"\n)\n", "-f", "-n") == ""
	case Fish:
		if plain(string(source)) {
			return false
		}
		return says(ask("", "--no-config", "-n", file), "Missing end to balance", "Unexpected end of string", "found end of the input")
	default:
		if bytes.Contains(source, []byte("<<")) && ask(string(source)+"\n)\n", "-n") == "" {
			return true // as for zsh
		}
		return says(ask("", "-n", file), "nterminated quoted string", "unexpected end of file", "end of file unexpected",
			"unmatched", "nexpected EOF", "unclosed", "no closing quote")
	}
}

func says(message string, signs ...string) bool {
	for _, s := range signs {
		if strings.Contains(message, s) {
			return true
		}
	}
	return false
}

// openEnd reports whether the last line goes on: it ends in a backslash or in
// an operator that wants another command. Shells accept both at a file's end.
func openEnd(source []byte) bool {
	last := bytes.TrimSuffix(source, []byte("\n"))
	line := string(last[bytes.LastIndexByte(last, '\n')+1:])
	if strings.ContainsAny(line, `#'"`) {
		return false // may be a comment or quoted: the shell knows better
	}
	slashes := len(line) - len(strings.TrimRight(line, `\`))
	if slashes%2 == 1 {
		return true
	}
	line = strings.TrimRight(line, " \t")
	for _, op := range []string{"&&", "||", "|"} {
		if s, ok := strings.CutSuffix(line, op); ok && !strings.HasSuffix(s, `\`) {
			return true
		}
	}
	return false
}
