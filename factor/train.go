package factor

import (
	"context"
	"math/rand/v2"

	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kg"
)

// Options say how vectors are learned; what is 0 is that of DefaultOptions, but for RelationWeight.
type Options struct {
	Rank   int     `json:"rank"`   // complex numbers of a vector
	Epochs int     `json:"epochs"` // how often each fact is learned from
	Batch  int     `json:"batch"`  // pairs of head and relation in a step
	Rate   float64 `json:"learning_rate"`
	Norm   float64 `json:"norm"` // weight of the N3 norm
	// RelationWeight is what the prediction of a fact's relation weighs beside that of its tail.
	RelationWeight float64 `json:"relation_weight"`
	Seed           uint64  `json:"seed"`
	// Progress, if given, is told after every step which part of all is done, and the loss of the last epoch, 0 in the first.
	Progress func(done, total int, loss float64) `json:"-"`
}

// DefaultOptions are the papers' for FB15k-237, at a rank and a number of epochs that take minutes (docs/lab/factors.md).
func DefaultOptions() Options {
	return Options{Rank: 128, Epochs: 30, Batch: 512, Rate: 0.1, Norm: 0.05, RelationWeight: 4}
}

func (o Options) check() error {
	if o.Rank < 1 || o.Epochs < 1 || o.Batch < 1 || !(o.Rate > 0) || !(o.Norm >= 0) || !(o.RelationWeight >= 0) {
		return kg.Errorf(kg.Invalid, "factors", "rank %d, %d epochs, batches of %d, a rate of %v, a norm of %v, relations %v; expected 1 or more, a rate above 0 and no negative weights",
			o.Rank, o.Epochs, o.Batch, o.Rate, o.Norm, o.RelationWeight)
	}
	return nil
}

// Train learns the vectors of a graph's entities and relations. Nobody else uses the device meanwhile.
func Train(ctx context.Context, g *kg.Graph, device kernel.Device, o Options) (*Model, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	x := newExamples(g)
	m := New(g.NumEntities(), g.NumRelations(), o.Rank, o.Seed)
	l := newLearner(m, x, device, o)
	defer l.free()
	random := rand.New(rand.NewPCG(o.Seed, 0x0de7))
	perEpoch, before := (x.pairs()+o.Batch-1)/o.Batch, 0.0
	for epoch := range o.Epochs {
		order, sum := x.order(random), 0.0
		for i := range perEpoch {
			loss, err := l.step(ctx, order[i*o.Batch:min((i+1)*o.Batch, len(order))])
			if err != nil {
				return nil, stopped(ctx, err)
			}
			sum += loss
			if o.Progress != nil {
				o.Progress(epoch*perEpoch+i+1, o.Epochs*perEpoch, before)
			}
		}
		before = sum / float64(perEpoch)
	}
	return m, l.read(m)
}

// stopped is the user's error where a step failed because the context ended.
func stopped(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return kg.Stopped(ctx)
	}
	return err
}
