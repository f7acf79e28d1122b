package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna/dataset"
	"github.com/lacuna-kg/lacuna/eval"
	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
	"github.com/lacuna-kg/lacuna/sample"
	"github.com/lacuna-kg/lacuna/train"
)

// prepareGraphs opens the graphs with their training queries and validation queries.
// What release gives back was opened, also after an error.
func (a *app) prepareGraphs(cmd *cobra.Command, flags *trainFlags) (release func(), err error) {
	var opened []func() error
	release = func() {
		for _, closeOne := range opened {
			closeOne()
		}
	}
	add := func(g train.Graph, closeOne func() error, err error) error {
		if closeOne != nil {
			opened = append(opened, closeOne)
		}
		flags.opts.Graphs = append(flags.opts.Graphs, g)
		return err
	}
	if len(flags.data) > 0 {
		if parts := flags.opts.Config.Parts; parts > 0 {
			return release, kg.Errorf(kg.Invalid, "", "parts is %d: parts are cut out of graphs (-g), stored queries (-d) have none; --set parts=0 trains without", parts)
		}
		return release, flags.eachFolder(func(name, dir string) error { return add(a.storedQueries(cmd, flags, name, dir)) })
	}
	if len(flags.graphs) == 0 {
		flags.graphs = []string{""}
	}
	for i, name := range graphNames(flags.graphs) {
		if err := add(a.drawnQueries(cmd, flags, name, flags.graphs[i])); err != nil {
			return release, err
		}
	}
	return release, a.addParts(cmd.Context(), &flags.opts)
}

// addParts adds the parts that are cut out of each graph. They are trained on, not judged by.
func (a *app) addParts(ctx context.Context, opts *train.Options) error {
	for _, whole := range opts.Graphs {
		parts, err := train.Parts(ctx, whole.Facts, opts.Config)
		if err != nil {
			return err
		}
		graphs, errs := make([]train.Graph, len(parts)), make([]error, len(parts))
		var open sync.WaitGroup
		for i, facts := range parts {
			open.Go(func() { graphs[i], errs[i] = partGraph(ctx, whole.Name, i+1, facts, opts.Config) })
		}
		open.Wait()
		if err := errors.Join(errs...); err != nil {
			return err
		}
		for _, g := range graphs {
			if g.Queries != nil {
				opts.Graphs = append(opts.Graphs, g)
			}
		}
	}
	return nil
}

// partGraph is a part with its queries, or without where it yields none of the shapes.
func partGraph(ctx context.Context, whole string, number int, facts *kg.Graph, config train.Config) (train.Graph, error) {
	g := train.Graph{Name: fmt.Sprintf("%s, part %d", whole, number), PartOf: whole, Facts: facts}
	queries, missing, err := drawer(ctx, &kg.Splits{Train: facts}, config)
	if len(missing) == len(config.Shapes) {
		return g, kg.Stopped(ctx)
	}
	g.Queries = queries
	return g, err
}

// eachFolder visits the folders of queries. A Query2Box folder may need its graph by -g.
func (f *trainFlags) eachFolder(visit func(name, dir string) error) error {
	if len(f.graphs) > 1 || len(f.graphs) == 1 && len(f.data) > 1 {
		return kg.Errorf(kg.Invalid, "", "train: -g beside -d names the graph of one folder of queries; give either several -g or several -d")
	}
	if len(f.graphs) == 1 {
		f.graph.source = f.graphs[0]
	}
	for i, name := range graphNames(f.data) {
		if err := visit(name, f.data[i]); err != nil {
			return err
		}
	}
	return nil
}

// graphNames calls graphs by the last part of their paths, or by the whole where two end alike.
func graphNames(paths []string) []string {
	names, seen := make([]string, len(paths)), map[string]int{}
	for i, path := range paths {
		names[i] = filepath.Base(filepath.Clean(path))
		seen[names[i]]++
	}
	for i, path := range paths {
		switch {
		case path == "":
			names[i] = new(graphFlags).name()
		case seen[names[i]] > 1:
			names[i] = path
		}
	}
	return names
}

// storedQueries trains on the queries of a folder.
func (a *app) storedQueries(cmd *cobra.Command, flags *trainFlags, name, dir string) (train.Graph, func() error, error) {
	set, err := a.openSet(cmd, &flags.graph, dir)
	if err != nil {
		return train.Graph{}, nil, err
	}
	g := train.Graph{Name: name, Facts: set.Graph.Train}
	config := flags.opts.Config
	if g.Queries, err = train.Load(cmd.Context(), set, config); err != nil {
		return g, set.Close, err
	}
	if slices.Contains(set.Splits(), dataset.Valid) && config.Validations > 0 && flags.validate > 0 {
		g.Validate, err = flags.validator(cmd.Context(), set)
	}
	return g, set.Close, err
}

