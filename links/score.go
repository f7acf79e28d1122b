package links

import (
	"context"
	"iter"
	"slices"

	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kg"
)

// Map is what makes probabilities of what the model says.
func (r *Rows) Map() Map { return r.options.Map }

// Domains are what its map reads of heads, nil where it does not.
func (r *Rows) Domains() *Domains { return r.domains }

// Odds are those of a row.
type Odds struct {
	values  []float32
	columns []kg.Entity // that they are of; nil: every one
}

// Of are the odds of an entity, 0 of one that is stated and of one that the model did not look at.
func (o Odds) Of(e kg.Entity) float32 {
	if o.columns == nil {
		return o.values[e]
	}
	if at, found := slices.BinarySearch(o.columns, e); found {
		return o.values[at]
	}
	return 0
}

// has tells whether the model looked at an entity.
func (o Odds) has(e kg.Entity) bool {
	if o.columns == nil {
		return true
	}
	_, found := slices.BinarySearch(o.columns, e)
	return found
}

// All gives the entities that the model looked at, ascending, with their odds.
func (o Odds) All() iter.Seq2[kg.Entity, float32] {
	return func(yield func(kg.Entity, float32) bool) {
		for at, x := range o.values {
			e := kg.Entity(at)
			if o.columns != nil {
				e = o.columns[at]
			}
			if !yield(e, x) {
				return
			}
		}
	}
}

// EachOdds computes the rows of pairs and hands each to use whole: the odds of every entity, 0 of those that are stated, and what
// a map reads of them; of heads it reads domains, nil for a map that does not. Stated are the tails of each pair that count as such, ascending. Nothing is kept. Odds of
// what ranges do not admit are 0; a pair that nothing can be predicted of is passed over.
func EachOdds(ctx context.Context, from Source, d *Domains, ranges *Ranges, pairs []Pair, stated [][]kg.Entity, use func(i int, odds Odds, e Evidence)) error {
	var open []int
	var heads []kg.Entity
	var relations []kg.Relation
	for i, p := range pairs {
		if !ranges.Closed(p) {
			open, heads, relations = append(open, i), append(heads, p.Head), append(relations, p.Relation)
		}
	}
	return from.Tails(ctx, heads, relations, func(first int, device kernel.Device, probabilities kernel.Buffer, columns []kg.Entity) error {
		some := open[first : first+rowsIn(probabilities, columns, ranges.graph.NumEntities())]
		evidence := device.Observe(probabilities, Listed(ranges.withBarred(chosen(stated, some), chosen(pairs, some), columns), columns))
		odds := make([]float32, probabilities.Len())
		device.Download(odds, probabilities)
		if err := device.Sync(); err != nil {
			return err
		}
		width := len(odds) / len(some)
		for k, i := range some {
			use(i, Odds{odds[k*width : (k+1)*width], columns}, d.Evidence(evidence[k], pairs[i], len(stated[i])))
		}
		return nil
	})
}

// chosen are some of a list, by their numbers.
func chosen[T any](from []T, numbers []int) []T {
	list := make([]T, len(numbers))
	for k, i := range numbers {
		list[k] = from[i]
	}
	return list
}
