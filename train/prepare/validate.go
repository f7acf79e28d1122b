package prepare

import (
	"context"

	"github.com/lacuna-kg/lacuna/dataset"
	"github.com/lacuna-kg/lacuna/eval"
	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/train"
)

// validator measures the model by validation queries of a set and, if asked to, by
// training queries, which show how far it learns them by heart.
func (o Options) validator(ctx context.Context, open func() (*dataset.Set, error)) (train.Validator, error) {
	if !o.Team.Leads() {
		return o.assistant()
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

func (o Options) measure(ctx context.Context, set *dataset.Set, v eval.ValidatorOptions) (train.Validator, error) {
	v.Seed, v.Team = o.Config.Seed, o.Team
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

// assistant answers a rank's share of what rank 0 measures by, as often as that measures.
func (o Options) assistant() (train.Validator, error) {
	logic, err := fuzzy.ParseLogic(o.Config.Logic)
	return func(ctx context.Context, g *gnn.Graph) (train.Score, error) {
		err := eval.Assist(ctx, o.Team, eval.LearnedOn(g, logic))
		if err == nil && o.ValidateTrain > 0 {
			err = eval.Assist(ctx, o.Team, eval.LearnedOn(g, logic))
		}
		return train.Score{}, err
	}, err
}
