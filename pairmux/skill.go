package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/pairmux/pairmux/detect"
	"github.com/pairmux/pairmux/envelope"
	"github.com/pairmux/pairmux/skillpack"
)

// skill installs the embedded Agent Skill into the places where agents look.
func runSkill(c *call) *outcome {
	if c.args[0] != "install" {
		return usage("skill does not take "+detect.Quote(c.args[0]), "pairmux skill install")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return badArgs("HOME is not set: there is no place to install to", "pairmux help skill")
	}
	results, err := skillpack.Install(skillpack.Options{
		Home: home, Target: c.text("target"), DryRun: c.bool("dry-run"), Env: os.Getenv,
	})
	if errors.Is(err, skillpack.ErrTarget) {
		return badArgs(err.Error(), "pairmux help skill")
	}
	status := envelope.StatusInstalled
	if c.bool("dry-run") {
		status = envelope.StatusDryRun
	}
	r := envelope.New(status)
	if err != nil {
		out := internal(err)
		r = out.reply
	}
	var lines []string
	for _, x := range results {
		line := fmt.Sprintf("%s  %s  %s", x.Target, x.Action, x.Path)
		if x.Why != "" {
			line += "  (" + x.Why + ")"
		}
		lines = append(lines, line)
	}
	r.Output = strings.Join(lines, "\n")
	exit := 0
	if err != nil {
		exit = 1
	}
	return &outcome{reply: r, exit: exit}
}

// nothing is the output of a command whose stdout belongs to somebody else.
func nothing(io.Writer) error { return nil }
