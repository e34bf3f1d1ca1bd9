package tmuxio

import (
	"context"
	"errors"
	"strings"
)

// A Pane is a terminal of ours as the server sees it.
type Pane struct {
	ID, WindowID   string
	Name           string // the value of [NameOption]
	CurrentCommand string // name of the foreground process
	PID            int
	ServerPID      int // pane ids mean something only within one server's life
	Dead           bool
	PipeOn         bool // stays true when the pipe's child has died, until output shows it
	InMode         bool // copy mode and its like
	InputOff       bool // a human has disabled input
	Touched        bool // a human could have typed, see [TypeSpec.ClearTouched]
	Attached       int  // clients that look at its window now
	Width, Height  int
	CursorX        int // from 0
	CursorY        int
	AltScreen      bool
}

// A process may have any byte in its name, so the name comes last.
const paneFormat = "#{pane_id}\t#{window_id}\t#{" + NameOption + "}\t#{pane_pid}\t#{pid}\t" +
	"#{pane_dead}\t#{pane_pipe}\t#{pane_in_mode}\t#{pane_input_off}\t#{@pm_touched}\t#{window_active_clients}\t" +
	"#{pane_width}\t#{pane_height}\t#{cursor_x}\t#{cursor_y}\t#{alternate_on}\t#{pane_current_command}"

// Panes lists the terminals, in the order of their windows. No server is no
// pane and no error. They are looked for in all sessions, in case a human has
// renamed ours or moved a window.
func (s *Server) Panes(ctx context.Context) ([]Pane, error) {
	out, err := s.Run(ctx, "list-panes", "-a", "-f", "#{"+NameOption+"}", "-F", paneFormat)
	if errors.Is(err, ErrNoServer) || errors.Is(err, ErrNoTarget) ||
		errors.Is(err, ErrServerExited) && s.Health() != Alive {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var panes []Pane
	seen := map[string]bool{}
	for line := range strings.Lines(out) {
		p, ok := parsePane(strings.TrimSuffix(line, "\n"))
		// Grouped sessions show the same window once each.
		if ok && !seen[p.ID] {
			seen[p.ID] = true
			panes = append(panes, p)
		}
	}
	return panes, nil
}

func parsePane(line string) (Pane, bool) {
	f := strings.SplitN(line, "\t", 17)
	if len(f) != 17 || !strings.HasPrefix(f[0], "%") {
		return Pane{}, false
	}
	return Pane{
		ID: f[0], WindowID: f[1], Name: f[2],
		PID: number(f[3]), ServerPID: number(f[4]),
		Dead: f[5] == "1", PipeOn: f[6] == "1", InMode: number(f[7]) > 0, InputOff: f[8] == "1", Touched: f[9] == "1",
		Attached: number(f[10]),
		Width:    number(f[11]), Height: number(f[12]), CursorX: number(f[13]), CursorY: number(f[14]),
		AltScreen: f[15] == "1", CurrentCommand: f[16],
	}, true
}

// KillPane ends a pane at once. Output that the pane's pipe has not yet taken
// is lost, so it is the last resort after signals. A missing pane is
// [ErrNoTarget].
func (s *Server) KillPane(ctx context.Context, pane string) error {
	_, err := s.Run(ctx, "kill-pane", "-t", pane)
	return err
}
