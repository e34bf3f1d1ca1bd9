package mcpserver

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/pairmux/pairmux/envelope"
)

// budget is defaultBytes as a number.
const budget = 24 << 10

// shorten bounds the output of the commands that have no flag for it (peek, wait).
// It keeps whole lines of the start and, because the end matters more, three times
// as many bytes of the end, puts the line "…" between, and counts what it left out.
func shorten(r *envelope.Reply, inv *Invocation, globals []string) {
	lines := strings.Split(r.Output, "\n")
	first, size := 0, 0
	for first < len(lines) && size+len(lines[first])+1 <= budget/4 {
		size += len(lines[first]) + 1
		first++
	}
	last := len(lines)
	for last > first && size+len(lines[last-1])+1 <= budget {
		last--
		size += len(lines[last]) + 1
	}
	if r.Truncated == nil {
		r.Truncated = &envelope.Truncated{GetFull: full(r, inv, globals)}
	}
	cut := int64(0)
	if last == len(lines) {
		// The last line alone is over the budget: its end is what was asked for.
		last--
		text := lines[last]
		keep := len(text) - (budget - size)
		for keep < len(text) && !utf8.RuneStart(text[keep]) {
			keep++
		}
		lines[last] = text[keep:]
		cut = int64(keep)
	}
	out := append([]string{}, lines[:first]...)
	out = append(out, "…")
	r.Output = strings.Join(append(out, lines[last:]...), "\n")
	r.Truncated.OmittedLines += int64(last - first)
	r.Truncated.OmittedBytes += cut
}

// full is the command that returns what was left out.
func full(r *envelope.Reply, inv *Invocation, globals []string) string {
	words := append([]string{"pairmux"}, globals...)
	words = append(words, "log", r.Terminal)
	if inv.command == "wait" && r.CmdID > 0 {
		words = append(words, "--cmd", fmt.Sprint(r.CmdID))
	} else {
		words = append(words, "--range", "1:end")
	}
	for i, w := range words {
		words[i] = quoteWord(w)
	}
	return strings.Join(words, " ")
}

// quoteWord quotes a word for a POSIX shell where it needs it.
func quoteWord(w string) string {
	plain := w != ""
	for _, c := range []byte(w) {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-_./:=,@%+", c) >= 0) {
			plain = false
		}
	}
	if plain {
		return w
	}
	return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
}
