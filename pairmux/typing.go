package main

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/pairmux/pairmux/detect"
	"github.com/pairmux/pairmux/tmuxio"
)

// typingFresh is how long ago a human's last key may be for the human to count
// as typing.
const typingFresh = 10 * time.Second

// humanTypes reports whether a person at an attached client types into this
// terminal: a key within the last seconds (tmux counts whole ones), or a line
// at the shell's prompt that no send put there. s is the state before the keys
// of the caller.
func (t *terminal) humanTypes(ctx context.Context, srv *tmuxio.Server, s *state) bool {
	if m := &s.machine; m.Phase == detect.Ready {
		from := m.ReadyAt
		if sent := s.recent.sent; sent != nil && sent.Offset >= from {
			from = s.scanned
			if t.lastByte().Sub(sent.TS) > keysEcho { // later than that send's effect
				from = sent.Offset
			}
		}
		if printable(t.bytes(from, s.scanned, 16<<10)) {
			return true
		}
	}
	// A client's pane is the active one of the window it looks at: where its
	// keys go. Attaching counts as activity.
	out, err := srv.Run(ctx, "list-clients", "-F", "#{pane_id}\t#{client_readonly}\t#{client_activity}\t#{client_created}")
	if err != nil {
		return false
	}
	for row := range strings.Lines(out) {
		f := strings.Split(strings.TrimSpace(row), "\t")
		if len(f) != 4 || f[0] != t.meta.PaneID || f[1] == "1" {
			continue
		}
		last, e1 := strconv.ParseInt(f[2], 10, 64)
		attached, e2 := strconv.ParseInt(f[3], 10, 64)
		if e1 == nil && e2 == nil && last > attached && time.Since(time.Unix(last, 0)) < typingFresh {
			return true
		}
	}
	return false
}
