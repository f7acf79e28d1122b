package gaps

import (
	"cmp"
	"context"
	"slices"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
)

// look is a graph that lacks some facts, as a model sees it.
type look struct {
	finder  *Finder
	rest    links.Source
	hidden  []kg.Triple
	domains *links.Domains
	ranges  *links.Ranges
}

// roomsCounted is how many facts a graph may have for the room of its entities to be counted anew without those that are left out.
const roomsCounted = 100_000

func (f *Finder) newLook(ctx context.Context, rest links.Source, hidden []kg.Triple, o Options) look {
	l := look{f, rest, hidden, f.rows.Domains(), f.rowsFor(o).Ranges()}
	if l.domains == nil || f.graph.NumTriples() > roomsCounted {
		return l
	}
	if without, err := f.graph.Without(ctx, hidden); err == nil { // a fact that is left out takes no room
		l.domains = links.NewDomains(without)
	}
	return l
}

// seen is a fact from one of its ends: its probability, and the likeliest facts in its place.
type seen struct {
	own     float32
	instead []Fact
}

// insteadOfEnd is how many facts are looked at that seem likelier from one end.
const insteadOfEnd = 2

// rows gives what the rest thinks of each fact from its head.
func (l look) rows(ctx context.Context, asked []kg.Triple) ([]seen, error) {
	order := make([]int, len(asked)) // those of one row together, and those of one relation, as networks share what depends on it alone
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		return cmp.Or(cmp.Compare(asked[i].Relation, asked[j].Relation), cmp.Compare(asked[i].Head, asked[j].Head))
	})
	var pairs []links.Pair
	var stated [][]kg.Entity
	var of [][]int
	for _, i := range order {
		p := links.Pair{Head: asked[i].Head, Relation: asked[i].Relation}
		if len(pairs) == 0 || pairs[len(pairs)-1] != p {
			pairs, stated, of = append(pairs, p), append(stated, l.stated(p)), append(of, nil)
		}
		of[len(of)-1] = append(of[len(of)-1], i)
	}
	all := make([]seen, len(asked))
	err := links.EachOdds(ctx, l.rest, l.domains, l.ranges, pairs, stated, func(k int, odds links.Odds, e links.Evidence) {
		reader := l.finder.rows.Map().Reader(odds, e)
		for _, i := range of[k] {
			all[i].own = reader.Probability(asked[i].Tail, odds.Of(asked[i].Tail))
			all[i].instead = l.instead(asked[i], odds, reader)
		}
	})
	return all, err
}

// stated are the tails of a pair that the rest states.
func (l look) stated(p links.Pair) []kg.Entity {
	return slices.DeleteFunc(slices.Clone(l.finder.graph.Tails(p.Head, p.Relation)), func(tail kg.Entity) bool {
		return slices.Contains(l.hidden, kg.Triple{Head: p.Head, Relation: p.Relation, Tail: tail}.Stated())
	})
}

// instead are the likeliest facts of a row that the graph does not state, the likeliest first.
func (l look) instead(t kg.Triple, row links.Odds, reader links.Reader) (best []Fact) {
	all := l.finder.graph.Tails(t.Head, t.Relation)
	for e, odds := range row.All() {
		if odds == 0 || e == t.Head {
			continue
		}
		p := reader.Probability(e, odds)
		if len(best) == insteadOfEnd && p <= best[insteadOfEnd-1].Probability {
			continue
		}
		if _, isStated := slices.BinarySearch(all, e); !isStated {
			best = likeliest(append(best, Fact{Head: t.Head, Relation: t.Relation, Tail: e, Probability: p}), insteadOfEnd)
		}
	}
	return best
}
