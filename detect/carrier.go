package detect

import (
	"bytes"
	"context"
	"os/exec"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxTyped is the longest command, in bytes, that is typed as keys. Longer ones
// are delivered by a file: line editors slow down with the square of the length
// and some cut a line.
const MaxTyped = 1000

// Blank reports whether source holds nothing that a shell would run: it is
// empty or only comments.
func Blank(source string) bool {
	for line := range strings.Lines(source) {
		line = strings.TrimLeft(line, " \t\r\n")
		if line != "" && line[0] != '#' {
			return false
		}
	}
	return true
}

// Typeable reports whether a command can be entered as keys and arrive as it
// is: one short line of printable ASCII without history expansion, which the
// line editor would rewrite.
func Typeable(source string) bool {
	if len(source) > MaxTyped || strings.HasPrefix(strings.TrimLeft(source, " "), "^") {
		return false
	}
	for i := range len(source) {
		if c := source[i]; c < ' ' || c > '~' || c == '!' {
			return false
		}
	}
	return true
}

// RunFile is the name of the file that delivers command id.
func RunFile(id int64) string { return "run-" + strconv.FormatInt(id, 10) }

// FileLine is the line that makes a hooked shell read the delivery of command
// id. comments says whether the shell takes comments at its prompt; then the
// line tells a watching person what it is.
func FileLine(id int64, source string, comments bool) string {
	line := `. "$__pairmux_dir"/` + RunFile(id)
	if comments {
		line += " # " + excerpt(source)
	}
	return line
}

// Rehook is the first line of a delivery to a shell that lost its hooks.
const Rehook = `\__pairmux_install`

// excerpt is the beginning of a command's first line, safe to type: no history
// expansion, no control characters, no doubt about the width.
func excerpt(source string) string {
	line, rest, _ := strings.Cut(strings.TrimLeft(source, " \t\n"), "\n")
	var b strings.Builder
	cut := false
	for _, r := range line {
		if b.Len() >= 60 {
			cut = true
			break
		}
		switch {
		case r == '\t':
			b.WriteByte(' ')
		case r == '!' || r < ' ' || r == utf8.RuneError || r > unicode.MaxASCII || r == 0x7f:
			b.WriteByte('?')
		default:
			b.WriteRune(r)
		}
	}
	s := strings.TrimRight(b.String(), " \\")
	if cut || strings.TrimSpace(rest) != "" {
		s += " ..."
	}
	return s
}

// Incomplete asks the shell at path, without running anything, whether the
// source in file ends in the middle of a construct: an open quote, a
// here-document without its end, an if without fi. A source that is merely
// wrong is not incomplete. It starts one short-lived process.
func Incomplete(ctx context.Context, path, file string, source []byte) bool {
	if Identify(path) != Bash {
		return false
	}
	if last := bytes.TrimSuffix(source, []byte("\n")); len(last) > 0 {
		tail := last[bytes.LastIndexByte(last, '\n')+1:]
		slashes := len(tail) - len(bytes.TrimRight(tail, `\`))
		if slashes%2 == 1 && !bytes.ContainsAny(tail, `#'"`) {
			return true
		}
	}
	cmd := exec.CommandContext(ctx, path, "--norc", "-O", "extglob", "-n", file)
	// An empty environment: BASH_ENV would be read, a language would translate
	// the messages.
	cmd.Env = []string{"LC_ALL=C", "PATH=/usr/bin:/bin"}
	var out bytes.Buffer
	cmd.Stderr = &out
	_ = cmd.Run() // a syntax error is an answer, not a failure
	msg := out.Bytes()
	for _, sign := range []string{"unexpected EOF while looking for", "unexpected end of file", "delimited by end-of-file"} {
		if bytes.Contains(msg, []byte(sign)) {
			return true
		}
	}
	return false
}

// SentinelLine is the line that runs source in a shell without hooks, between
// two marks that carry the command's id. The line itself holds no escape
// character, so its echo can never be taken for a mark. eval makes a comment,
// a trailing & or an open quote at the end of source harmless to what follows.
func SentinelLine(family Shell, nonce string, id int64, source string) string {
	status, quoted := `"$?"`, "'"+strings.ReplaceAll(source, "'", `'\''`)+"'"
	if family == Fish {
		status = "$status"
		quoted = "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(source) + "'"
	}
	run := strconv.FormatInt(id, 10)
	return ` printf '\033]133;C;aid=` + nonce + `;r=` + run + `\007'; eval ` + quoted +
		`; printf '\033]133;D;%s;aid=` + nonce + `;r=` + run + `\007' ` + status
}
