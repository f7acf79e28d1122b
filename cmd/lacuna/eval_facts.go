package main

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/dataset"
	"github.com/lacuna-kg/lacuna/eval"
	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
)

// evalFacts ranks the facts that a graph holds out. They are not shared between ranks.
func (a *app) evalFacts(cmd *cobra.Command, flags *evalFlags) error {
	switch {
	case flags.opts.Split == dataset.Train:
		return kg.Errorf(kg.Invalid, "", "--split train: expected valid or test, which facts are held out for")
	case len(flags.opts.Shapes) > 0 || flags.bothWays:
		return kg.Errorf(kg.Invalid, "", "--shapes and --both-ways are for queries: expected -d DIR beside them")
	case !flags.opts.Team.Leads():
		return nil
	}
	splits, err := flags.graph.Open(cmd.Context(), a.App)
	if err != nil {
		return err
	}
	defer splits.Close()
	if flags.links.File == "" && !cmd.Flags().Changed("least") {
		flags.links.Rows.Least = links.LeastRanked
	}
	candidates, err := flags.candidates(cmd.Context(), a, &dataset.Set{Dir: flags.graph.Source, Graph: splits})
	for _, c := range candidates {
		defer c.engine.Close()
	}
	if err != nil {
		return err
	}
	what := eval.FactsOptions{Graph: splits, Name: flags.graph.Name(), Split: flags.opts.Split, Batch: flags.opts.Batch, Limit: flags.opts.Limit, Seed: flags.opts.Seed}
	var reports eval.FactsTable
	for _, c := range candidates {
		for _, way := range flags.ways(c) {
			report, err := a.rankFacts(cmd, flags, c.engine, way, what)
			if err != nil {
				return err
			}
			reports = append(reports, report)
		}
	}
	return a.showReports(reports, flags.layout)
}

func (a *app) rankFacts(cmd *cobra.Command, flags *evalFlags, engine *lacuna.Engine, way way, what eval.FactsOptions) (*eval.FactsReport, error) {
	bar := a.Progress("evaluating " + cmp.Or(engine.Model().Name, lacuna.Exact))
	defer bar.Done()
	what.Progress = func(p eval.Progress) {
		bar.Update(int64(p.Done), int64(p.Total), fmt.Sprintf("%s, MRR %.3f", count.Of(p.Done, "rank"), p.MRR))
	}
	var err error
	if what.Model, what.Method, err = engine.Method(cmd.Context(), lacuna.Logic(flags.logic), lacuna.By(way.by), lacuna.KeepKnown(way.keepKnown)); err != nil {
		return nil, err
	}
	return eval.Facts(cmd.Context(), what)
}
