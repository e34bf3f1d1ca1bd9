package tmuxio

import (
	"strings"
	"testing"
)

func TestKey(t *testing.T) {
	for _, tc := range []struct{ name, want, err string }{
		{"Enter", "Enter", ""}, {"enter", "Enter", ""}, {"Escape", "Escape", ""}, {"Tab", "Tab", ""}, {"BTab", "BTab", ""},
		{"Space", "Space", ""}, {"Up", "Up", ""}, {"PPage", "PPage", ""}, {"npage", "NPage", ""}, {"IC", "IC", ""}, {"DC", "DC", ""},
		{"BSpace", "BSpace", ""}, {"F1", "F1", ""}, {"F12", "F12", ""}, {"f10", "F10", ""},
		{"C-c", "C-c", ""}, {"C-C", "C-c", ""}, {"c-c", "C-c", ""}, {`C-\`, `C-\`, ""}, {"C-Space", "C-Space", ""},
		{"C-[", "C-[", ""}, {"C-]", "C-]", ""}, {"C-^", "C-^", ""}, {"C-_", "C-_", ""}, {"C-?", "C-?", ""}, {"C-@", "C-@", ""}, {"C-/", "C-_", ""}, {"C-M-/", "C-M-_", ""},
		{"M-x", "M-x", ""}, {"M-X", "M-X", ""}, {"M-;", "M-;", ""}, {"M--", "M--", ""}, {"M-1", "M-1", ""},
		{"M-C-a", "C-M-a", ""}, {"C-M-a", "C-M-a", ""}, {"M-Enter", "M-Enter", ""}, {"M-Space", "M-Space", ""}, {"C-M-Space", "C-M-Space", ""},
		{"C-Up", "C-Up", ""}, {"S-Up", "S-Up", ""}, {"S-M-C-up", "C-M-S-Up", ""}, {"S-F5", "S-F5", ""}, {"S-Tab", "BTab", ""},

		{"a", "", "use --text"}, {"é", "", "use --text"}, {"-", "", "use --text"}, {"hello", "", "--text"}, {"", "", "unknown"},
		{"F0", "", "unknown"}, {"F13", "", "unknown"}, {"C-", "", "unknown"}, {"C-Foo", "", "unknown"}, {"C-xy", "", "unknown"},
		{"C-1", "", "no such control character"}, {"C-;", "", "no such control character"}, {"C-é", "", "ASCII"}, {"M-é", "", "ASCII"},
		{"S-a", "", "use --text"}, {"C-S-a", "", "shift is part"}, {"C-C-a", "", "twice"},
		{"S-Enter", "", "cannot tell"}, {"C-Enter", "", "cannot tell"}, {"C-Tab", "", "cannot tell"}, {"S-Space", "", "cannot tell"}, {"C-S-Tab", "", "cannot tell"},
		{"Up;", "", "unknown"}, {"Up Down", "", "unknown"}, {"^C", "", "unknown"},
	} {
		got, err := Key(tc.name)
		if got != tc.want || (err == nil) != (tc.err == "") || err != nil && !strings.Contains(err.Error(), tc.err) {
			t.Errorf("Key(%q) is %q, %v; want %q, %q", tc.name, got, err, tc.want, tc.err)
		}
	}
}

// tmux types the name of a key that it does not know; none that Key lets
// through may be one.
func TestKeysAreKnownToTmux(t *testing.T) {
	s := newServer(t)
	k := newSink(t, s, "a")
	names := strings.Fields("Enter Escape Tab BTab BSpace Space Up Down Left Right Home End PPage NPage IC DC F1 F2 F3 F4 F5 F6 F7 F8 F9 F10 F11 F12")
	for c := ' ' + 1; c <= '~'; c++ {
		names = append(names, string(c))
	}
	var keys []string
	for _, n := range names {
		for _, p := range []string{"", "C-", "M-", "S-", "C-M-", "C-S-", "M-S-", "C-M-S-"} {
			if key, err := Key(p + n); err == nil {
				keys = append(keys, key)
			}
		}
	}
	if len(keys) < 250 {
		t.Fatalf("only %d keys", len(keys))
	}
	// One separator that no key sends between them.
	var args []string
	for _, key := range keys {
		args = append(args, key, "ä")
	}
	typeAndReport(t, s, TypeSpec{Pane: k.PaneID, Keys: args[:len(args)/4*2]})
	typeAndReport(t, s, TypeSpec{Pane: k.PaneID, Keys: append(args[len(args)/4*2:], "End", "ä", "ö")})
	var parts []string
	eventually(t, "all keys", func() bool {
		parts = k.parts(t, "ä")
		return parts[len(parts)-1] == "ö"
	})
	if len(parts) != len(keys)+2 {
		t.Fatalf("%d keys came, want %d", len(parts)-2, len(keys))
	}
	for i, key := range keys {
		if parts[i] == "" || len(key) > 1 && strings.Contains(parts[i], key) || len(parts[i]) > 2 && parts[i][0] != '\x1b' {
			t.Errorf("%s came as %q", key, parts[i])
		}
	}
}
