package gaps

import (
	"context"
	"slices"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
)

// Score gives the probability of each triple, in their order: 1 for one that the graph states. Numbers and dates that it does not state have 0
// unless literals are asked for. Rows are what costs, so the work goes by rows: that of each head and that of each tail is made once.
func (f *Finder) Score(ctx context.Context, wanted []kg.Triple, o Options, use func([]Fact) error) error {
	task, err := f.task("score", wanted, o)
	if err != nil {
		return err
	}
	rows, s := f.rowsFor(o), f.newScoring(wanted)
	size := f.rowsOfPart()
	err = work[[]float32]{
		task: task, parts: (len(s.rows) + size - 1) / size,
		make: func(ctx context.Context, part int) ([]float32, error) {
			readings, _ := s.part(part, size)
			return rows.Readings(ctx, readings)
		},
		use: func(part int, values []float32) error {
			_, places := s.part(part, size)
			if len(values) != len(places) {
				return kg.Errorf(kg.Invalid, o.Keep, "part %d has %d readings, expected %d: remove the file to start again", part, len(values), len(places))
			}
			for i, place := range places {
				s.values[place] = values[i]
			}
			o.progress(min((part+1)*size, len(s.rows)), len(s.rows))
			return nil
		},
	}.run(ctx, o.Keep)
	if err != nil {
		return err
	}
	return f.scored(ctx, wanted, s.values, o, use)
}

// scored puts the two readings of each triple together and hands the facts on, some at a time.
func (f *Finder) scored(ctx context.Context, wanted []kg.Triple, values []float32, o Options, use func([]Fact) error) error {
	odds := f.rowsFor(o).Map()
	facts := make([]Fact, len(wanted))
	for i, t := range wanted {
		facts[i] = Fact{Head: t.Head, Relation: t.Relation, Tail: t.Tail, Probability: 1, Stated: f.graph.Has(t.Stated())}
		if !facts[i].Stated {
			facts[i].Probability = odds.Both(t.Relation, links.HasOther(f.graph, t), values[2*i], values[2*i+1])
		}
	}
	for some := range slices.Chunk(facts, rowsOfPart) {
		if o.Why {
			if err := f.addReasons(ctx, some); err != nil {
				return err
			}
		}
		if err := use(some); err != nil {
			return err
		}
	}
	return nil
}

// scoring is what rows say of triples that are not stated, each from both ends: triple i by its head at 2i and by its tail at 2i+1.
type scoring struct {
	values []float32
	sorted []links.Reading // by their rows
	places []int           // of these in values
	rows   []int           // the first reading of each row
}

func (f *Finder) newScoring(wanted []kg.Triple) *scoring {
	s := &scoring{values: make([]float32, 2*len(wanted))}
	all := make([]links.Reading, 2*len(wanted))
	for i, t := range wanted {
		if all[2*i], all[2*i+1] = links.ReadingOf(t), links.ReadingOf(t.Inverse()); !f.graph.Has(t.Stated()) {
			s.places = append(s.places, 2*i, 2*i+1)
		}
	}
	slices.SortStableFunc(s.places, func(i, j int) int { return all[i].Compare(all[j]) })
	for i, place := range s.places {
		if s.sorted = append(s.sorted, all[place]); i == 0 || s.sorted[i-1].Pair != all[place].Pair {
			s.rows = append(s.rows, i)
		}
	}
	return s
}

// part are the readings of some rows, and their places.
func (s *scoring) part(part, size int) ([]links.Reading, []int) {
	from, to := s.rows[part*size], len(s.sorted)
	if last := (part + 1) * size; last < len(s.rows) {
		to = s.rows[last]
	}
	return s.sorted[from:to], s.places[from:to]
}
