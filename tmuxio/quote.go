package tmuxio

import "strings"

// Arg makes one literal word of s for tmux's argv, where a word that ends in
// ';' would end the command. Exact for every string without NUL.
func Arg(s string) string {
	if strings.HasSuffix(s, ";") {
		return s[:len(s)-1] + `\;`
	}
	return s
}

// Chain puts commands, each a list of literal words, into one argv for
// [Server.Start] or [Server.Run]. tmux stops at the first one that fails.
func Chain(cmds ...[]string) []string {
	var args []string
	for i, cmd := range cmds {
		if i > 0 {
			args = append(args, ";")
		}
		for _, w := range cmd {
			args = append(args, Arg(w))
		}
	}
	return args
}

// CommandQuote makes one literal word of s inside a command string, such as
// those of if-shell and set-hook. tmux's parser swallows blanks and comments
// after a line end even within quotes, so line ends stand outside of them; the
// byte 255 is the end of input to it.
func CommandQuote(s string) string {
	if s == "" {
		return "''"
	}
	var b strings.Builder
	b.Grow(len(s) + 2)
	quoted := false
	quote := func(on bool) {
		if quoted != on {
			b.WriteByte('\'')
			quoted = on
		}
	}
	for i := range len(s) {
		switch c := s[i]; c {
		case '\n':
			quote(false)
			b.WriteString(`\n`)
		case '\'':
			quote(false)
			b.WriteString(`\'`)
		case 0xff:
			quote(false)
			b.WriteString(`\377`)
		default:
			quote(true)
			b.WriteByte(c)
		}
	}
	quote(false)
	return b.String()
}

// commandString is the command string that runs cmds one after the other.
func commandString(cmds ...[]string) string {
	var b strings.Builder
	for i, cmd := range cmds {
		if i > 0 {
			b.WriteString(" ; ")
		}
		for j, w := range cmd {
			if j > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(CommandQuote(w))
		}
	}
	return b.String()
}

// ShellQuote makes one literal word of s for a POSIX shell, e.g. in
// WindowSpec.PipeCmd.
func ShellQuote(s string) string {
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// FormatLiteral makes a format that expands to s, for arguments that tmux
// expands and passes through strftime too (pipe-pane, display-message). tmux
// keeps a run of '#' before '[' as it is and halves any other.
func FormatLiteral(s string) string {
	if !strings.ContainsAny(s, "#%") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		switch s[i] {
		case '%':
			b.WriteString("%%")
			i++
		case '#':
			n := len(s[i:]) - len(strings.TrimLeft(s[i:], "#"))
			run := s[i : i+n]
			i += n
			b.WriteString(run)
			if i == len(s) || s[i] != '[' {
				b.WriteString(run)
			}
		default:
			b.WriteByte(s[i])
			i++
		}
	}
	return b.String()
}
