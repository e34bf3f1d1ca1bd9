package tmuxio

import (
	"fmt"
	"strings"
)

// keyClass says which modifiers a terminal can express for a key. tmux types
// the name of a key that it does not know as text, so none may slip through.
type keyClass int

const (
	plainKey  keyClass = iota // Escape, Enter: Meta only
	spaceKey                  // Control and Meta
	cursorKey                 // any combination (xterm's ;N parameters)
)

// Key checks the name of a key and returns it as tmux writes it: Enter Escape
// Tab BTab Space Up Down Left Right Home End PPage NPage IC DC BSpace F1–F12,
// with the prefixes C- M- S- in any order where a terminal can tell the
// combination apart; with C- or M- also a single character (C-c, M-., C-\).
// The error says what to write instead, for a plain character that it is text.
func Key(name string) (string, error) {
	rest := name
	var ctrl, meta, shift bool
	for len(rest) > 2 && rest[1] == '-' {
		var m *bool
		switch rest[0] {
		case 'C', 'c':
			m = &ctrl
		case 'M', 'm':
			m = &meta
		case 'S', 's':
			m = &shift
		}
		if m == nil {
			break
		}
		if *m {
			return "", fmt.Errorf("key %q has a prefix twice", name)
		}
		*m = true
		rest = rest[2:]
	}
	if len([]rune(rest)) == 1 {
		return characterKey(name, rest, ctrl, meta, shift)
	}
	base, class, ok := lookUpKey(rest)
	if !ok {
		if !ctrl && !meta && !shift {
			return "", fmt.Errorf("unknown key %q: text goes into --text", name)
		}
		return "", fmt.Errorf("unknown key %q", name)
	}
	if base == "Tab" && shift {
		base, shift = "BTab", false
	}
	if ctrl && class == plainKey || shift && class != cursorKey {
		return "", fmt.Errorf("key %q: a terminal cannot tell it from %s", name, base)
	}
	return prefixes(ctrl, meta, shift) + base, nil
}

// lookUpKey finds a named key, in any case.
func lookUpKey(s string) (name string, class keyClass, ok bool) {
	for _, group := range []struct {
		class keyClass
		names string
	}{
		{plainKey, "Enter Escape Tab BTab BSpace"},
		{spaceKey, "Space"},
		{cursorKey, "Up Down Left Right Home End PPage NPage IC DC F1 F2 F3 F4 F5 F6 F7 F8 F9 F10 F11 F12"},
	} {
		for name := range strings.FieldsSeq(group.names) {
			if strings.EqualFold(name, s) {
				return name, group.class, true
			}
		}
	}
	return "", 0, false
}

func characterKey(name, char string, ctrl, meta, shift bool) (string, error) {
	switch {
	case !ctrl && !meta:
		return "", fmt.Errorf("key %q is text: use --text", name)
	case shift:
		return "", fmt.Errorf("key %q: shift is part of the character", name)
	case char[0] <= ' ' || char[0] > '~':
		return "", fmt.Errorf("key %q: only ASCII characters go with C- and M-", name)
	}
	if ctrl {
		char = strings.ToLower(char)
		if char == "/" {
			char = "_" // as terminals send it
		}
		if !strings.Contains(`abcdefghijklmnopqrstuvwxyz@[\]^_?`, char) {
			return "", fmt.Errorf("key %q: there is no such control character", name)
		}
	}
	return prefixes(ctrl, meta, false) + char, nil
}

func prefixes(ctrl, meta, shift bool) string {
	p := ""
	if ctrl {
		p += "C-"
	}
	if meta {
		p += "M-"
	}
	if shift {
		p += "S-"
	}
	return p
}
