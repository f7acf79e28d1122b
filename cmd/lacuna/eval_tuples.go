package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/eval/tuples"
	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/sample/pattern"
)

// evalTuples measures questions of any form, those of the set whose answers are tuples.
func (a *app) evalTuples(ctx context.Context, flags *evalFlags, candidates []candidate) error {
	if !slices.Contains([]string{"", lacuna.Links, lacuna.Sets}, flags.relaxed) {
		return kg.Errorf(kg.Invalid, "", "--relaxed %s: expected links or sets", flags.relaxed)
	}
	opts := tuples.Options{Set: flags.opts.Set, Split: flags.opts.Split, Types: pattern.Split(flags.opts.Shapes...), Limit: flags.opts.Limit}
	var reports []*tuples.Report
	for _, c := range candidates {
		bar := a.progress("evaluating")
		opts.Progress = func(done, total int, of string) {
			bar.update(int64(done), int64(total), fmt.Sprintf("%s, %s", count.Of(done, "question"), of))
		}
		relaxed := flags.relaxed
		if c.engine.Predictor() == nil {
			relaxed = ""
		}
		report, err := c.engine.EvaluateTuples(ctx, opts, relaxed, lacuna.Logic(flags.logic))
		bar.done()
		if err != nil {
			return err
		}
		reports = append(reports, report)
	}
	if a.json {
		if len(reports) == 1 {
			return a.printJSON(reports[0])
		}
		return a.printJSON(reports)
	}
	for _, r := range reports {
		a.screen.printf("%s", r.Table(flags.layout))
	}
	return nil
}
