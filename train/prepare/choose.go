package prepare

import (
	"context"

	"github.com/lacuna-kg/lacuna/dataset"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/sample"
	"github.com/lacuna-kg/lacuna/train"
)

// Chosen is a graph that is not trained on: the best model is the one that does best on its validation facts. Of a graph
// that holds out none some are hidden first.
func (o Options) Chosen(ctx context.Context, name string, splits *kg.Splits) (train.Graph, error) {
	if len(splits.Valid) == 0 {
		var err error
		if splits, err = holdOut(ctx, splits.Train, o.Config.Seed); err != nil {
			return train.Graph{}, err
		}
	}
	g := train.Graph{Name: name, Facts: splits.Train, OnlyChosen: true}
	if !o.validates() {
		return g, kg.Errorf(kg.Invalid, name, "a graph to choose the model on needs validation: set validations and --validate to 1 or more")
	}
	var err error
	g.Validate, err = o.validator(ctx, splits.Train, func() (*dataset.Set, error) { return o.drawValidation(ctx, name, splits) })
	return g, err
}

// The share of a graph's facts that are hidden to choose by, up to a number that is plenty. Fewer than leastHeldOut tell nothing.
const (
	heldOutShare = 0.1
	mostHeldOut  = 2000
	leastHeldOut = 20
)

// heldOut holds facts out of a graph that has enough of them.
func (o Options) heldOut(ctx context.Context, whole *kg.Splits) (*kg.Splits, error) {
	splits, err := holdOut(ctx, whole.Train, o.Config.Seed)
	switch {
	case err != nil:
		return whole, err
	case len(splits.Valid) < leastHeldOut:
		return whole, splits.Close()
	}
	splits.Test = whole.Test
	return splits, nil
}

func holdOut(ctx context.Context, g *kg.Graph, seed uint64) (*kg.Splits, error) {
	return sample.HoldOut(ctx, g, min(int(heldOutShare*float64(g.NumTriples())), mostHeldOut), seed)
}
