package coverage

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
)

// Sets makes sets of a model on a graph. Any number of goroutines may use it.
type Sets struct {
	graph   *kg.Graph
	source  links.Source
	domains *links.Domains
	ranges  *links.Ranges
	groups  *groups
	seed    uint64
}

// NewSets makes sets by the scores of hidden facts.
func NewSets(g *kg.Graph, source links.Source, scores *Scores) *Sets {
	return &Sets{g, source, links.NewDomains(g), links.NewRanges(g, false), newGroups(g, scores.Of), scores.Seed}
}

// Hidden is how many hidden facts a relation is compared with.
func (s *Sets) Hidden(q kg.Relation) int { return len(s.groups.group(q)) }

// Member is an entity of a set, with its p-value.
type Member struct {
	Entity kg.Entity
	P      float64
	score  float32
}

// Of gives the sets of pairs, without what is stated, what fits best first.
func (s *Sets) Of(ctx context.Context, pairs []links.Pair, coverage float64) ([][]Member, error) {
	sets := make([][]Member, len(pairs))
	for _, p := range pairs {
		if err := Enough(s.Hidden(p.Relation), coverage); err != nil {
			return nil, err
		}
	}
	err := s.each(ctx, pairs, func(i int, r row) { sets[i] = s.set(pairs[i], r, 1-coverage) })
	return sets, err
}

func (s *Sets) set(p links.Pair, r row, alpha float64) (members []Member) {
	group := s.groups.group(p.Relation)
	for e, odds := range r.odds.All() {
		if odds == 0 {
			continue
		}
		score := r.score(e)
		x := P(group, score, evenly(kg.Triple{Head: p.Head, Relation: p.Relation, Tail: e}, s.seed))
		if x > alpha {
			members = append(members, Member{e, x, score})
		}
	}
	slices.SortFunc(members, func(a, b Member) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.Entity, b.Entity)) })
	return members
}

// PValues are those of facts, each in the row of its head.
func (s *Sets) PValues(ctx context.Context, facts []kg.Triple) ([]float64, error) {
	pairs, values := make([]links.Pair, len(facts)), make([]float64, len(facts))
	for i, t := range facts {
		pairs[i] = links.Pair{Head: t.Head, Relation: t.Relation}
	}
	err := s.each(ctx, pairs, func(i int, r row) {
		values[i] = P(s.groups.group(facts[i].Relation), r.score(facts[i].Tail), evenly(facts[i], s.seed))
	})
	return values, err
}

// each gives the rows of pairs.
func (s *Sets) each(ctx context.Context, pairs []links.Pair, use func(int, row)) error {
	stated := make([][]kg.Entity, len(pairs))
	for i, p := range pairs {
		stated[i] = s.graph.Tails(p.Head, p.Relation)
	}
	return links.EachOdds(ctx, s.source, s.domains, s.ranges, pairs, stated, func(i int, odds links.Odds, e links.Evidence) {
		use(i, newRow(odds, e, false))
	})
}

// EachOf is the coverage that each of n links needs for all of them together to have one, were they independent.
func EachOf(coverage float64, n int) float64 { return math.Pow(coverage, 1/float64(max(1, n))) }
