// Command lacuna answers logical questions on knowledge graphs. Each subcommand
// has a file of its own; what they share with lacuna-lab is in internal/command.
package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna/internal/command"
)

func main() { command.Main("lacuna", root) }

// run executes one command line and gives its exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return command.Run(ctx, "lacuna", root, args, stdin, stdout, stderr)
}

// app has the streams and flags of all subcommands, which are its methods.
type app struct{ *command.App }

func root(a *command.App) *cobra.Command { return (&app{a}).rootCommand() }
