package lab

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna/internal/atomicfile"
	"github.com/lacuna-kg/lacuna/internal/command"
	"github.com/lacuna-kg/lacuna/internal/synth"
	"github.com/lacuna-kg/lacuna/kg"
)

func (a *app) benchGraphCommand() *cobra.Command {
	config, out := synth.Large, ""
	cmd := &cobra.Command{
		Use:   "graph -o FILE",
		Short: "Write a synthetic graph of any size, to measure with",
		Long: `Write the triples of a synthetic graph as a table parted by tabs: degrees by a power law,
relations by Zipf's, each with hubs of its own. The same sizes and seed give the same
lines on every machine.`,
		Example: `  lacuna-lab bench graph --entities 25000000 --triples 100000000 -o large.tsv
  lacuna import large.tsv --columns hrt -o large.lacuna`,
		Args: command.Arguments(0, 0, "no argument (name the file by -o)"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if out == "" {
				return kg.Errorf(kg.Invalid, "", "graph: -o FILE is needed, the file to write, or - for standard output")
			}
			if err := config.Check(); err != nil {
				return kg.Errorf(kg.Invalid, "", "synthetic graph: %v", err)
			}
			if out == "-" {
				return config.WriteTSV(cmd.Context(), os.Stdout)
			}
			file, err := atomicfile.Create(out)
			if err != nil {
				return kg.WriteError(out, err)
			}
			defer file.Abort()
			if err := config.WriteTSV(cmd.Context(), file); err != nil {
				return kg.WriteError(out, err)
			}
			return file.Commit()
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&config.Entities, "entities", config.Entities, "entities")
	flags.IntVar(&config.Relations, "relations", config.Relations, "relations")
	flags.IntVar(&config.Triples, "triples", config.Triples, "triples, a few of which repeat others")
	flags.Uint64Var(&config.Seed, "seed", config.Seed, "seed")
	flags.StringVarP(&out, "out", "o", "", "the file, - for standard output (required)")
	return cmd
}
