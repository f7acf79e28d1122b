package prepare

import (
	"context"

	"github.com/lacuna-kg/lacuna/checkpoint"
	"github.com/lacuna-kg/lacuna/dataset"
	"github.com/lacuna-kg/lacuna/eval"
	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
	"github.com/lacuna-kg/lacuna/neural"
	"github.com/lacuna-kg/lacuna/train"
)

// validator measures the model by validation queries of a set and, if asked to, by
// training queries, which show how far it learns them by heart.
func (o Options) validator(ctx context.Context, facts *kg.Graph, open func() (*dataset.Set, error)) (train.Validator, error) {
	if !o.Team.Leads() {
		return o.assistant(facts)
	}
	set, err := open()
	if err != nil {
		return nil, err
	}
	unseen, err := o.measure(ctx, facts, set, eval.ValidatorOptions{Shapes: o.Config.ValidationShapes, Limit: o.Validate})
	if err != nil || o.ValidateTrain == 0 {
		return unseen, err
	}
	seen, err := o.measure(ctx, facts, set, eval.ValidatorOptions{Training: true, Shapes: o.Config.ShapeNames(), Limit: o.ValidateTrain})
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, on train.Trained) (train.Score, error) {
		score, err := unseen(ctx, on)
		if err != nil {
			return score, err
		}
		learnt, err := seen(ctx, on)
		score.Details["train_mrr"] = learnt.MRR
		return score, err
	}, nil
}

func (o Options) measure(ctx context.Context, facts *kg.Graph, set *dataset.Set, v eval.ValidatorOptions) (train.Validator, error) {
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
	return func(ctx context.Context, on train.Trained) (train.Score, error) {
		method, done, err := asked(on, facts, v.Logic)
		if err != nil {
			return train.Score{}, err
		}
		defer done()
		v, err := validator.Measure(ctx, method)
		return train.Score{MRR: v.MRR, Details: v.Details}, err
	}, nil
}

// asked is how a model in training answers on a graph, and what ends that: by sets; on cuts, which only links are predicted on, by links, as
// questions are asked of it later.
func asked(on train.Trained, facts *kg.Graph, logic fuzzy.Logic) (method eval.Method, done func(), err error) {
	if on.Cut == 0 {
		return eval.LearnedOn(on.Graph, logic), func() {}, nil
	}
	workspace := on.Model.Limits.Workspace
	// It is never closed, which would end the network.
	model := neural.NewModel("the model in training", on.Model, checkpoint.Card{Config: on.Model.Spec(), Graph: checkpoint.Describe(facts, "the graph")})
	model.Cut = on.Cut
	predictor, err := model.OnDemand(facts, "the graph")
	if err != nil {
		return nil, nil, err
	}
	done = func() {
		predictor.Close()
		on.Model.Limits.Workspace = workspace // of training, which goes on
	}
	rows := links.New(facts, predictor, links.Options{})
	return eval.ByLinks{Executor: links.NewExecutor(rows, links.Follow{}).Ranking(), Logic: logic, Device: on.Model.Device().Name()}, done, nil
}

// assistant answers a rank's share of what rank 0 measures by, as often as that measures.
func (o Options) assistant(facts *kg.Graph) (train.Validator, error) {
	logic, err := fuzzy.ParseLogic(o.Config.Logic)
	return func(ctx context.Context, on train.Trained) (train.Score, error) {
		method, done, err := asked(on, facts, logic)
		if err != nil {
			return train.Score{}, err
		}
		defer done()
		if err = eval.Assist(ctx, o.Team, method); err == nil && o.ValidateTrain > 0 {
			err = eval.Assist(ctx, o.Team, method)
		}
		return train.Score{}, err
	}, err
}
