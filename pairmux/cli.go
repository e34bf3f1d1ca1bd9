package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/pairmux/pairmux/detect"
	"github.com/pairmux/pairmux/envelope"
	"github.com/pairmux/pairmux/mcpserver"
	"github.com/urfave/cli/v2"
)

// call is one invocation of one command: its checked flags, its positionals and
// the place it works on.
type call struct {
	ctx   context.Context
	spec  *commandSpec
	flags *cli.Context
	args  []string
	env   *environment
	began time.Time
}

// outcome is what a command hands back: a reply, or plain text where SPEC says
// that a command has no envelope.
type outcome struct {
	reply *envelope.Reply
	exit  int
	// stream, when set, writes the reply's output; its size has no bound.
	stream func(io.Writer) error
	// raw, when set, replaces the reply altogether.
	raw func(io.Writer) error
}

// words is the result of reading the command line.
type words struct {
	json    bool
	name    string   // the command, "" when none was given
	argv    []string // for the flag parser: the command, --flag=value…, --, positionals
	args    []string
	given   map[string]string // flags that were given, with the last value
	problem *outcome
}

// parse brings the command line into the one order that the flag parser takes
// (flags first) and checks everything that can be checked without looking at
// the system. The first fault is reported, but reading goes on, since --json
// may still follow and decides how the fault is shown.
func parse(argv []string) words {
	w := words{given: map[string]string{}}
	var spec *commandSpec
	var flags []string
	fault := func(message, hint string) {
		if w.problem == nil {
			w.problem = usage(message, hint)
		}
	}
	helpHint := func() string {
		if spec != nil {
			return "pairmux help " + spec.name
		}
		return "pairmux help"
	}
	ended := false
	for i := 0; i < len(argv); i++ {
		word := argv[i]
		if ended || len(word) < 2 || word[0] != '-' {
			if spec == nil && w.name == "" {
				w.name = word
				if spec = lookup(word); spec == nil {
					fault(fmt.Sprintf("unknown command %q", word), nearestCommand(word))
				}
				continue
			}
			w.args = append(w.args, word)
			continue
		}
		if word == "--" {
			ended = true
			continue
		}
		if word == "-h" {
			word = "--help"
		}
		name, value, inline := strings.Cut(strings.TrimPrefix(word, "--"), "=")
		var f *flagSpec
		if strings.HasPrefix(word, "--") {
			if spec != nil {
				f = spec.flag(name)
			} else {
				f = globalFlag(name)
			}
		}
		if f == nil {
			hint := helpHint()
			if spec != nil && spec.max < 0 && len(w.args) > 0 {
				hint = behindDashes(argv, i, len(w.args))
			}
			shown, _, _ := strings.Cut(word, "=")
			fault(fmt.Sprintf("unknown flag %s%s", shown, of(spec)), hint)
			continue
		}
		if f.kind == boolean {
			if inline {
				fault(fmt.Sprintf("flag --%s takes no value", name), helpHint())
			}
			value = "true"
		} else if !inline {
			if i+1 == len(argv) {
				fault(fmt.Sprintf("flag --%s needs a value", name), helpHint())
				continue
			}
			i++
			value = argv[i]
		}
		if _, twice := w.given[name]; twice && !f.repeats {
			fault(fmt.Sprintf("flag --%s is given twice", name), helpHint())
			continue
		}
		w.given[name] = value
		if f.kind != boolean {
			if err := f.check(value); err != nil {
				fault(fmt.Sprintf("--%s %s: %v", name, detect.Quote(value), err), helpHint())
				continue
			}
		}
		switch name {
		case "json":
			w.json = true
		default:
			flags = append(flags, "--"+name+"="+value)
		}
	}
	if spec == nil {
		return w
	}
	w.argv = append([]string{"pairmux", spec.name}, flags...)
	w.argv = append(append(w.argv, "--"), w.args...)
	if _, help := w.given["help"]; help {
		return w
	}
	for _, set := range spec.excludes {
		var both []string
		for _, name := range set {
			if _, ok := w.given[name]; ok {
				both = append(both, "--"+name)
			}
		}
		if len(both) > 1 {
			fault(strings.Join(both, " and ")+" exclude each other", helpHint())
		}
	}
	switch n := len(w.args); {
	case n < spec.min:
		fault(fmt.Sprintf("%s needs %s", spec.name, missing(spec)), helpHint())
	case spec.max >= 0 && n > spec.max:
		fault(fmt.Sprintf("%s does not take %q", spec.name, w.args[spec.max]), helpHint())
	}
	return w
}

