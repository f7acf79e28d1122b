package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

// everyCommand visits the commands of Lacuna itself, those that only group others included.
func everyCommand(visit func(*cobra.Command)) {
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		visit(cmd)
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(newApp(strings.NewReader(""), &bytes.Buffer{}, &bytes.Buffer{}).rootCommand())
}

func TestHelpFits(t *testing.T) {
	everyCommand(func(cmd *cobra.Command) {
		path := strings.Fields(cmd.CommandPath())[1:]
		var out, errors bytes.Buffer
		if code := run(context.Background(), append(path, "--help"), strings.NewReader(""), &out, &errors); code != exitOK {
			t.Fatalf("%s --help: exit code %d, %s", cmd.CommandPath(), code, errors.String())
		}
		for line := range strings.Lines(out.String()) {
			if width := utf8.RuneCountInString(strings.TrimRight(line, "\n")); width > defaultWidth {
				t.Errorf("%s --help has a line of %d characters, expected %d or fewer: %s", cmd.CommandPath(), width, defaultWidth, line)
			}
		}
	})
}

// In a narrow window prose is filled anew, and what is indented stays.
func TestParagraphsFit(t *testing.T) {
	text := "one two three\nfour five\n\n  lacuna ask  as it is\n\nshort\nlines"
	if got, want := paragraphs(text, 10), "one two\nthree four\nfive\n\n  lacuna ask  as it is\n\nshort\nlines"; got != want {
		t.Errorf("%q, expected %q", got, want)
	}
	if got := paragraphs(text, 80); got != text {
		t.Errorf("in a wide window %q, expected the text as it is", got)
	}
	if got, want := paragraphs("naïve überlang", 8), "naïve\nüberlang"; got != want {
		t.Errorf("%q, expected %q", got, want)
	}
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
