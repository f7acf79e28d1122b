package prepare

import (
	"context"
	"errors"

	"github.com/lacuna-kg/lacuna/dataset"
	"github.com/lacuna-kg/lacuna/eval"
	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/train"
)

// validator measures the model by validation queries of a set and, if asked to, by
// training queries, which show how far it learns them by heart.
func (o Options) validator(ctx context.Context, open func() (*dataset.Set, error)) (train.Validator, error) {
	if o.Follows {
		return notHere, nil
	}
	set, err := open()
	if err != nil {
		return nil, err
	}
	unseen, err := o.measure(ctx, set, eval.ValidatorOptions{Shapes: o.Config.ValidationShapes, Limit: o.Validate})
	if err != nil || o.ValidateTrain == 0 {
		return unseen, err
	}
	seen, err := o.measure(ctx, set, eval.ValidatorOptions{Training: true, Shapes: o.Config.ShapeNames(), Limit: o.ValidateTrain})
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

// notHere stands for a validator on the ranks that do not measure.
func notHere(context.Context, *gnn.Graph) (train.Score, error) {
	return train.Score{}, errors.New("another rank measures the model")
}

func (o Options) measure(ctx context.Context, set *dataset.Set, v eval.ValidatorOptions) (train.Validator, error) {
	v.Seed = o.Config.Seed
	if o.Device.Memory() > 0 {
		v.Batch = 4 * eval.DefaultBatch // a GPU has room for more, and is idle with less
	}
	var err error
	if v.Logic, err = fuzzy.ParseLogic(o.Config.Logic); err != nil {
		return nil, err
	}
	validator, err := eval.NewValidator(ctx, set, v)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, g *gnn.Graph) (train.Score, error) {
		v, err := validator.Validate(ctx, g)
		return train.Score{MRR: v.MRR, Details: v.Details}, err
	}, nil
}
