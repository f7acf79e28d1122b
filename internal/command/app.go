package command

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna/dataset"
	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/kg"
)

// app is what all subcommands share: the streams and the flags that every one has.
type App struct {
	name   string // of the program
	Stdin  io.Reader
	Out    *bufio.Writer
	Stderr io.Writer
	Screen Screen // how to print on out
	JSON   bool
	Quiet  bool
	color  string
	// advanced is for --help: all flags.
	advanced bool
	running  *cobra.Command
	stdout   io.Writer
	terminal bool // people look at Stderr
	silence  *silence

	trouble func(error) // ends the command, as what it works on turned out unsound
}

func NewApp(name string, stdin io.Reader, stdout, stderr io.Writer) *App {
	a := &App{name: name, Stdin: stdin, Out: bufio.NewWriter(stdout), Stderr: stderr, stdout: stdout, terminal: isTerminal(stderr)}
	a.Screen = newScreen(a.Out, stdout)
	return a
}

// group is commands under one heading of the help.
type Group struct {
	Title    string
	Commands []*cobra.Command
}

// complete makes a program's root command whole: the flags that every command has, and the commands, listed in groups.
func (a *App) Complete(root *cobra.Command, groups ...Group) *cobra.Command {
	root.Version, root.SilenceErrors, root.SilenceUsage, root.SuggestionsMinimumDistance = Version(), true, true, 2
	root.Args = NoArguments
	root.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	root.PersistentPreRunE = a.check
	flags := root.PersistentFlags()
	flags.BoolVar(&a.JSON, "json", false, "print JSON")
	flags.BoolVarP(&a.Quiet, "quiet", "q", false, "no progress bars, no remarks")
	flags.StringVar(&a.color, "color", "auto", "colours: auto, always or never")
	CompleteFlag(root, "color", "auto", "always", "never")
	root.SetFlagErrorFunc(usageError)
	root.SetOut(a.Out)
	root.SetErr(a.Stderr)
	for i, group := range groups {
		id := fmt.Sprint(i)
		root.AddGroup(&cobra.Group{ID: id, Title: group.Title})
		for _, cmd := range group.Commands {
			cmd.GroupID = id
		}
		root.AddCommand(group.Commands...)
	}
	a.fitHelp(root)
	return root
}

// check refuses command lines that mean nothing, before a command begins.
func (a *App) check(cmd *cobra.Command, args []string) error {
	a.running = cmd
	if cmd.Name() != "serve" && cmd.Name() != "mcp" { // which wait for others
		a.breakSilence()
	}
	if err := a.Screen.setColor(a.color); err != nil {
		return err
	}
	for _, check := range []func(*cobra.Command, []string) error{checkGroups, needModel, keepSources} {
		if err := check(cmd, args); err != nil {
			return err
		}
	}
	return nil
}

// Flags that name what is read and what is written, in whichever command has them.
var (
	sourceFlags = []string{"graph", "graphs", "choose", "data", "with", "truth", "score", "entities", "file", "entity-labels", "relation-labels",
		"model", "from", "config", "links", "calibration", "facts"}
	outputFlags = []string{"output", "out", "svg", "html"}
)

// madeEndings are those of files that commands make and that nobody reads as a part of a folder.
var madeEndings = []string{".links", ".calibration", ".svg", ".html", ".lacuna"}

// keepSources refuses to write over a file that is read, or that lies in a folder that is: a graph in text may be the only copy.
func keepSources(cmd *cobra.Command, args []string) error {
	sources := slices.Clone(args)
	for _, name := range sourceFlags {
		sources = append(sources, flagValues(cmd, name)...)
	}
	for _, name := range outputFlags {
		for _, path := range flagValues(cmd, name) {
			output, err := os.Stat(path)
			if err != nil || !output.Mode().IsRegular() {
				continue // it is not there yet, or a folder, in which nothing is written over
			}
			for _, source := range sources {
				switch info, err := os.Stat(source); {
				case err != nil:
				case os.SameFile(info, output):
					return kg.Errorf(kg.Invalid, path, "it would be written over, and is read: name another file by --%s", name)
				case info.IsDir() && belongsTo(source, output):
					return kg.Errorf(kg.Invalid, path, "it would be written over, and lies in %s, which is read: name another file by --%s", source, name)
				}
			}
		}
	}
	return nil
}

