package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna/internal/command"
	"github.com/lacuna-kg/lacuna/lab"
)

// everyCommand visits the commands of both programs, those that only group others included.
func everyCommand(visit func(*cobra.Command)) {
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		if !cmd.Hidden {
			visit(cmd)
		}
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(root(command.NewApp("lacuna", strings.NewReader(""), &bytes.Buffer{}, &bytes.Buffer{})))
	walk(lab.Root(command.NewApp("lacuna-lab", strings.NewReader(""), &bytes.Buffer{}, &bytes.Buffer{})))
}

func TestHelpFits(t *testing.T) {
	everyCommand(func(cmd *cobra.Command) {
		program, path := run, strings.Fields(cmd.CommandPath())
		if path[0] == "lacuna-lab" {
			program = lab.Run
		}
		var out, errors bytes.Buffer
		if code := program(context.Background(), append(path[1:], "--help"), strings.NewReader(""), &out, &errors); code != 0 {
			t.Fatalf("%s --help: exit code %d, %s", cmd.CommandPath(), code, errors.String())
		}
		for line := range strings.Lines(out.String()) {
			if width := utf8.RuneCountInString(strings.TrimRight(line, "\n")); width > command.DefaultWidth {
				t.Errorf("%s --help has a line of %d characters, expected %d or fewer: %s", cmd.CommandPath(), width, command.DefaultWidth, line)
			}
		}
	})
}

func TestHelpShowsExamples(t *testing.T) {
	everyCommand(func(cmd *cobra.Command) {
		shown := cmd.Example
		if !cmd.HasParent() {
			shown = cmd.Long
		}
		if cmd.HasSubCommands() && cmd.HasParent() && shown == "" {
			return // its subcommands have them
		}
		if !strings.Contains(shown, cmd.CommandPath()) {
			t.Errorf("%s --help has no example of its use", cmd.CommandPath())
		}
		if cmd.Long == "" {
			t.Errorf("%s --help does not say more than its list entry", cmd.CommandPath())
		}
	})
}

func TestHelpGroupsCommands(t *testing.T) {
	everyCommand(func(cmd *cobra.Command) {
		if cmd.HasParent() && !cmd.Parent().HasParent() && cmd.GroupID == "" {
			t.Errorf("%s is in no group of the help", cmd.Name())
		}
	})
}
