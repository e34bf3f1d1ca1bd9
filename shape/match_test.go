package shape

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"regexp/syntax"
	"strings"
	"testing"
)

func TestRequired(t *testing.T) {
	for _, c := range []struct {
		pattern string
		want    string // runs, with sets in brackets
		exact   bool
	}{
		{"error", "error", true},
		{"error|FAIL", "error FAIL", true},
		{"(error|FAIL)", "error FAIL", true},
		{"(error|FAIL): ", "error FAIL", false},
		{"^error$", "error", false},
		{"err(or)?", "err", false},
		{"err(or)?|warn", "err warn", false},
		{"a.*longer.*b", "longer", false},
		{"(abc)+d", "abc", false},
		{"(abc){2,3}", "abcabc", false},
		{"(abc)*", "", false},
		{"x?", "", false},
		{"", "", false},
		{"[Ee]rror", "[Ee]rror", false},
		{"[0-9]{2}ms", "[0123456789][0123456789]ms", false},
		{"[^0-9]x", "x", false},
		{"\\d+%", "%", false},
		{"[a-z]", "", false},
		{"(?i)fail", "[Ff][Aa][Ii][Ll]", false},
		{"(?i)task", "[Tt][Aa]", false},
		{"(?i)ksk", "", false},
		{"(?i)fail|x", "[Ff][Aa][Ii][Ll] [Xx]", false},
		{"日本|error", "日本 error", true},
		{"a\\tb", "a\tb", false},
		{"foo|", "", false},
		{"\\bfoo\\b", "foo", false},
		{"[\\x00-\\x08]xy", "[]xy", false},
	} {
		tree, err := syntax.Parse(c.pattern, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		tree = tree.Simplify()
		var got []string
		for _, r := range required(tree) {
			var b strings.Builder
			for _, set := range r {
				var members []byte
				for i := range 256 {
					if set.has(byte(i)) {
						members = append(members, byte(i))
					}
				}
				if len(members) == 1 {
					b.WriteByte(members[0])
				} else {
					fmt.Fprintf(&b, "[%s]", members)
				}
			}
			got = append(got, b.String())
		}
		if s := strings.Join(got, " "); s != c.want || isLiteral(tree) != c.exact {
			t.Errorf("%q: %q, literal %v, want %q %v", c.pattern, s, isLiteral(tree), c.want, c.exact)
		}
	}
}

// TestFindIsLineByLineMatching: the search for literals finds the lines that the
// pattern alone does.
func TestFindIsLineByLineMatching(t *testing.T) {
	patterns := []string{"ab", "a|c", "ab|bc|ca", "(?i)ab", "(?i)kb", "a+b", "^a", "b$", "[ab]c", "(?i)a|(?i)b", "x", "\\bab\\b", "[^a]b", "é|a", "a\r|b", "[ab]{3}", "a[Bb]+c", "(?i)abc|[bc]a", "(a|b)(b|c)", "(ab|ca)+k"}
	for seed := range uint64(2000) {
		rng := rand.New(rand.NewPCG(seed, 13))
		var text strings.Builder
		for range 1 + rng.IntN(30) {
			for range rng.IntN(12) {
				text.WriteString([]string{"a", "b", "c", "A", "B", "k", "K", "\u212a", " ", "é", "\t"}[rng.IntN(11)])
			}
			text.WriteString([]string{"\n", "\r\n", "\r\r\n"}[rng.IntN(3)])
		}
		re := regexp.MustCompile(patterns[rng.IntN(len(patterns))])
		b := &block{text: []byte(text.String())}
		newMatcher(re).find(b)
		want := &block{text: b.text}
		(&matcher{re: re}).find(want)
		if fmt.Sprint(b.hits) != fmt.Sprint(want.hits) {
			t.Fatalf("%q in %q: got %v, want %v", re, b.text, b.hits, want.hits)
		}
	}
}