// CanWrite tells, before minutes are spent, whether the folder of a file that is to be written is there.
func CanWrite(path string) error {
	if _, err := os.Stat(filepath.Dir(path)); err != nil {
		return kg.WriteError(path, err)
	}
	return nil
}

// belongsTo tells whether a file is one of a folder's, or what one there is a link to, and may be read with it.
func belongsTo(folder string, file fs.FileInfo) bool {
	entries, _ := os.ReadDir(folder) // a folder that cannot be listed is not read either
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		if e.Name() != dataset.GraphFile && slices.Contains(madeEndings, filepath.Ext(e.Name())) {
			return false
		}
		info, err := os.Stat(filepath.Join(folder, e.Name()))
		return err == nil && os.SameFile(info, file)
	})
}

// flagValues are those of a flag that may be given once or often, none where the command lacks it.
func flagValues(cmd *cobra.Command, name string) []string {
	flag := cmd.Flags().Lookup(name)
	if flag == nil {
		return nil
	}
	if list, isList := flag.Value.(interface{ GetSlice() []string }); isList {
		return list.GetSlice()
	}
	return []string{flag.Value.String()}
}

// checkGroups refuses flags that exclude each other, before cobra does in words of its own.
func checkGroups(cmd *cobra.Command, _ []string) error {
	err := cmd.ValidateFlagGroups()
	if err == nil {
		return nil
	}
	text := err.Error()
	if _, given, found := strings.Cut(text, "; ["); found { // … [a b] were all set
		given, _, _ = strings.Cut(given, "]")
		text = "--" + strings.Join(strings.Fields(given), " and --") + " exclude each other: expected one of them"
	}
	return usageError(cmd, errors.New(text))
}

// usageError turns an error of the flag parser into one of the user's input.
func usageError(cmd *cobra.Command, err error) error {
	text := err.Error()
	if gone := (moved{}); errors.As(err, &gone) {
		text = gone.Error()
	}
	if number := (*strconv.NumError)(nil); errors.As(err, &number) { // in words of Go's library
		expected := map[string]string{"ParseBool": "true or false", "ParseFloat": "a number"}
		text = strings.Replace(text, number.Error(), "expected "+cmp.Or(expected[number.Func], "a whole number"), 1)
	}
	return kg.Errorf(kg.Invalid, "", "%s (see %s --help)", text, cmd.CommandPath())
}

// arguments accepts between least and most positional arguments; what names them for the error.
func Arguments(least, most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return kg.Errorf(kg.Invalid, "", "%s: expected %s, got %s (see %s --help)", cmd.Name(), what, count.Of(len(args), "argument"), cmd.CommandPath())
		}
		return nil
	}
}

// noArguments is for commands that only group others: any argument is a mistyped subcommand.
func NoArguments(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	message := kg.Errorf(kg.Invalid, "", "no command %q (see %s --help)", args[0], cmd.CommandPath())
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		message = kg.Errorf(kg.Invalid, "", "no command %q (did you mean %q?)", args[0], near[0])
	}
	return message
}

// printJSON writes v, indented, as the command's whole output.
func (a *App) PrintJSON(v any) error {
	encoder := json.NewEncoder(a.Out)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(v)
}

// PrintJSONLine prints a value on a line of its own.
func (a *App) PrintJSONLine(v any) error {
	encoder := json.NewEncoder(a.Out)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(v)
}

// completeFlag offers fixed values for a flag in shell completion.
func CompleteFlag(cmd *cobra.Command, flag string, values ...string) {
	if err := cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(slices.Clone(values), cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err) // a flag that the command does not have: a programmer's error
	}
}

// What scripts/release.sh puts in, as Go notes neither in a build of a worktree.
var release, releaseCommit string

func Version() string {
	if release != "" {
		return release
	}
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(unknown version)"
	}
	return info.Main.Version
}

// commit is the revision that the program was built from, where the build recorded it.
func Commit() string {
	if releaseCommit != "" {
		return releaseCommit
	}
	info, _ := debug.ReadBuildInfo()
	if info == nil {
		return ""
	}
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" {
			return setting.Value
		}
	}
	return ""
}
