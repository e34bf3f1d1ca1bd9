package tmuxio

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// A TypeSpec says what is typed into a pane and under which conditions: text,
// then keys, then Enter. With none of them [Server.Type] only looks, and does
// what the other fields say.
type TypeSpec struct {
	Pane string

	// Name and ServerPID say whose pane it has to be: ids begin anew with a new
	// server. Another's pane, like a missing one, is [ErrNoTarget], and nothing
	// is done to it. "" and 0 are not compared.
	Name      string
	ServerPID int

	Text  []byte   // any bytes
	Keys  []string // tmux's names, from [Key]
	Enter bool

	// Bracketed sends the text as a paste, in brackets if the program asked
	// for them.
	Bracketed bool

	// Guard, if set, has to hold at the moment of typing.
	Guard *Guard

	// NotAfter, if set, keeps a server that was stopped meanwhile from typing
	// what its caller has given up. Accurate to a second, never too early.
	NotAfter time.Time

	// ClearTouched resets the mark that a human could have typed into the pane
	// ([Report.Touched]); it stays while one looks at the window.
	ClearTouched bool

	// Repipe is the sh command of a pipe to be armed, as
	// [WindowSpec.PipeCmd], if the pane has none; with RepipeForce also in
	// place of one that tmux believes in but whose child is known to be dead.
	Repipe      string
	RepipeForce bool

	// Notice is shown to attached humans before anything is typed.
	Notice string
}

// A Guard is the state of an empty prompt: the cursor in the column where the
// prompt ends, and nothing under it.
type Guard struct{ CursorX int }

// A Report is what [Server.Type] saw and did. All but the first four fields are
// facts from just before the typing.
type Report struct {
	Typed   bool // false also if the pane is dead or takes no input
	Refused bool // by the guard
	Late    bool // past NotAfter
	Repiped bool

	Dead, PipeOn, InMode, InputOff bool
	Sync                           bool // what is typed goes to other panes of the window too
	Touched                        bool // a human could have typed since the last ClearTouched
	Attached                       int  // clients that look at the window
	CursorX, CursorY               int
	Width, Height                  int
	AltScreen                      bool
	PanePID                        int
	CurrentCommand                 string
}

const reportFormat = "#{pane_dead}\t#{pane_pipe}\t#{pane_in_mode}\t#{pane_input_off}\t#{pane_synchronized}\t#{@pm_touched}\t" +
	"#{window_active_clients}\t#{cursor_x}\t#{cursor_y}\t#{pane_width}\t#{pane_height}\t#{alternate_on}\t#{pane_pid}\t#{pane_current_command}"

// Type starts one client that leaves copy mode, types and reports, and does not
// wait for it; [Call.Report] does. No other client can type in between. Text
// that does not fit into a message goes through a paste buffer that is deleted
// again. Control characters are passed on as they are. Errors are those of
// [Server.Start].
func (s *Server) Type(spec TypeSpec) (*Call, error) {
	c := &Call{s: s, name: "send-keys", umask: -1}
	direct := !spec.Bracketed && bytes.IndexByte(spec.Text, 0) < 0 && len(spec.Text) < maxArgs
	if direct || len(spec.Text) == 0 {
		c.args = typeArgs(spec, "")
	}
	if len(spec.Text) > 0 && (!direct || size(c.args) > maxArgs) {
		buffer := fmt.Sprintf("pm-%d-%d", os.Getpid(), buffers.Add(1))
		c.args, c.stdin = typeArgs(spec, buffer), spec.Text
	}
	if err := c.start(); err != nil {
		return nil, err
	}
	return c, nil
}

// buffers numbers the paste buffers of this process.
var buffers atomic.Int64

// always is a condition that holds; a bare 1 would be taken for a variable.
const always = "#{==:1,1}"

