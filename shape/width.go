package shape

// runeWidth returns how many columns tmux gives the rune: 0, 1 or 2. It says 0
// for combining marks and format characters, 1 for what it does not know.
func runeWidth(c rune) int {
	switch {
	case c < 0x300:
		return 1
	case c >= 0x2500 && c < 0x25fd, c >= 0x2010 && c < 0x2028:
		return 1
	case c >= 0x4e00 && c < 0xa000, c >= 0xac00 && c < 0xd7a4, c >= 0x3041 && c < 0x3097, c >= 0x30a0 && c < 0x3100:
		return 2
	case c >= 0x300 && c < 0x370:
		return 0
	case c < 0x483:
		return 1
	}
	lo, hi := 0, len(spans)
	for lo < hi {
		m := int(uint(lo+hi) >> 1)
		if c > spans[m].hi {
			lo = m + 1
		} else {
			hi = m
		}
	}
	if lo < len(spans) && c >= spans[lo].lo {
		return int(spans[lo].width)
	}
	return 1
}
