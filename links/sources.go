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
	step := &step{Projection: exec.Projection{Relation: q}, in: listed(in)}
	(&pool{Executor: x}).begin(step)
	rows, err := x.rows.Get(ctx, step.pairs())
	if err != nil {
		return nil, err
	}
	for i, f := range step.followed {
		if at := slices.Index(rows[i].Tails, tail); at >= 0 {
			add(f.head, f.degree, rows[i].Probabilities[at], false)
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
// state: by the same map, and however low it is.
func (r *Rows) Link(ctx context.Context, from Source, p Pair, tail kg.Entity) (float32, error) {
	other := New(r.graph, from, Options{Map: r.options.Map, Least: -1, Literals: r.options.Literals})
	rows, err := other.Get(ctx, []Pair{p})
	if err != nil {
		return 0, err
	}
	if at := slices.Index(rows[0].Tails, tail); at >= 0 {
		return rows[0].Probabilities[at], nil
	}
	return 0, nil
}
