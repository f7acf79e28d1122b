package main

import (
	"bytes"
	"context"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

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

// The first screen of a command's help has few flags; all are there with --advanced. ask, the first command that people meet, fits a screen.
func TestFirstScreenIsShort(t *testing.T) {
	everyCommand(func(cmd *cobra.Command) {
		path := cmd.CommandPath()
		program := run
		if strings.HasPrefix(path, "lacuna-lab") {
			program = lab.Run
		}
		help := func(more ...string) string {
			var out bytes.Buffer
			program(t.Context(), append(append(strings.Fields(path)[1:], "--help"), more...), strings.NewReader(""), &out, &bytes.Buffer{})
			return out.String()
		}
		first, all := help(), help("--advanced")
		if n := len(flagLine.FindAllString(first, -1)); n > command.MostFirst {
			t.Errorf("%s --help has %d flags on its first screen, expected %d or fewer", path, n, command.MostFirst)
		}
		if n := strings.Count(first, "\n"); path == "lacuna ask" && n > 40 {
			t.Errorf("%s --help has %d lines, expected 40 or fewer", path, n)
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden && !strings.Contains(all, "--"+f.Name) {
				t.Errorf("%s --help --advanced leaves out --%s", path, f.Name)
			}
		})
	})
}

var flagLine = regexp.MustCompile(`(?m)^ {2}(?:-\w, | {4})--`)

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
