package detect

import (
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

// Typeable reports whether a command can be entered as keys at the prompt of
// this family and arrive as it is: one short line of printable ASCII without
// history expansion, which the line editor would rewrite. zsh takes no comments
// at its prompt; fish keeps a line with a syntax error in its editor, so that
// only lines that cannot have one are typed there.
func Typeable(family Shell, source string) bool {
	switch {
	case family == Fish && !plain(source):
		return false
	case family == Zsh && strings.Contains(source, "#"):
		return false
	}
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

// plain reports whether source is a command of plain words, which has no syntax
// to get wrong in fish.
func plain(source string) bool {
	for i := range len(source) {
		switch c := source[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte(" ./_-=,:+%@~", c) >= 0:
		default:
			return false
		}
	}
	first, _, _ := strings.Cut(strings.TrimLeft(source, " "), " ")
	switch first {
	case "", "if", "else", "for", "while", "switch", "case", "function", "begin", "end", "and", "or", "not", "time", "command", "builtin", "exec", "break", "continue", "return":
		return false
	}
	return !strings.Contains(first, "=") // a variable for one command
}

// RunFile is the name of the file that delivers command id.
func RunFile(id int64) string { return "run-" + strconv.FormatInt(id, 10) }

// FileLine is the line that makes a hooked shell read the delivery of command
// id. comments says whether the shell takes comments at its prompt; then the
// line tells a watching person what it is.
func FileLine(family Shell, id int64, source string, comments bool) string {
	line := `. "$__pairmux_dir"/` + RunFile(id)
	if family == Fish {
		line = `source "$__pairmux_dir"/` + RunFile(id)
	}
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

// SentinelLine is the line that runs source in a shell without hooks, between
// two marks that carry the command's id. The line itself holds no escape
// character, so its echo can never be taken for a mark. eval makes a comment,
// a trailing & or an open quote at the end of source harmless to what follows.
func SentinelLine(family Shell, nonce string, id int64, source string) string {
	quoted := "'" + strings.ReplaceAll(source, "'", `'\''`) + "'"
	switch family {
	case Fish:
		quoted = fishQuote(source)
	case Csh:
		quoted = cshQuote(source)
	}
	return ` printf '\033]133;C;aid=` + nonce + `;r=` + strconv.FormatInt(id, 10) + `\007'; eval ` + quoted +
		`;` + ProbeLine(family, nonce, id)
}

// ProbeLine is the second half of SentinelLine alone: typed at the shell's
// prompt it tells the status of the command whose end did not come.
func ProbeLine(family Shell, nonce string, id int64) string {
	status := `"$?"`
	if family == Fish || family == Csh {
		status = "$status"
	}
	return ` printf '\033]133;D;%s;aid=` + nonce + `;r=` + strconv.FormatInt(id, 10) + `\007' ` + status
}
