package calibrate

import (
	"context"

	"github.com/lacuna-kg/lacuna/dataset"
	"github.com/lacuna-kg/lacuna/eval"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/neural"
	"github.com/lacuna-kg/lacuna/sample"
)

// fewest facts that are worth a fit of two numbers.
const fewest = 20

// hide draws two parts of the facts that have none in common.
func hide(o Options) (toFit, toMeasure []kg.Triple, err error) {
	hidden := eval.Hide(o.Graph, o.Graph.NumTriples(), 2*o.Share, o.Seed)
	half := len(hidden) / 2
	if half < fewest {
		return nil, nil, kg.Errorf(kg.Invalid, "calibrate", "only %d of the %d facts can be hidden twice, expected %d or more: the graph is too small, or almost every fact is the last of an entity", half, o.Graph.NumTriples(), fewest)
	}
	return hidden[:half], hidden[half : 2*half], nil
}

// world is the model on the graph without some of its facts, with queries that ask for
// them. What was hidden for the other purpose is known here.
type world struct {
	options Options
	rest    *neural.Predictor
	shapes  []shape
}

// shape is the queries of one shape.
type shape struct {
	name    string
	queries []dataset.Query
}

func (o Options) newWorld(ctx context.Context, hidden []kg.Triple, shapes []string, queries int) (*world, error) {
	rest, err := o.Model.OnRest(ctx, o.Graph, hidden)
	if err != nil {
		return nil, err
	}
	w := &world{options: o, rest: rest}
	if err := w.draw(ctx, &kg.Splits{Train: rest.Graph, Test: hidden}, shapes, queries); err != nil {
		w.close()
		return nil, err
	}
	return w, nil
}

func (w *world) close() { w.rest.Close() }

// draw draws queries of each shape; a shape that the graph does not yield is passed over.
func (w *world) draw(ctx context.Context, s *kg.Splits, shapes []string, queries int) error {
	_, err := sample.Run(ctx, s, sample.Options{
		Seed: w.options.Seed, Counts: map[dataset.Split][]sample.Count{dataset.Test: sample.Counts(shapes, queries)}, Patience: 1 << 16, SkipEmpty: true,
	}, w.take)
	if err == nil && len(w.shapes) == 0 {
		err = kg.Errorf(kg.Invalid, "calibrate", "the graph yields no query that asks for a hidden fact")
	}
	return err
}

func (w *world) take(_ dataset.Split, name string, q dataset.Query) error {
	if last := len(w.shapes) - 1; last < 0 || w.shapes[last].name != name {
		w.shapes = append(w.shapes, shape{name: name})
	}
	of := &w.shapes[len(w.shapes)-1]
	of.queries = append(of.queries, q)
	return nil
}

// total is the number of queries.
func (w *world) total() int {
	n := 0
	for _, s := range w.shapes {
		n += len(s.queries)
	}
	return n
}
