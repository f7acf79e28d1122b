package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/internal/command"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links/fit"
)

// calibrateFlags say whose links are calibrated on which graph.
type calibrateFlags struct {
	graph     command.GraphFlags
	device    command.DeviceFlags
	model     string
	output    string
	links     fit.Options
	questions int    // of each shape, to check
	fitted    string // a calibration to check
	check     string // the facts to check against
}

func (a *app) calibrateCommand() *cobra.Command {
	var flags calibrateFlags
	cmd := &cobra.Command{
		Use:   "calibrate [-g GRAPH] [-m MODEL] -o FILE",
		Short: "Make probabilities mean what they say on a graph",
		Long: `Fit the probabilities of links to a graph: to its validation facts, if it holds some out, or
to a share of its own facts that is hidden. Half of the rows are used to fit. The table shows what
the probabilities promise and keep on the other half. Pass the file to ask, eval and the others
by --calibration; without it they make a smaller fit at the first question.

Probabilities then hold for a graph that misses about as many facts as were hidden.

--check valid or --check test writes nothing. It asks questions drawn from what the graph states
and compares the ten likeliest predictions of each with the validation or test facts: how many
were expected to be right, and how many are. Unless --calibration names a file, it first fits links
to the validation facts (with --check valid to half of them, and compares with the other half).

lacuna-lab calibrate makes a calibrated model for answers by sets.`,
		Example: `  lacuna calibrate -g films.tsv -o films.calibration
  lacuna ask -g films.tsv --calibration films.calibration '?f : Directed(Fellini, f)'
  lacuna calibrate -g UMLS --check test --queries 200`,
		Args: command.Arguments(0, 0, "no argument (name the graph by -g, the model by -m, the file by -o)"),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.calibrate(cmd, &flags) },
	}
	flags.graph.Register(cmd)
	flags.device.Register(cmd)
	flags.device.RegisterCut(cmd)
	command.RegisterModel(cmd, &flags.model)
	f := cmd.Flags()
	f.StringVarP(&flags.output, "output", "o", "", "`file` to write (required unless --check)")
	f.IntVar(&flags.links.Rows, "rows", 0, fmt.Sprintf("rows of links to look at, half of them to fit on (default: %d; with --check as a first question, all of them to fit on)", fit.DefaultRows))
	f.Float64Var(&flags.links.Share, "share", fit.DefaultShare, "share of the facts to hide")
	f.IntVar(&flags.questions, "queries", lacuna.DefaultCheckQuestions, "with --check: questions of each shape to ask")
	f.Uint64Var(&flags.links.Seed, "seed", 1, "seed of the choice of facts and queries")
	f.StringVar(&flags.check, "check", "", "compare the probabilities of answers with these facts, valid or test, and write nothing")
	f.StringVar(&flags.fitted, "calibration", "", "with --check: a file that calibrate made (default: a fit as for a first question)")
	command.CompleteFlag(cmd, "check", "valid", "test")
	command.Moved(cmd, "by", "lacuna-lab calibrate for answers by sets; lacuna calibrate is for links")
	command.First(cmd, "graph", "model", "output", "check", "calibration", "queries", "rows", "share", "seed", "read", "device")
	for _, name := range []string{"links", "candidates", "shapes", "table"} {
		command.Moved(cmd, name, "a flag of lacuna-lab calibrate")
	}
	return cmd
}

// verify refuses what does not go together.
func (flags *calibrateFlags) verify() error {
	if flags.output == "" && flags.check == "" {
		return kg.Errorf(kg.Invalid, "", "calibrate: -o FILE is needed, the file to write")
	}
	if flags.output != "" && flags.check != "" {
		return kg.Errorf(kg.Invalid, "", "-o %s: --check writes nothing, expected -o or --check", flags.output)
	}
	if err := command.CanWrite(flags.output); err != nil {
		return err
	}
	if flags.check != "" && flags.check != "valid" && flags.check != "test" {
		return kg.Errorf(kg.Invalid, "", "--check %s: expected valid or test", flags.check)
	}
	if filepath.Ext(flags.output) == ".safetensors" {
		return kg.Errorf(kg.Invalid, "", "-o %s: a calibration is no model, expected a name such as %s (lacuna-lab calibrate makes a model for --by sets)",
			flags.output, strings.TrimSuffix(flags.output, ".safetensors")+".calibration")
	}
	return nil
}

func (a *app) calibrate(cmd *cobra.Command, flags *calibrateFlags) error {
	if err := flags.verify(); err != nil {
		return err
	}
	engine, err := a.Open(cmd.Context(), &flags.graph, command.ChosenModel(flags.model, &flags.graph, lacuna.Links), &flags.device, nil)
	if err != nil {
		return err
	}
	defer engine.Close()
	if flags.check != "" {
		return a.checkLinks(cmd.Context(), engine, flags)
	}
	return a.calibrateLinks(cmd.Context(), engine, flags)
}
