package detect

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

func scanAll(pieces ...string) []Mark {
	var s Scanner
	var got []Mark
	off := int64(0)
	for _, p := range pieces {
		s.Feed([]byte(p), off, func(m Mark) { got = append(got, m) })
		off += int64(len(p))
	}
	return got
}

func TestScannerReadsMarks(t *testing.T) {
	for _, c := range []struct {
		name, in string
		want     []Mark
	}{
		{"prompt start", "\x1b]133;A;aid=x;n=3\a", []Mark{{Kind: 'A', Start: 0, End: 18, AID: "x", N: 3}}},
		{"string terminator", "ab\x1b]133;B;aid=x;n=3\x1b\\c", []Mark{{Kind: 'B', Start: 2, End: 21, AID: "x", N: 3}}},
		{"status and clock", "\x1b]133;D;130;aid=x;n=1;t=12.000345\a", []Mark{{Kind: 'D', End: 34, AID: "x", N: 1, Status: 130, HasStatus: true, Micros: 12000345}}},
		{"comma in the clock", "\x1b]133;C;aid=x;n=1;t=12,000345\a", []Mark{{Kind: 'C', End: 30, AID: "x", N: 1, Micros: 12000345}}},
		{"status over 255 is kept", "\x1b]133;D;258;aid=x;n=1\a", []Mark{{Kind: 'D', End: 22, AID: "x", N: 1, Status: 258, HasStatus: true}}},
		{"unexpanded status is none", "\x1b]133;D;$?;aid=x;n=1\a", []Mark{{Kind: 'D', End: 21, AID: "x", N: 1}}},
		{"negative status is none", "\x1b]133;D;-1;aid=x;n=1\a", []Mark{{Kind: 'D', End: 21, AID: "x", N: 1}}},
		{"no status", "\x1b]133;D\a", []Mark{{Kind: 'D', End: 8, N: -1}}},
		{"attribute in place of the status", "\x1b]133;D;aid=x\a", []Mark{{Kind: 'D', End: 14, AID: "x", N: -1}}},
		{"continuation", "\x1b]133;A;k=s;aid=x;n=2\a", []Mark{{Kind: 'S', End: 22, AID: "x", N: 2}}},
		{"prompt end with a status", "\x1b]133;B;aid=x;n=2;s=4\a", []Mark{{Kind: 'B', End: 22, AID: "x", N: 2, Status: 4, HasStatus: true}}},
		{"launcher's exit", "\x1b]133;X;7;aid=x\a", []Mark{{Kind: 'X', End: 16, AID: "x", N: -1, Status: 7, HasStatus: true}}},
		{"sentinel", "\x1b]133;D;0;aid=x;r=12\a", []Mark{{Kind: 'D', End: 21, AID: "x", N: -1, HasStatus: true, Run: "12"}}},
		{"flags", "\x1b]133;A;aid=x;n=1;f=cv\a", []Mark{{Kind: 'A', End: 23, AID: "x", N: 1, Flags: "cv"}}},
		{"command line is opaque", "\x1b]133;A;aid=x;n=1;cmdline=echo\\ \\;n=2\\;aid=y\a", []Mark{{Kind: 'A', End: 45, AID: "x", N: 1, Cmdline: "echo ;n=2;aid=y"}}},
		{"command line by URL", "\x1b]133;C;cmdline_url=a%20b%3b\a", []Mark{{Kind: 'C', End: 29, N: -1, Cmdline: "a b;"}}},
		{"unknown attribute", "\x1b]133;C;z=1;aid=x;n=1;click_events=1\a", []Mark{{Kind: 'C', End: 37, AID: "x", N: 1}}},
		{"unknown letter", "\x1b]133;L\a", nil},
		{"two letters", "\x1b]133;AB;aid=x\a", nil},
		{"another OSC", "\x1b]0;title\a\x1b]1337;A\a", nil},
		{"cut off", "\x1b]133;D;0;aid=x", nil},
		{"cancelled", "\x1b]133;D;0\x18;aid=x;n=1\a", nil},
		{"broken by another escape", "\x1b]133;D;0\x1b[m;n=1\a", nil},
		{"a mark inside a broken one", "\x1b]133;D;0\x1b]133;D;1;n=1\a", []Mark{{Kind: 'D', Start: 9, End: 23, N: 1, Status: 1, HasStatus: true}}},
		{"escape before a mark", "\x1b\x1b]133;D;1;n=1\a", []Mark{{Kind: 'D', Start: 1, End: 15, N: 1, Status: 1, HasStatus: true}}},
		{"too long", "\x1b]133;A;cmdline=" + strings.Repeat("x", maxMark) + "\a", nil},
	} {
		got := scanAll(c.in)
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %q\n got %+v\nwant %+v", c.name, c.in, got, c.want)
		}
		// Split anywhere gives the same.
		for i := 1; i < len(c.in) && len(c.in) < 200; i++ {
			if got := scanAll(c.in[:i], c.in[i:]); !reflect.DeepEqual(got, c.want) {
				t.Errorf("%s: split at %d\n got %+v\nwant %+v", c.name, i, got, c.want)
			}
		}
		if got := scanAll(strings.Split(c.in, "")...); len(c.in) < 200 && !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: byte by byte\n got %+v\nwant %+v", c.name, got, c.want)
		}
	}
}

