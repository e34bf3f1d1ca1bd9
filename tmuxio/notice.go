package tmuxio

import (
	"context"
	"errors"
	"strings"
	"unicode"
)

// DisplayMessage shows one line of text to every attached human for three
// seconds, on the status line. Nobody attached, or no server: no error.
func (s *Server) DisplayMessage(ctx context.Context, text string) error {
	_, err := s.Run(ctx, Chain(noticeCommands(text)...)...)
	if errors.Is(err, ErrNoServer) {
		return nil
	}
	return err
}

// noticeCommands show text to one client of each session that has any. The
// text stands in an option: its value is not expanded again, so it needs no
// quoting for the three grammars that it would else go through. l: keeps the
// option's name through the first of two expansions.
func noticeCommands(text string) [][]string {
	clean := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
	if r := []rune(clean); len(r) > 500 {
		clean = string(r[:500])
	}
	return [][]string{
		// The line is drawn with styles, in which "##" is a '#'.
		{"set", "-g", "--", "@pm_notice", strings.ReplaceAll(clean, "#", "##")},
		{"run-shell", "-C", `#{S:#{?session_attached_list,display-message -d 3000 -c "#{s/,.*//:session_attached_list}" "#{l:#{@pm_notice}}" ;,}}`},
	}
}
