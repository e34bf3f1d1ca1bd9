package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/pairmux/pairmux/envelope"
)

// help is made from the command table.

func runHelp(c *call) *outcome {
	if len(c.args) == 0 {
		return &outcome{raw: overview}
	}
	spec := lookup(c.args[0])
	if spec == nil {
		return usage(fmt.Sprintf("unknown command %q", c.args[0]), nearestCommand(c.args[0]))
	}
	return helpFor(spec)
}

// overview is `pairmux help`: at most 40 lines, two groups.
func overview(w io.Writer) error {
	var b strings.Builder
	b.WriteString("pairmux: real terminals that an agent and a human share, over tmux\n\n")
	b.WriteString("usage: pairmux [--json] [--socket S] [--state-dir D] COMMAND [ARGS]\n")
	for _, g := range []struct{ name, title string }{
		{envelope.GroupAgent, "agent commands"}, {envelope.GroupHuman, "human commands"},
	} {
		fmt.Fprintf(&b, "\n%s\n", g.title)
		for _, c := range commands() {
			if c.group == g.name {
				fmt.Fprintf(&b, "  %-9s %s\n", c.name, c.summary)
			}
		}
	}
	b.WriteString("\npairmux help COMMAND shows its flags and an example; pairmux --json lists\nevery command and flag in machine-readable form.\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func helpFor(spec *commandSpec) *outcome {
	return &outcome{raw: func(w io.Writer) error {
		var b strings.Builder
		fmt.Fprintf(&b, "%s: %s\n\nusage: %s\n", spec.name, spec.summary, spec.synopsis)
		if len(spec.flags) > 0 {
			b.WriteString("\nflags\n")
			writeFlags(&b, spec.flags)
		}
		b.WriteString("\nglobal flags\n")
		writeFlags(&b, globalFlags[:3])
		fmt.Fprintf(&b, "\nexample\n  %s\n", spec.example)
		_, err := io.WriteString(w, b.String())
		return err
	}}
}

func writeFlags(b *strings.Builder, flags []flagSpec) {
	for _, f := range flags {
		left := "--" + f.name
		if f.value != "" {
			left += " " + f.value
		}
		help := f.help
		if f.def != "" {
			help += " (default " + f.def + ")"
		}
		if f.repeats {
			help += "; may be repeated"
		}
		fmt.Fprintf(b, "  %-18s %s\n", left, help)
	}
}

// commandList is `pairmux --json`: every command and flag.
func commandList() *outcome {
	r := envelope.New(envelope.StatusOK)
	for _, c := range commands() {
		row := envelope.Command{Name: c.name, Group: c.group, Summary: c.summary, Usage: c.synopsis}
		for _, f := range append(append([]flagSpec(nil), c.flags...), globalFlags[:3]...) {
			row.Flags = append(row.Flags, envelope.Flag{Name: "--" + f.name, Value: f.value, Default: f.def, Help: f.help, Repeats: f.repeats})
		}
		r.Commands = append(r.Commands, row)
	}
	return &outcome{reply: r}
}