// typeArgs builds the chain. Everything that changes anything stands in one
// branch of an if-shell, so that the conditions and what depends on them are
// one step for the server.
func typeArgs(spec TypeSpec, buffer string) []string {
	p := spec.Pane
	var body [][]string
	do := func(cmd ...string) { body = append(body, cmd) }

	// A mode would swallow keys. This also fails for a missing pane, which
	// display-message does not.
	do("copy-mode", "-q", "-t", p)
	if spec.Repipe != "" {
		arm := []string{"pipe-pane", "-t", p, "--", FormatLiteral(spec.Repipe)}
		say := []string{"display-message", "-p", "repiped"}
		if spec.RepipeForce {
			do(arm...)
			do(say...)
		} else {
			do("if-shell", "-F", "-t", p, "#{||:#{pane_pipe},#{pane_dead}}", "", commandString(arm, say))
		}
	}
	if len(spec.Text) > 0 {
		if buffer == "" {
			do("send-keys", "-t", p, "-l", "--", string(spec.Text))
		} else {
			body = append(body, pasteCommand(p, buffer, spec.Bracketed))
		}
	}
	if len(spec.Keys) > 0 {
		do(append([]string{"send-keys", "-t", p, "--"}, spec.Keys...)...)
	}
	if spec.Enter {
		do("send-keys", "-t", p, "--", "Enter")
	}
	if spec.ClearTouched {
		do("set", "-p", "-t", p, "-F", "@pm_touched", "#{?window_active_clients,1,}")
	}
	do("display-message", "-p", "-t", p, "#{?#{||:#{pane_dead},#{pane_input_off}},closed,typed}")

	owner, late, guard := always, always, always
	if spec.Name != "" {
		owner = "#{==:#{" + NameOption + "}," + spec.Name + "}"
	}
	if spec.ServerPID != 0 {
		owner = "#{&&:" + owner + ",#{==:#{pid}," + strconv.Itoa(spec.ServerPID) + "}}"
	}
	if !spec.NotAfter.IsZero() {
		late = "#{e|<=:#{T:@pm_clock}," + strconv.FormatInt(spec.NotAfter.Unix()+1, 10) + "}"
	}
	if spec.Guard != nil {
		guard = "#{&&:#{==:#{cursor_x}," + strconv.Itoa(spec.Guard.CursorX) + "},#{m/r:^ *$,#{cursor_character}}}"
	}
	condition := "#{&&:" + owner + ",#{&&:" + late + "," + guard + "}}"
	refusal := [][]string{{"display-message", "-p", "-t", p, "#{?" + owner + ",#{?" + late + ",refused,late},foreign}"}}

	var cmds [][]string
	if buffer != "" {
		cmds = append(cmds, []string{"load-buffer", "-b", buffer, "-"})
		refusal = append(refusal, []string{"delete-buffer", "-b", buffer})
	}
	if late != always {
		// T: expands an option's value by strftime.
		cmds = append(cmds, []string{"set", "-g", "@pm_clock", "%s"})
	}
	if spec.Notice != "" {
		// It makes the chain wait for a moment, so the conditions for typing
		// are looked at again after it.
		cmds = append(cmds, []string{"if-shell", "-F", "-t", p, condition, commandString(noticeCommands(spec.Notice)...), ""})
	}
	cmds = append(cmds,
		[]string{"display-message", "-p", "-t", p, reportFormat},
		[]string{"if-shell", "-F", "-t", p, condition, commandString(body...), commandString(refusal...)},
	)
	return Chain(cmds...)
}

// pasteCommand pastes the buffer and deletes it. Pasting into a dead pane kills
// servers up to 3.3a; from 3.7 on -S keeps control characters, before it is
// refused.
func pasteCommand(pane, buffer string, bracketed bool) []string {
	flags := []string{"-r", "-d", "-b", buffer, "-t", pane}
	if bracketed {
		flags = append([]string{"-p"}, flags...)
	}
	plain := commandString(append([]string{"paste-buffer"}, flags...))
	raw := commandString(append([]string{"paste-buffer", "-S"}, flags...))
	return []string{"if-shell", "-F", "-t", pane, "#{pane_dead}",
		commandString([]string{"delete-buffer", "-b", buffer}),
		commandString([]string{"if-shell", "-F", "#{m/r:^(next-)?3[.][2-6]|^openbsd,#{version}}", plain, raw}),
	}
}

// Report waits for a call of [Server.Type] as [Call.Wait] does and reads what
// it says.
func (c *Call) Report(ctx context.Context) (Report, error) {
	out, err := c.Wait(ctx)
	if err != nil {
		return Report{}, err
	}
	facts, words, _ := strings.Cut(out, "\n")
	f := strings.SplitN(facts, "\t", 14)
	if len(f) != 14 {
		return Report{}, &Error{Op: "send-keys", Stderr: strings.TrimSpace(out), Err: ErrServerExited}
	}
	r := Report{
		Dead: f[0] == "1", PipeOn: f[1] == "1", InMode: number(f[2]) > 0, InputOff: f[3] == "1",
		Sync: f[4] == "1", Touched: f[5] == "1", Attached: number(f[6]),
		CursorX: number(f[7]), CursorY: number(f[8]), Width: number(f[9]), Height: number(f[10]),
		AltScreen: f[11] == "1", PanePID: number(f[12]), CurrentCommand: f[13],
	}
	for word := range strings.FieldsSeq(words) {
		switch word {
		case "typed":
			r.Typed = true
		case "refused":
			r.Refused = true
		case "late":
			r.Late = true
		case "repiped":
			r.Repiped = true
		case "foreign":
			return Report{}, &Error{Op: "send-keys", Stderr: "not the pane that is meant", Err: ErrNoTarget}
		}
	}
	return r, nil
}
