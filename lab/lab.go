// Package lab is the command line of the laboratory, lacuna-lab: what measures, reproduces and compares. What only it needs
// stands in the packages below it. They import the product, never the other way round.
package lab

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna/internal/command"
)

const program = "lacuna-lab"

// Main runs the program by the arguments and streams of its process, and exits.
func Main() { command.Main(program, Root) }

// Run executes one command line and gives its exit code.
func Run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return command.Run(ctx, program, Root, args, stdin, stdout, stderr)
}

// app has the streams and flags of all subcommands, which are its methods.
type app struct{ *command.App }

const about = `Measure Lacuna and reproduce published results: draw query sets from a graph, check and
convert them, rank tuples of answers, convert checkpoints, and test and time devices.
Questions on a graph of your own are for lacuna.

  lacuna-lab sample -g FB15k-237-betae -o queries   questions with answers, to measure by
  lacuna-lab data verify FB15k-237-betae            are the answers of a set right?
  lacuna eval -d queries                            the paper's tables
  lacuna-lab bench links -g FB15k-237-betae         how fast are answers?
  lacuna-lab selftest --device cuda                 does this GPU compute what it should?`

// Root is lacuna-lab with its commands in groups, which is how the help lists them.
func Root(shared *command.App) *cobra.Command {
	a := &app{shared}
	return a.Complete(
		&cobra.Command{Use: program, Short: "Measure Lacuna and reproduce published results", Long: about},
		command.Group{Title: "Query sets:", Commands: []*cobra.Command{a.sampleCommand(), a.dataCommand(), a.tuplesCommand(), a.inWordsCommand()}},
		command.Group{Title: "Models:", Commands: []*cobra.Command{a.factorsCommand(), a.calibrateCommand(), a.importModelCommand(), a.exportModelCommand(), a.plotCommand()}},
		command.Group{Title: "Speed and correctness:", Commands: []*cobra.Command{a.benchCommand(), a.coverageCommand(), a.selftestCommand()}},
	)
}
