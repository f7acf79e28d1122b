package command

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/lacuna-kg/lacuna/internal/lines"
)

const firstFlags = "first"

// MostFirst is how many flags the first screen of a command's help has at most.
const MostFirst = 15

// First chooses the flags on the first screen of a command's help, in this order. The others are advanced.
func First(cmd *cobra.Command, names ...string) {
	for _, name := range names {
		if cmd.Flags().Lookup(name) == nil {
			panic("no flag --" + name + " in " + cmd.Name()) // a programmer's error, which a test of the help meets
		}
	}
	if cmd.Annotations == nil {
		cmd.Annotations = map[string]string{}
	}
	cmd.Annotations[firstFlags] = strings.Join(names, " ")
}

// fitHelp has a program print its help by functions, as cobra's templates make it 5 MB larger.
func (a *App) fitHelp(root *cobra.Command) {
	width := min(a.Screen.Width, DefaultWidth)
	fitLong(root, width)
	root.PersistentFlags().BoolVar(&a.advanced, "advanced", false, "with --help: list all flags")
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { a.help(cmd.OutOrStdout(), cmd, width) })
	root.SetUsageFunc(func(cmd *cobra.Command) error {
		a.usage(cmd.OutOrStderr(), cmd, width)
		return nil
	})
}

// help prints what a command is for and how it is used.
func (a *App) help(out io.Writer, cmd *cobra.Command, width int) {
	text := cmd.Long
	if text == "" {
		text = cmd.Short
	}
	fmt.Fprintf(out, "%s\n\n", strings.TrimSpace(text))
	a.usage(out, cmd, width)
}

func (a *App) usage(out io.Writer, cmd *cobra.Command, width int) {
	fmt.Fprintf(out, "Usage:\n")
	if cmd.Runnable() && cmd.HasParent() {
		fmt.Fprintf(out, "  %s\n", cmd.UseLine())
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(out, "  %s [command]\n", cmd.CommandPath())
	}
	if cmd.HasExample() {
		fmt.Fprintf(out, "\nExamples:\n%s\n", cmd.Example)
	}
	listCommands(out, cmd)
	first, advanced := flagsOf(cmd)
	fmt.Fprintf(out, "\nFlags:\n%s", first.FlagUsagesWrapped(width))
	switch {
	case a.advanced && advanced.HasFlags():
		fmt.Fprintf(out, "\nAdvanced:\n%s", advanced.FlagUsagesWrapped(width))
	case advanced.HasFlags():
		fmt.Fprintf(out, "\nMore flags: %s --help --advanced\n", cmd.CommandPath())
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(out, "\nMore about a command: %s [command] --help\n", cmd.CommandPath())
	}
}

// listCommands prints a command's subcommands in their groups.
func listCommands(out io.Writer, cmd *cobra.Command) {
	if !cmd.HasAvailableSubCommands() {
		return
	}
	list := func(title, group string) {
		fmt.Fprintf(out, "\n%s\n", title)
		for _, sub := range cmd.Commands() {
			if sub.GroupID == group && (sub.IsAvailableCommand() || sub.Name() == "help") {
				fmt.Fprintf(out, "  %s %s\n", Pad(sub.Name(), cmd.Commands()[0].NamePadding()), sub.Short)
			}
		}
	}
	for _, group := range cmd.Groups() {
		list(group.Title, group.ID)
	}
	if len(cmd.Groups()) == 0 {
		list("Commands:", "")
	} else {
		list("Help:", "")
	}
}

// flagsOf parts a command's flags into those of the first screen, in their order, and the others.
func flagsOf(cmd *cobra.Command) (first, advanced *pflag.FlagSet) {
	first, advanced = pflag.NewFlagSet("", pflag.ContinueOnError), pflag.NewFlagSet("", pflag.ContinueOnError)
	cmd.LocalFlags() // takes in those of its parents
	chosen := strings.Fields(cmd.Annotations[firstFlags])
	first.SortFlags = false
	for _, name := range chosen {
		first.AddFlag(cmd.Flags().Lookup(name))
	}
	everywhere := []string{"help", "advanced", "color"}
	add := func(f *pflag.Flag) {
		switch {
		case f.Hidden || slices.Contains(chosen, f.Name):
		case len(chosen) > 0 && !slices.Contains([]string{"json", "quiet"}, f.Name), slices.Contains(everywhere, f.Name):
			advanced.AddFlag(f)
		default:
			first.AddFlag(f)
		}
	}
	cmd.LocalFlags().VisitAll(add)
	cmd.InheritedFlags().VisitAll(add)
	return first, advanced
}

// fitLong breaks what commands say of themselves, those below them included.
func fitLong(cmd *cobra.Command, width int) {
	cmd.Long = paragraphs(cmd.Long, width)
	for _, sub := range cmd.Commands() {
		fitLong(sub, width)
	}
}

// paragraphs is a text whose lines fit a width. One that has a line too long is filled anew; paragraphs with a line that is indented stay.
func paragraphs(text string, width int) string {
	parts := strings.Split(text, "\n\n")
	for i, part := range parts {
		written := strings.Split(part, "\n")
		isProse := !slices.ContainsFunc(written, func(l string) bool { return strings.HasPrefix(l, " ") })
		if isProse && slices.ContainsFunc(written, func(l string) bool { return utf8.RuneCountInString(l) > width }) {
			parts[i] = lines.Fill(strings.Fields(part), width, "")
		}
	}
	return strings.Join(parts, "\n\n")
}

// Listed is names in lines that fit a terminal, indented.
func Listed(names []string) string {
	return "  " + lines.Fill(strings.Fields(strings.Join(names, ", ")), 88, "  ")
}
