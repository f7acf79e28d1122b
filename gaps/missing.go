package gaps

import (
	"cmp"
	"context"
	"slices"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
)

// Missing says which missing facts are wanted.
type Missing struct {
	Relations []kg.Relation `json:"relations,omitempty"` // nil for all
	Most      int           `json:"most"`
}

// candidatesOfEach is how many facts are looked at from both ends for each that is wanted.
const candidatesOfEach = 4

// leastMissing is the probability below which a fact is not called missing.
const leastMissing = 0.01

// Missing gives the likeliest facts that the graph does not state, the likeliest first. It looks from the heads that
// a relation is stated of, then at the likeliest from both ends.
func (f *Finder) Missing(ctx context.Context, m Missing, o Options) ([]Fact, error) {
	pairs, err := f.missingPairs(m, o)
	if err != nil {
		return nil, err
	}
	task, err := f.task("missing", m, o)
	if err != nil {
		return nil, err
	}
	var best []Fact
	size, wanted := f.rowsOfPart(), candidatesOfEach*m.Most
	err = work[[]Fact]{
		task: task, parts: (len(pairs) + size - 1) / size,
		make: func(ctx context.Context, part int) ([]Fact, error) {
			facts, err := f.candidates(ctx, pairs[part*size:min((part+1)*size, len(pairs))], Prediction{Least: leastMissing}, o)
			return likeliest(facts, wanted), err
		},
		use: func(part int, facts []Fact) error {
			best = likeliest(append(best, facts...), wanted)
			o.progress(min((part+1)*size, len(pairs)), len(pairs))
			return nil
		},
	}.run(ctx, o.Keep)
	if err != nil {
		return nil, err
	}
	if err := settle(ctx, f.rowsFor(o), best); err != nil {
		return nil, err
	}
	best = likeliest(best, m.Most)
	if o.Why {
		err = f.addReasons(ctx, best)
	}
	return best, err
}

// missingPairs are the rows to look at: forwards, of relations that lead to entities.
func (f *Finder) missingPairs(m Missing, o Options) ([]links.Pair, error) {
	if m.Most < 1 {
		return nil, kg.Errorf(kg.Invalid, "", "%d missing facts, expected 1 or more", m.Most)
	}
	relations := m.Relations
	if relations == nil {
		for base := range uint32(f.graph.Relations.Names.Len()) {
			if r := kg.Forward(base); !f.leadsToValues(r, o) {
				relations = append(relations, r)
			}
		}
	}
	for _, r := range m.Relations {
		if err := f.checkPredictable(r, o); err != nil {
			return nil, err
		}
	}
	return links.StatedPairs(f.graph, func(p links.Pair) bool { return slices.Contains(relations, p.Relation) }), nil
}

// likeliest are the facts of the highest probability, in that order, at most so many.
func likeliest(facts []Fact, most int) []Fact {
	slices.SortStableFunc(facts, func(a, b Fact) int {
		return cmp.Or(cmp.Compare(b.Probability, a.Probability), a.Triple().Compare(b.Triple()))
	})
	return facts[:min(most, len(facts))]
}

// settle gives facts that are candidates by the rows of their heads their probabilities, which both ends have a say in.
func settle(ctx context.Context, rows *links.Rows, facts []Fact) error {
	triples := make([]kg.Triple, len(facts))
	for i, f := range facts {
		triples[i] = f.Triple()
	}
	probabilities, err := rows.Probabilities(ctx, triples)
	if err != nil {
		return err
	}
	for i, p := range probabilities {
		facts[i].Probability = p
	}
	return nil
}