func of(spec *commandSpec) string {
	if spec == nil {
		return ""
	}
	return " of " + spec.name
}

func missing(spec *commandSpec) string {
	switch spec.name {
	case "note":
		return "a terminal's name and a text"
	case "mcp":
		return "the word serve"
	case "skill":
		return "the word install"
	default:
		return "a terminal's name"
	}
}

// behindDashes is the line the caller probably meant: from the first word that
// looks like a flag but belongs to the command to run, everything is behind
// "--". The flags that came before it stay where they are.
func behindDashes(argv []string, bad, positionals int) string {
	// The words of the command begin after the terminal's name, which is the
	// first positional after the command's own.
	var out []string
	seen := 0
	split := -1
	for i := 0; i < bad; i++ {
		word := argv[i]
		if len(word) > 1 && word[0] == '-' {
			out = append(out, word)
			name, _, inline := strings.Cut(strings.TrimPrefix(word, "--"), "=")
			if f := flagOf(argv, name); f != nil && f.kind != boolean && !inline && i+1 < bad {
				i++
				out = append(out, argv[i])
			}
			continue
		}
		seen++
		if seen == 3 {
			split = len(out)
		}
		out = append(out, word)
	}
	if split < 0 {
		split = len(out)
	}
	line := append(append(slices.Clone(out[:split]), "--"), out[split:]...)
	line = append(line, argv[bad:]...)
	for i := range line {
		line[i] = detect.Quote(line[i])
	}
	return "pairmux " + strings.Join(line, " ")
}

func flagOf(argv []string, name string) *flagSpec {
	for _, word := range argv {
		if c := lookup(word); c != nil {
			return c.flag(name)
		}
	}
	return globalFlag(name)
}

func nearestCommand(word string) string {
	var names []string
	for _, c := range commands() {
		names = append(names, c.name)
	}
	if n := nearest(word, names); n != "" {
		return "pairmux help " + n
	}
	return "pairmux help"
}

// start runs one invocation and returns the exit status.
func start(argv []string) int {
	if code, done := hidden(argv); done {
		return code
	}
	// A child of the MCP server ends with it, whatever ended it.
	mcpserver.WatchLife(func() {
		_ = syscall.Kill(os.Getpid(), syscall.SIGTERM)
		time.Sleep(2 * time.Second)
		os.Exit(1)
	})
	w := parse(argv[1:])
	env, problem := newEnvironment(w.given)
	out := dispatch(w, env, problem)
	if env != nil && out.reply != nil {
		env.carryInto(out.reply)
	}
	return emit(out, w)
}

