// Package symbolic answers exactly what a graph states: the relation projection
// by traversal, which package exec's machine runs on fuzzy sets, and a faster
// evaluator of whole expressions on crisp sets for checking and sampling.
//
// The two give the same answers and differ in what they cost. Projector is one relation
// step on sets as wide as the graph: it runs wherever a network would, in batches, and
// every set on the way stays readable. Traverser keeps sorted lists and writes complements
// down as such: a question costs what it touches, and nothing is kept of the way. Tests
// hold both to a naive evaluator.
package symbolic

import (
	"context"

	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/internal/parallel"
	"github.com/lacuna-kg/lacuna/kg"
)

// Projector follows the edges of a graph. The degree of an entity is the highest
// degree of any entity that reaches it, so that crisp sets give crisp sets.
type Projector struct{ Graph *kg.Graph }

// Project implements exec.Projector; sets are spread over the cores.
func (p Projector) Project(ctx context.Context, out, in []fuzzy.Set, relations []kg.Relation) error {
	parallel.Each(ctx, len(out), func(i int) { p.projectOne(out[i], in[i], relations[i]) })
	return kg.Stopped(ctx)
}

func (p Projector) projectOne(out, in fuzzy.Set, r kg.Relation) {
	clear(out)
	for h, degree := range in {
		if degree == 0 {
			continue
		}
		for _, t := range p.Graph.Tails(kg.Entity(h), r) {
			out[t] = max(out[t], degree)
		}
	}
}
