package lab

import (
	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna/coverage"
	"github.com/lacuna-kg/lacuna/internal/command"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/neural"
)

// coverageFlags say what guaranteed sets are measured on.
type coverageFlags struct {
	graph     command.GraphFlags
	device    command.DeviceFlags
	model     string
	facts     int
	test      int
	seed      uint64
	coverages []float64
}

func (a *app) coverageCommand() *cobra.Command {
	var flags coverageFlags
	cmd := &cobra.Command{
		Use:   "coverage",
		Short: "Measure whether guaranteed sets contain the right answer as often as they say",
		Long: `Calibrate sets on validation facts and ask for test facts, each from both ends: how often
is the fact in its set, and how large is the set? Beside it stands the softmax score of
KGCP (NAACL 2025) on the same rows. Without a split, facts of the graph are hidden.`,
		Example: `  lacuna-lab coverage -g UMLS --facts 600 --test 600`,
		Args:    command.Arguments(0, 0, "no argument (name the graph by -g)"),
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.coverage(cmd, &flags) },
	}
	flags.graph.Register(cmd)
	flags.device.Register(cmd)
	command.RegisterModel(cmd, &flags.model)
	f := cmd.Flags()
	f.IntVar(&flags.facts, "facts", 0, "facts to calibrate on (default: as many as some seconds allow)")
	f.IntVar(&flags.test, "test", 300, "facts to ask for")
	f.Uint64Var(&flags.seed, "seed", 1, "seed of the random draws")
	f.Float64SliceVar(&flags.coverages, "coverage", []float64{0.8, 0.9, 0.95}, "coverages to measure")
	return cmd
}

func (a *app) coverage(cmd *cobra.Command, flags *coverageFlags) error {
	for _, c := range flags.coverages {
		if err := coverage.Check(c); err != nil {
			return err
		}
	}
	splits, err := flags.graph.Open(cmd.Context(), a.App)
	if err != nil {
		return err
	}
	defer splits.Close()
	device, err := flags.device.Open(a.App)
	if err != nil {
		return err
	}
	defer device.Close()
	name := flags.model
	if name == "" {
		name = neural.Foundation
	}
	model, err := neural.OpenModel(name, device)
	if err != nil {
		return err
	}
	defer model.Close()
	bar := a.Progress("measuring")
	defer bar.Done()
	o := coverage.Options{Graph: splits.Train, Model: model, Held: splits.Valid, Facts: flags.facts, Seed: flags.seed,
		Progress: func(done, total int) { bar.Update(int64(done), int64(total), "rows") }}
	measured, err := coverage.Measure(cmd.Context(), o, splits.Test, flags.test, flags.coverages)
	bar.Done()
	if err != nil {
		return err
	}
	return a.showCoverage(measured)
}

func (a *app) showCoverage(measured []coverage.Measured) error {
	if len(measured) == 0 || measured[0].Rows == 0 {
		return kg.Errorf(kg.Invalid, "", "coverage: the graph has too few facts to hide")
	}
	if a.JSON {
		return a.PrintJSON(measured)
	}
	s := a.Screen
	s.Printf("calibrated on %d rows, measured on %d\n", measured[0].Hidden, measured[0].Rows)
	s.Printf("coverage   found  mean size   KGCP found  mean size\n")
	for _, m := range measured {
		s.Printf("%7.0f %% %5.1f %% %10.1f %10.1f %% %10.1f\n", 100*m.Coverage, 100*m.Covered, m.Size, 100*m.KGCP, m.KGCPSize)
	}
	return nil
}
