// Package prepare makes of graphs and query sets what package train takes: training queries,
// drawn from a graph as they are needed or read from a folder, parts cut out of graphs, and
// validators that measure the model on queries it has not seen.
//
// In the flow it stands before train.Run: dataset and sample give the queries, eval the measures.
package prepare

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lacuna-kg/lacuna/dataset"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
	"github.com/lacuna-kg/lacuna/ranks"
	"github.com/lacuna-kg/lacuna/sample"
	"github.com/lacuna-kg/lacuna/train"
)

// Options say how graphs are prepared.
type Options struct {
	Config train.Config
	Device kernel.Hardware // that the model is trained on
	Dir    string          // of the training, where drawn validation queries are kept
	// Several graphs are trained on: each has a folder of its own there.
	Several bool
	// Validate is the number of validation queries of each shape and graph; 0 for no
	// validation. ValidateTrain is the same of training queries that are measured too, as train_mrr.
	Validate, ValidateTrain int
	// Team, if given, measures together: rank 0 has the validation queries, the others assist.
	Team *ranks.Team
}

// patience is after how many attempts without a query a shape counts as one that the graph does not yield.
const patience = 1 << 16

// Stored trains on the queries of a set.
func (o Options) Stored(ctx context.Context, name string, set *dataset.Set) (train.Graph, error) {
	g := train.Graph{Name: name, Facts: set.Graph.Train, MissedApart: o.missedApart(set.Graph)}
	var err error
	if g.Queries, err = train.Load(ctx, set, o.Config); err != nil {
		return g, err
	}
	if slices.Contains(set.Splits(), dataset.Valid) && o.validates() {
		g.Validate, err = o.validator(ctx, set.Graph.Train, func() (*dataset.Set, error) { return set, nil })
	}
	return g, err
}

// Drawn draws training queries from a graph as they are needed. Missing are the shapes that
// it cannot yield: training goes on without. Of queries without end there is no TrainFraction. Where a graph
// that is trained on alone holds out no facts for validation some are, and g.Facts are what is left.
func (o Options) Drawn(ctx context.Context, name string, splits *kg.Splits) (g train.Graph, missing []string, err error) {
	if len(splits.Valid) == 0 && o.validates() && !o.Several {
		if splits, err = o.heldOut(ctx, splits); err != nil {
			return g, nil, err
		}
	}
	g = train.Graph{Name: name, Facts: splits.Train, MissedApart: o.missedApart(splits)}
	if g.Queries, missing, err = o.drawer(ctx, splits); err != nil {
		return g, nil, err
	}
	if len(splits.Valid) == 0 || !o.validates() {
		return g, missing, nil
	}
	g.Validate, err = o.validator(ctx, splits.Train, func() (*dataset.Set, error) { return o.drawValidation(ctx, name, splits) })
	return g, missing, err
}

// missedApart is told where it matters.
func (o Options) missedApart(s *kg.Splits) bool {
	return o.Config.HidePairs == train.PairsAsMissed && missedApart(s)
}

func (o Options) validates() bool { return o.Config.Validations > 0 && o.Validate > 0 }

// drawer draws the shapes of the configuration, less those missing: the graph cannot yield them.
func (o Options) drawer(ctx context.Context, splits *kg.Splits) (d *sample.Drawer, missing []string, err error) {
	shapes := sample.Counts(o.Config.ShapeNames(), 1)
	try := sample.Options{Seed: o.Config.Seed, Counts: map[dataset.Split][]sample.Count{dataset.Train: shapes}, Patience: patience, SkipEmpty: true}
	outcomes, err := sample.Run(ctx, splits, try, func(dataset.Split, string, dataset.Query) error { return nil })
	if err != nil {
		return nil, nil, err
	}
	var counts []sample.Count
	for i, outcome := range outcomes {
		shape := shapes[i].Shape
		if outcome.Found > 0 {
			counts = append(counts, sample.Count{Shape: shape, Queries: o.Config.Shapes[shape]})
		} else {
			missing = append(missing, shape)
		}
	}
	if d, err = sample.NewDrawer(splits.Train, counts, o.Config.Seed); err != nil {
		return nil, missing, err
	}
	d.ByAnswers(o.Config.ByAnswers)
	return d, missing, nil
}

// validationFolder holds the validation queries that were drawn for a training.
const validationFolder = "validation"

// drawValidation draws validation queries into the training folder, once: a resumed run
// is measured by the same. Those of several graphs have a folder each.
func (o Options) drawValidation(ctx context.Context, name string, splits *kg.Splits) (*dataset.Set, error) {
	dir := filepath.Join(o.Dir, validationFolder)
	if o.Several {
		dir = filepath.Join(dir, strings.ReplaceAll(name, string(filepath.Separator), "_"))
	}
	if _, err := os.Stat(dir); err != nil {
		draw := sample.Options{Seed: o.Config.Seed, Counts: map[dataset.Split][]sample.Count{}, Patience: patience, SkipEmpty: true, Source: name}
		draw.Counts[dataset.Valid] = validationCounts(o.validationShapes(), o.Validate)
		if o.ValidateTrain > 0 {
			draw.Counts[dataset.Train] = sample.Counts(o.Config.ShapeNames(), o.ValidateTrain)
		}
		if _, err := sample.WriteFolder(ctx, splits, dir, draw); err != nil {
			return nil, err
		}
	}
	return dataset.Open(ctx, dir, dataset.Options{})
}

// validationCounts lists single links in full, for the validator to choose from, all alike. Drawn from an
// answer back, as other shapes are, those with many answers would come most: on FB15k-237 such a
// choice has less than half the MRR of the benchmark's, and prefers another model.
func validationCounts(shapes []string, each int) []sample.Count {
	counts := sample.Counts(shapes, each)
	for i := range counts {
		if counts[i].Shape == "1p" {
			counts[i].Queries = sample.All
		}
	}
	return counts
}

func (o Options) validationShapes() []string {
	if shapes := o.Config.ValidationShapes; len(shapes) > 0 {
		return shapes
	}
	return query.Shapes
}
