package docscheck

import (
	"reflect"
	"strings"
	"testing"
)

// A step is one command of a page.
type step struct {
	line    int // of the command, from 1
	command string
	kind    stepKind
	want    []string
}

type stepKind int

const (
	shown stepKind = iota
	hidden
	meanwhile
)

// steps finds the commands of a page, in order.
func steps(page string) []step {
	var all []step
	in := false
	for i, l := range strings.Split(page, "\n") {
		switch {
		case !in && l == "```console":
			in = true
		case in && l == "```":
			in = false
		case in:
			if command, ok := strings.CutPrefix(l, "$ "); ok {
				all = append(all, step{line: i + 1, command: command})
			} else if n := len(all); n > 0 && all[n-1].kind == shown {
				all[n-1].want = append(all[n-1].want, l)
			}
		default:
			for mark, kind := range map[string]stepKind{"<!-- run: ": hidden, "<!-- meanwhile: ": meanwhile} {
				if rest, ok := strings.CutPrefix(l, mark); ok {
					all = append(all, step{line: i + 1, command: strings.TrimSuffix(rest, " -->"), kind: kind})
				}
			}
		}
	}
	return all
}

// rewrite puts other outputs in place of those of a page's steps.
func rewrite(page string, outputs map[int][]string) string {
	var out []string
	skip := 0
	want := map[int]int{}
	for _, s := range steps(page) {
		want[s.line] = len(s.want)
	}
	for i, l := range strings.Split(page, "\n") {
		if skip > 0 {
			skip--
			continue
		}
		out = append(out, l)
		if o, ok := outputs[i+1]; ok {
			out = append(out, o...)
			skip = want[i+1]
		}
	}
	return strings.Join(out, "\n")
}

const sample = "text\n<!-- run: touch a -->\n```console\n$ one\n1\n$ two\n```\n$ no command\n```sh\n$ nor this\n```\n"

func TestSteps(t *testing.T) {
	got := steps(sample)
	want := []step{
		{line: 2, command: "touch a", kind: hidden},
		{line: 4, command: "one", want: []string{"1"}},
		{line: 6, command: "two"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
}

func TestRewrite(t *testing.T) {
	got := rewrite(sample, map[int][]string{4: {"uno", "eins"}, 6: {"due"}})
	want := strings.Replace(sample, "$ one\n1\n$ two\n", "$ one\nuno\neins\n$ two\ndue\n", 1)
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
