package gaps

import (
	"context"

	"github.com/lacuna-kg/lacuna/kg"
)

// Score gives the probability of each triple, in their order: 1 for one that the graph states. Numbers and dates that it does not state have 0
// unless literals are asked for.
func (f *Finder) Score(ctx context.Context, wanted []kg.Triple, o Options, use func([]Fact) error) error {
	task, err := f.task("score", wanted, o)
	if err != nil {
		return err
	}
	size := f.rowsOfPart()
	return work[[]Fact]{
		task: task, parts: (len(wanted) + size - 1) / size,
		make: func(ctx context.Context, part int) ([]Fact, error) {
			return f.score(ctx, wanted[part*size:min((part+1)*size, len(wanted))], o)
		},
		use: func(part int, facts []Fact) error {
			o.progress(min((part+1)*size, len(wanted)), len(wanted))
			return use(facts)
		},
	}.run(ctx, o.Keep)
}

func (f *Finder) score(ctx context.Context, wanted []kg.Triple, o Options) ([]Fact, error) {
	probabilities, err := f.rowsFor(o).Probabilities(ctx, wanted)
	if err != nil {
		return nil, err
	}
	facts := make([]Fact, len(wanted))
	for i, t := range wanted {
		facts[i] = Fact{Head: t.Head, Relation: t.Relation, Tail: t.Tail, Probability: probabilities[i], Stated: f.graph.Has(t.Stated())}
	}
	if o.Why {
		err = f.addReasons(ctx, facts)
	}
	return facts, err
}