// drawnQueries draws training queries from a graph as they are needed.
func (a *app) drawnQueries(cmd *cobra.Command, flags *trainFlags, name, source string) (train.Graph, func() error, error) {
	config := flags.opts.Config
	if config.TrainFraction != 1 {
		return train.Graph{}, nil, kg.Errorf(kg.Invalid, "", "train_fraction is %v: a part can be taken of stored queries (-d) only, not of those drawn without end", config.TrainFraction)
	}
	graph := flags.graph
	graph.source = source
	splits, err := graph.open(cmd.Context(), a)
	if err != nil {
		return train.Graph{}, nil, err
	}
	g := train.Graph{Name: name, Facts: splits.Train}
	var missing []string
	if g.Queries, missing, err = drawer(cmd.Context(), splits, config); err != nil {
		return g, splits.Close, err
	}
	if len(missing) > 0 {
		a.remark("%s yields no queries of the shapes %s; training goes on without", name, strings.Join(missing, ", "))
	}
	if len(splits.Valid) == 0 || config.Validations == 0 || flags.validate == 0 {
		return g, splits.Close, nil
	}
	set, err := flags.drawValidation(cmd.Context(), splits, name)
	if err == nil {
		g.Validate, err = flags.validator(cmd.Context(), set)
	}
	return g, splits.Close, err
}

// drawer draws the shapes of the configuration, less those missing: the graph cannot yield them.
func drawer(ctx context.Context, splits *kg.Splits, config train.Config) (d *sample.Drawer, missing []string, err error) {
	one := map[dataset.Split][]sample.Count{dataset.Train: sample.Counts(config.ShapeNames(), 1)}
	try := sample.Options{Seed: config.Seed, Counts: one, Patience: 1 << 16, SkipEmpty: true}
	outcomes, err := sample.Run(ctx, splits, try, func(dataset.Split, string, dataset.Query) error { return nil })
	if err != nil {
		return nil, nil, err
	}
	var counts []sample.Count
	for i, outcome := range outcomes {
		shape := try.Counts[dataset.Train][i].Shape
		if outcome.Found > 0 {
			counts = append(counts, sample.Count{Shape: shape, Queries: config.Shapes[shape]})
		} else {
			missing = append(missing, shape)
		}
	}
	d, err = sample.NewDrawer(splits.Train, counts, config.Seed)
	return d, missing, err
}

// validationFolder holds the validation queries that training drew itself.
const validationFolder = "validation"

// drawValidation draws validation queries into the training folder, once: a resumed run
// is judged by the same. Those of several graphs have a folder each.
func (f *trainFlags) drawValidation(ctx context.Context, splits *kg.Splits, name string) (*dataset.Set, error) {
	dir := filepath.Join(f.opts.Dir, validationFolder)
	if len(f.graphs) > 1 {
		dir = filepath.Join(dir, strings.ReplaceAll(name, string(filepath.Separator), "_"))
	}
	if _, err := os.Stat(dir); err != nil {
		draw := sample.Options{Seed: f.opts.Config.Seed, Counts: map[dataset.Split][]sample.Count{}, Patience: 1 << 16, SkipEmpty: true, Source: name}
		draw.Counts[dataset.Valid] = sample.Counts(f.validationShapes(), f.validate)
		if f.validateTrain > 0 {
			draw.Counts[dataset.Train] = sample.Counts(f.opts.Config.ShapeNames(), f.validateTrain)
		}
		if _, err := sample.WriteFolder(ctx, splits, dir, draw); err != nil {
			return nil, err
		}
	}
	return dataset.Open(ctx, dir, dataset.Options{})
}

func (f *trainFlags) validationShapes() []string {
	if shapes := f.opts.Config.ValidationShapes; len(shapes) > 0 {
		return shapes
	}
	return query.Shapes
}

// validator judges the model by validation queries of a set and, if asked to, by
// training queries, which show how far it learns them by heart.
func (f *trainFlags) validator(ctx context.Context, set *dataset.Set) (train.Validator, error) {
	unseen, err := f.measure(ctx, set, eval.ValidatorOptions{Shapes: f.opts.Config.ValidationShapes, Limit: f.validate})
	if err != nil || f.validateTrain == 0 {
		return unseen, err
	}
	seen, err := f.measure(ctx, set, eval.ValidatorOptions{Training: true, Shapes: f.opts.Config.ShapeNames(), Limit: f.validateTrain})
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, g *gnn.Graph) (train.Score, error) {
		score, err := unseen(ctx, g)
		if err != nil {
			return score, err
		}
		learnt, err := seen(ctx, g)
		score.Details["train_mrr"] = learnt.MRR
		return score, err
	}, nil
}

func (f *trainFlags) measure(ctx context.Context, set *dataset.Set, o eval.ValidatorOptions) (train.Validator, error) {
	o.Seed = f.opts.Config.Seed
	if f.opts.Device.Memory() > 0 {
		o.Batch = 4 * eval.DefaultBatch // a GPU has room for more, and is idle with less
	}
	var err error
	if o.Logic, err = fuzzy.ParseLogic(f.opts.Config.Logic); err != nil {
		return nil, err
	}
	validator, err := eval.NewValidator(ctx, set, o)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, g *gnn.Graph) (train.Score, error) {
		v, err := validator.Validate(ctx, g)
		return train.Score{MRR: v.MRR, Details: v.Details}, err
	}, nil
}