func FuzzScannerSplit(f *testing.F) {
	for _, s := range []string{
		"\x1b]133;D;0;aid=x;n=1\a", "\x1b]133;A;aid=x;n=1\x1b\\\x1b]133;B\a", "\x1b]133;D;0\x1b]133;D;1;n=1\a", "\x1b]133\x1b]133;C\a", "\x1b]133;A\x18",
	} {
		f.Add(s, 3, 9)
	}
	f.Fuzz(func(t *testing.T, s string, a, b int) {
		if len(s) > 4096 {
			return
		}
		cut := func(n int) int { return max(0, min(len(s), n)) }
		a, b = min(cut(a), cut(b)), max(cut(a), cut(b))
		whole := scanAll(s)
		if parts := scanAll(s[:a], s[a:b], s[b:]); !reflect.DeepEqual(whole, parts) {
			t.Fatalf("%q split at %d and %d\nwhole %+v\nparts %+v", s, a, b, whole, parts)
		}
		for _, m := range whole {
			if m.Start < 0 || m.End > int64(len(s)) || m.End <= m.Start {
				t.Fatalf("%q: bad place %+v", s, m)
			}
		}
	})
}

func TestUnquoteUndoesTheShellsQuoting(t *testing.T) {
	for in, want := range map[string]string{
		`echo\ hi\;\ \(exit\ 3\)`: "echo hi; (exit 3)",
		`$'a\nb\tc\'d'`:           "a\nb\tc'd",
		`$'\303\251\x41\u00e9'`:   "\u00e9A\u00e9",
		`'a b'c`:                  "a bc",
		`plain`:                   "plain",
		`'open`:                   "'open",
		`a\`:                      `a\`,
		`$'\033[m'`:               "\x1b[m",
		`''`:                      "",
	} {
		if got := unquote(in); got != want {
			t.Errorf("unquote(%q) = %q, want %q", in, got, want)
		}
	}
}

// say builds marks of the application id "me" from short words: A1 B1 C1 D1=0
// S1 X=7; a leading "!" makes another's mark.
func say(words string) string {
	var b strings.Builder
	for _, w := range strings.Fields(words) {
		aid := "me"
		if w[0] == '!' {
			aid, w = "other", w[1:]
		}
		num, status, has := strings.Cut(w[1:], "=")
		switch w[0] {
		case 'X':
			fmt.Fprintf(&b, "\x1b]133;X;%s;aid=%s\a", status, aid)
		case 'S':
			fmt.Fprintf(&b, "\x1b]133;A;k=s;aid=%s;n=%s\a", aid, num)
		case 'D':
			if has {
				fmt.Fprintf(&b, "\x1b]133;D;%s;aid=%s;n=%s\a", status, aid, num)
			} else {
				fmt.Fprintf(&b, "\x1b]133;D;$?;aid=%s;n=%s\a", aid, num)
			}
		case '-':
			b.WriteString(w[1:] + "\r\n")
		default:
			fmt.Fprintf(&b, "\x1b]133;%c;aid=%s;n=%s\a", w[0], aid, num)
		}
	}
	return b.String()
}

func TestMachineFollowsAShell(t *testing.T) {
	for _, c := range []struct {
		name, in string
		phase    Phase
		n        int64
		changes  string
	}{
		{"a command", "A1 B1 C1 -out D1=3 A2 B2", Ready, 2, "Prompted Readied Started Finished Prompted Readied"},
		{"an empty line", "A1 B1 D1=0 A2 B2", Ready, 2, "Prompted Readied Refused Prompted Readied"},
		{"a redrawn prompt", "A1 B1 B1 A1 B1", Ready, 1, "Prompted Readied Readied Readied"},
		{"an incomplete line", "A1 B1 S1", Ready, 1, "Prompted Readied Continued"},
		{"cancelled", "A1 B1 S1 D1=130 A2 B2", Ready, 2, "Prompted Readied Continued Refused Prompted Readied"},
		{"a foreign end", "A1 B1 C1 !D1=0", Open, 1, "Prompted Readied Started"},
		{"an end of another prompt", "A5 B5 C5 D4=0 D6=0", Ended, 6, "Prompted Readied Started Refused"},
		{"an end without a number", "A1 B1 C1 D1", Open, 1, "Prompted Readied Started"},
		{"a replayed journal", "A1 B1 C1 D1=0 A2 B2 C2 A1 B1 C1 D1=0 A2 B2 C2", Open, 2, "Prompted Readied Started Finished Prompted Readied Started Reprompt"},
		{"the first end wins", "A1 B1 C1 D1=3 D1=0 A2 B2", Ready, 2, "Prompted Readied Started Finished Prompted Readied"},
		{"hooks lost", "A1 B1 C1 -out B1", Open, 1, "Prompted Readied Started Reprompt"},
		{"an end was lost", "A1 B1 C1 -out A2 B2", Ready, 2, "Prompted Readied Started Prompted Readied"},
		{"the shell exits", "A1 B1 C1 X=7", Exited, 1, "Prompted Readied Started Quit"},
		{"nothing after the exit", "A1 B1 X=7 A2 B2", Exited, 1, "Prompted Readied Quit"},
		{"begin inside a command", "D4=0 A5 B5", Ready, 5, "Finished Prompted Readied"},
		{"begin behind a prompt", "C4 -out", Open, 4, "Started"},
	} {
		m := Machine{AID: "me"}
		var changes []string
		for _, k := range scanAll(say(c.in)) {
			if ch := m.Feed(k); ch != Nothing {
				changes = append(changes, changeName[ch])
			}
		}
		if m.Phase != c.phase || m.N != c.n || strings.Join(changes, " ") != c.changes {
			t.Errorf("%s: phase %d n %d changes %q, want %d %d %q", c.name, m.Phase, m.N, strings.Join(changes, " "), c.phase, c.n, c.changes)
		}
	}
}

var changeName = map[Change]string{
	Prompted: "Prompted", Readied: "Readied", Continued: "Continued", Started: "Started",
	Finished: "Finished", Refused: "Refused", Reprompt: "Reprompt", Quit: "Quit",
}

func TestMachineTellsWhereTheOutputIs(t *testing.T) {
	in := say("A1 B1 C1") + "out\r\n" + say("D1=3")
	m := Machine{AID: "me"}
	for _, k := range scanAll(in) {
		m.Feed(k)
	}
	if got := in[m.Last.Start:m.Last.End]; got != "out\r\n" || m.Last.Status != 3 || m.Last.MarkEnd != int64(len(in)) {
		t.Errorf("output %q of %+v", got, m.Last)
	}
	if m.Phase != Ended {
		t.Errorf("phase %d", m.Phase)
	}
}

func TestMachineExpectIgnoresWhatCameBefore(t *testing.T) {
	m := Machine{AID: "me"}
	m.Expect(7, 0)
	for _, k := range scanAll(say("A3 B3 C3 D3=0 A6 B6")) {
		if ch := m.Feed(k); ch != Nothing {
			t.Errorf("%+v changed the state: %s", k, changeName[ch])
		}
	}
	for _, k := range scanAll(say("C7 D7=1")) {
		m.Feed(k)
	}
	if m.Phase != Ended || m.Last.Status != 1 {
		t.Errorf("phase %d, last %+v", m.Phase, m.Last)
	}
}
