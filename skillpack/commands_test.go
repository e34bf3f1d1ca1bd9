package skillpack_test

import (
	"regexp"
	"strings"
	"testing"
)

// grammar is the command line of SPEC 1 and 3, as far as an agent is told of it:
// the number of positionals and the flags, true where one takes a value.
var grammar = map[string]struct {
	min, max int
	flags    map[string]bool
}{
	"new":     {0, 1, map[string]bool{"name": true, "cwd": true, "cmd": true, "size": true, "env": true, "shell": true, "timeout": true, "max-journal": true}},
	"run":     {1, 99, map[string]bool{"timeout": true, "head": true, "tail": true, "max-bytes": true, "script": true, "nested": false, "exit-status": false}},
	"wait":    {1, 99, map[string]bool{"idle": true, "pattern": true, "done": false, "cmd": true, "human": false, "note": false, "since": true, "notify": false, "timeout": true}},
	"send":    {1, 1, map[string]bool{"text": true, "stdin": false, "key": true, "enter": false, "wait": true, "timeout": true, "head": true, "tail": true, "max-bytes": true}},
	"peek":    {1, 1, map[string]bool{"tail": true, "screen": false}},
	"log":     {1, 1, map[string]bool{"cmd": true, "last": false, "grep": true, "range": true, "since": true, "context": true, "raw": false, "prev": false, "head": true, "tail": true, "max-bytes": true}},
	"history": {1, 1, map[string]bool{"failed": false, "tail": true}},
	"ls":      {0, 0, map[string]bool{"all": false}},
	"kill":    {0, 1, map[string]bool{"all": false}},
	"prune":   {0, 1, map[string]bool{"older-than": true, "dry-run": false}},
	"note":    {2, 99, nil},
	"attach":  {0, 1, map[string]bool{"read-only": false}},
	"watch":   {0, 0, map[string]bool{"interval": true}},
	"doctor":  {0, 0, nil},
	"version": {0, 0, nil},
	"help":    {0, 1, nil},
}

// TestCommandLinesFitTheGrammar reads every command line of the skill, in sh blocks
// as in running text.
func TestCommandLinesFitTheGrammar(t *testing.T) {
	inline := regexp.MustCompile("`(pairmux [a-z][^`]*)`")
	seen := map[string]bool{}
	for _, name := range files(t) {
		fence := ""
		for i, line := range strings.Split(read(t, name), "\n") {
			if mark, ok := strings.CutPrefix(line, "```"); ok {
				if fence == "" {
					fence = mark
					if mark != "sh" {
						t.Errorf("%s:%d: a block of %q", name, i+1, mark)
					}
				} else {
					fence = ""
				}
				continue
			}
			var lines []string
			if fence == "sh" {
				if !strings.HasPrefix(line, "pairmux ") {
					t.Errorf("%s:%d: not a pairmux command: %s", name, i+1, line)
				}
				lines = append(lines, line)
			} else {
				for _, m := range inline.FindAllStringSubmatch(line, -1) {
					lines = append(lines, m[1])
				}
			}
			for _, l := range lines {
				verb, fault := checkLine(l)
				if fault != "" {
					t.Errorf("%s:%d: %s: %s", name, i+1, l, fault)
				}
				seen[verb] = true
			}
		}
		if fence != "" {
			t.Errorf("%s: a block does not end", name)
		}
	}
	for verb := range grammar {
		if !seen[verb] {
			t.Errorf("the skill never shows %s", verb)
		}
	}
}

func checkLine(line string) (verb, fault string) {
	words, ok := split(line)
	if !ok {
		return "", "an open quote, or shell syntax outside of quotes"
	}
	verb = words[1]
	g, known := grammar[verb]
	if !known {
		return verb, "no such command"
	}
	positionals, onlyWords := 0, false
	for i := 2; i < len(words); i++ {
		word := words[i]
		switch {
		case word == "--" && !onlyWords:
			onlyWords = true
		case strings.HasPrefix(word, "-") && word != "-" && !onlyWords:
			flag, _, hasValue := strings.Cut(strings.TrimPrefix(word, "--"), "=")
			takes, known := g.flags[flag]
			if !known || !strings.HasPrefix(word, "--") {
				return verb, "no flag " + word
			}
			if takes && !hasValue {
				if i++; i == len(words) {
					return verb, word + " has no value"
				}
			}
		default:
			positionals++
		}
	}
	if positionals < g.min || positionals > g.max {
		return verb, "wrong number of arguments"
	}
	return verb, ""
}

// split takes a line apart as a shell would. Pipes, redirections and lists are
// refused, so that a reader may run each line by itself.
func split(line string) (words []string, ok bool) {
	var word strings.Builder
	in, quote := false, byte(0)
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote == '"' && c == '\\' && i+1 < len(line) && strings.IndexByte("\"\\$`", line[i+1]) >= 0:
			i++
			word.WriteByte(line[i])
		case quote == '"' && (c == '$' || c == '`'):
			return nil, false
		case quote != 0:
			word.WriteByte(c)
		case c == '\'' || c == '"':
			quote, in = c, true
		case c == ' ':
			if in {
				words = append(words, word.String())
				word.Reset()
			}
			in = false
		case strings.IndexByte(";&<>$`()#*?~!", c) >= 0:
			return nil, false
		default:
			word.WriteByte(c)
			in = true
		}
	}
	if in {
		words = append(words, word.String())
	}
	return words, quote == 0 && len(words) > 1
}