func dispatch(w words, env *environment, problem *outcome) *outcome {
	_, help := w.given["help"]
	_, version := w.given["version"]
	switch {
	case w.problem != nil:
		return w.problem
	case w.name == "" && version:
		return runVersion(nil)
	case w.name == "" && w.json && !help:
		return commandList()
	case w.name == "":
		return &outcome{raw: overview}
	case help:
		return helpFor(lookup(w.name))
	}
	if problem != nil {
		return problem
	}
	spec := lookup(w.name)
	var out *outcome
	app := &cli.App{
		Name:            "pairmux",
		Compiled:        time.Now(), // else it looks for a file of this name
		HideHelp:        true,
		HideVersion:     true,
		HideHelpCommand: true,
		Writer:          io.Discard,
		ErrWriter:       io.Discard,
		ExitErrHandler:  func(*cli.Context, error) {},
		// A value with a comma is one value.
		DisableSliceFlagSeparator: true,
		Commands: []*cli.Command{{
			Name:     spec.name,
			HideHelp: true,
			Flags:    cliFlags(spec),
			Action: func(ctx *cli.Context) error {
				out = spec.run(&call{
					ctx: context.Background(), spec: spec, flags: ctx,
					args: ctx.Args().Slice(), env: env, began: time.Now(),
				})
				return nil
			},
		}},
	}
	if err := app.Run(w.argv); err != nil && out == nil {
		return usage(err.Error(), "pairmux help "+spec.name)
	}
	return out
}

func cliFlags(spec *commandSpec) []cli.Flag {
	var list []cli.Flag
	for _, f := range append(slices.Clone(spec.flags), globalFlags...) {
		switch {
		case f.kind == boolean:
			list = append(list, &cli.BoolFlag{Name: f.name})
		case f.repeats:
			list = append(list, &cli.StringSliceFlag{Name: f.name})
		default:
			list = append(list, &cli.StringFlag{Name: f.name, Value: f.def})
		}
	}
	return list
}

// emit writes the outcome to stdout and returns the exit status.
func emit(out *outcome, w words) int {
	var err error
	switch {
	case out.raw != nil:
		err = out.raw(os.Stdout)
	case w.json && out.stream != nil:
		err = out.reply.StreamJSON(os.Stdout, out.stream)
	case w.json:
		err = out.reply.WriteJSON(os.Stdout)
	case out.stream != nil:
		err = out.reply.StreamText(os.Stdout, textOptions(), out.stream)
	default:
		err = out.reply.WriteText(os.Stdout, textOptions())
	}
	if err != nil && !errors.Is(err, envelope.ErrPartial) && out.stream != nil {
		// Nothing has been written yet: an error reply takes the place.
		out = internal(err)
		if w.json {
			err = out.reply.WriteJSON(os.Stdout)
		} else {
			err = out.reply.WriteText(os.Stdout, textOptions())
		}
	}
	if _, own := w.given["exit-status"]; own && out.reply != nil && !out.reply.OK {
		return 125
	}
	if err != nil && out.exit == 0 {
		return 1
	}
	return out.exit
}

func textOptions() envelope.TextOptions {
	st, err := os.Stdout.Stat()
	tty := err == nil && st.Mode()&os.ModeCharDevice != 0
	return envelope.TextOptions{Color: tty && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
}

// The accessors below return values that parse has already checked.

func (c *call) bool(name string) bool     { return c.flags.Bool(name) }
func (c *call) text(name string) string   { return c.flags.String(name) }
func (c *call) given(name string) bool    { return c.flags.IsSet(name) }
func (c *call) list(name string) []string { return c.flags.StringSlice(name) }

func (c *call) duration(name string) time.Duration {
	d, _ := parseDuration(c.text(name))
	return d
}

func (c *call) int(name string) int64 {
	n, _ := parseCount(c.text(name), 0)
	return n
}

func (c *call) size(name string) int64 {
	n, _ := parseSize(c.text(name))
	return n
}

// nearest returns the candidate that is closest to word, or "" when none is
// close.
func nearest(word string, candidates []string) string {
	best, limit := "", max(1, len(word)/3)+1
	for _, c := range candidates {
		if d := distance(word, c); d < limit {
			best, limit = c, d
		}
	}
	return best
}

// distance counts the edits between two words: a character more, fewer or
// another, or two neighbours swapped.
func distance(a, b string) int {
	var older []int
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		next := make([]int, len(b)+1)
		next[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			next[j+1] = min(row[j]+cost, row[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], older[j-1]+1)
			}
		}
		older, row = row, next
	}
	return row[len(b)]
}
