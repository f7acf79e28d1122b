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
	All       bool          `json:"all,omitempty"` // look at every place, however long it takes
}

// Found are the likeliest facts, and how far was looked for them.
type Found struct {
	Facts  []Fact
	Looked int // places
	Places int // that a fact may be missing at
}

// candidatesOfEach is how many facts are looked at from both ends for each that is wanted.
const candidatesOfEach = 4

// leastMissing is the probability below which a fact is not called missing.
const leastMissing = 0.01

// Missing gives the likeliest facts that the graph does not state, the likeliest first: of entities that have no value of a relation and are like
// those that have one, and of those that have some where one more is usual.
func (f *Finder) Missing(ctx context.Context, m Missing, o Options) (found Found, err error) {
	columns, err := f.columns(m, o)
	if err != nil {
		return found, err
	}
	task, err := f.task("missing places", m, o)
	if err != nil {
		return found, err
	}
	q := queue{columns: columns}
	found.Places = q.left()
	s, err := f.newSight(ctx, found.Places, q.asks())
	if err != nil {
		return found, err
	}
	defer s.close()
	rows, done, err := f.rowsOf(ctx, s, o)
	if err != nil {
		return found, err
	}
	defer done()
	found.Looked = found.Places
	settled := float64(2*candidatesOfEach*m.Most) * f.costOfRow()
	if most := s.within(settled); !m.All && !f.hasFile() && most < found.Places {
		found.Looked = most
	}
	best, size, wanted := []Fact{}, f.rowsOfPart(), candidatesOfEach*m.Most
	err = work[[]Fact]{
		task: task, parts: (found.Looked + size - 1) / size,
		make: func(ctx context.Context, part int) ([]Fact, error) {
			return f.lookFor(ctx, rows, q.next(min(size, found.Looked-part*size)), wanted)
		},
		use: func(part int, facts []Fact) error {
			best = likeliest(append(best, facts...), wanted)
			q.took(q.next(min(size, found.Looked-part*size)), facts)
			o.progress(min((part+1)*size, found.Looked), found.Looked)
			return nil
		},
	}.run(ctx, o.Keep)
	if err != nil {
		return found, err
	}
	found.Facts, err = f.settled(ctx, best, m.Most, o)
	return found, err
}

// settled reads candidates from both ends.
func (f *Finder) settled(ctx context.Context, best []Fact, most int, o Options) ([]Fact, error) {
	if err := settle(ctx, f.rowsFor(o), best); err != nil {
		return nil, err
	}
	best = slices.DeleteFunc(likeliest(best, most), func(fact Fact) bool { return fact.Probability < leastMissing })
	if o.Why {
		return best, f.addReasons(ctx, best)
	}
	return best, nil
}

// hasFile tells whether rows are read from a file, which takes next to nothing.
func (f *Finder) hasFile() bool { return f.rows.Exact() != f.rows }

// rowsOf are the rows that are looked at; done ends them.
func (f *Finder) rowsOf(ctx context.Context, s *sight, o Options) (rows *links.Rows, done func(), err error) {
	if s.core == nil || f.hasFile() {
		return f.rowsFor(o), func() {}, nil
	}
	source, done, err := s.without(ctx, nil)
	if err != nil {
		return nil, nil, err
	}
	return f.rowsFor(o).By(source), done, nil
}

// lookFor gives the likeliest facts of some places.
func (f *Finder) lookFor(ctx context.Context, rows *links.Rows, places []place, wanted int) ([]Fact, error) {
	pairs := make([]links.Pair, len(places))
	for i, p := range places {
		pairs[i] = p.Pair
	}
	got, err := rows.Get(ctx, pairs)
	if err != nil {
		return nil, err
	}
	facts := []Fact{}
	for i, p := range places {
		for _, fact := range best(p.Pair, got[i], 0, leastMissing) {
			if p.column.backwards {
				fact.Head, fact.Relation, fact.Tail = fact.Tail, fact.Relation.Inverse(), fact.Head
			}
			if p.column.asks(fact.Head) {
				facts = append(facts, fact)
			}
		}
	}
	return likeliest(facts, wanted), nil
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
