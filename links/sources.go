package links

import (
	"cmp"
	"context"
	"slices"

	"github.com/lacuna-kg/lacuna/exec"
	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kernel/plain"
	"github.com/lacuna-kg/lacuna/kg"
)

// Way is one by which a projection reaches a tail: a member of the set and the link from it.
type Way struct {
	Head     kg.Entity
	Degree   float32 // of the head in the set
	Link     float32 // its probability
	Together float32 // both, by the logic: what the way gives the tail
	Stated   bool    // the graph states the link
}

// Ways are all by which a projection of a set along a relation reaches a tail, the best first and, of equal ones, those
// by a stated link first. The best is what the projection gave the tail.
func (x Executor) Ways(ctx context.Context, l fuzzy.Logic, in fuzzy.View, q kg.Relation, tail kg.Entity) ([]Way, error) {
	var ways []Way
	add := func(head kg.Entity, degree, link float32, stated bool) {
		if together := plain.Apply(l.Norm, kernel.And, degree, link); together > 0 {
			ways = append(ways, Way{head, degree, link, together, stated})
		}
	}
	for _, h := range x.rows.graph.Tails(tail, q.Inverse()) {
		add(h, in.At(h), 1, true)
	}
	s := step{Projection: exec.Projection{Relation: q}, in: listed(in)}
	(&pool{Executor: x}).begin(&s)
	var err error
	if s.rows, err = x.rows.Get(ctx, s.pairs()); err != nil {
		return nil, err
	}
	if err := x.readBack(ctx, l.Norm, []step{s}); err != nil {
		return nil, err
	}
	for i, f := range s.followed {
		if p := s.rows[i].probability(tail); p > 0 {
			add(f.head, f.degree, p, false)
		}
	}
	slices.SortFunc(ways, compareWays)
	return ways, nil
}

func compareWays(a, b Way) int {
	first := func(stated bool) int {
		if stated {
			return 0
		}
		return 1
	}
	return cmp.Or(cmp.Compare(b.Together, a.Together), cmp.Compare(first(a.Stated), first(b.Stated)), cmp.Compare(a.Head, b.Head))
}

// Link gives the probability that another source, such as the model without some facts, would give a link that the graph does not
// state: by the same map, and however low it is. Where links are read from both ends it is as much less than what it has by the source of the rows.
func (x Executor) Link(ctx context.Context, from Source, p Pair, tail kg.Entity, has float32) (float32, error) {
	other, err := x.reading(ctx, from, p, tail)
	if err != nil || x.ends == 0 {
		return other, err
	}
	own, err := x.reading(ctx, x.rows.source, p, tail)
	if err != nil || own == 0 {
		return other, err
	}
	return min(1, has*other/own), nil
}

// reading is what a source gives a link, from one end or from both.
func (x Executor) reading(ctx context.Context, from Source, p Pair, tail kg.Entity) (float32, error) {
	o := x.rows.options
	pairs := []Pair{p}
	if x.ends > 0 {
		pairs = append(pairs, Pair{tail, p.Relation.Inverse()})
	}
	rows, err := New(x.rows.graph, from, Options{Map: o.Map, Least: -1, Literals: o.Literals}).Get(ctx, pairs)
	if err != nil {
		return 0, err
	}
	link := rows[0].probability(tail)
	if x.ends > 0 {
		link = fromBoth(link, rows[1], p.Head, o.Least)
	}
	return link, nil
}
