package mcpserver

import "bytes"

// plainHTML turns \u003c, \u003e and \u0026 of a JSON text back into the
// characters themselves, in place. jsonrpc2 marshals with HTML escaping and
// offers no switch; a reply full of '<' would grow sixfold and pass the 10 MiB at
// which the TypeScript SDKs close the connection.
func plainHTML(b []byte) []byte {
	i := bytes.IndexByte(b, '\\')
	if i < 0 {
		return b
	}
	out := b[:i]
	for i < len(b) {
		if b[i] != '\\' {
			j := bytes.IndexByte(b[i:], '\\')
			if j < 0 {
				j = len(b) - i
			}
			out = append(out, b[i:i+j]...)
			i += j
			continue
		}
		if i+6 <= len(b) && b[i+1] == 'u' && b[i+2] == '0' && b[i+3] == '0' {
			if c := htmlChar(b[i+4], b[i+5]); c != 0 {
				out = append(out, c)
				i += 6
				continue
			}
		}
		// An escape is two bytes at least; taking both keeps `\\u003c`, which is
		// a backslash and five letters, as it is.
		n := min(2, len(b)-i)
		out = append(out, b[i:i+n]...)
		i += n
	}
	return out
}

func htmlChar(hi, lo byte) byte {
	switch {
	case hi == '3' && (lo == 'c' || lo == 'C'):
		return '<'
	case hi == '3' && (lo == 'e' || lo == 'E'):
		return '>'
	case hi == '2' && lo == '6':
		return '&'
	}
	return 0
}
