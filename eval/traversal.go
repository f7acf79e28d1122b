package eval

import (
	"context"
	"slices"

	"github.com/lacuna-kg/lacuna/internal/parallel"
	"github.com/lacuna-kg/lacuna/internal/sorted"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
	"github.com/lacuna-kg/lacuna/symbolic"
)

// traversal answers with exactly what a graph states: every entity scores 0 or 1,
// so that ranks follow from the sizes of a few sets and no score is ever stored.
// On crisp sets the three logics are one.
type traversal struct {
	graph     *kg.Graph
	traverser *symbolic.Traverser
}

// NewTraversal answers by traversal of the graph.
func NewTraversal(g *kg.Graph) Method {
	return &traversal{g, symbolic.NewTraverser(g)}
}

// Answer implements Method; questions are spread over the cores.
func (t *traversal) Answer(ctx context.Context, batch []Question) ([]Outcome, error) {
	outcomes := make([]Outcome, len(batch))
	parallel.EachWith(ctx, len(batch), func() func(int) {
		fork := t.traverser.Fork()
		return func(i int) { outcomes[i] = crispOutcome(batch[i], fork.Answers(batch[i].Expr), t.graph.NumEntities()) }
	})
	return outcomes, kg.Stopped(ctx)
}

// crispOutcome ranks by membership in found. A target that was found ties with the
// entities that were found wrongly; one that was not comes after those and ties with all the rest.
func crispOutcome(q Question, found []kg.Entity, entities int) Outcome {
	wrong := int32(len(found) - sorted.CountCommon(found, q.Answers))
	rest := int32(entities-len(q.Answers)) - wrong
	o := Outcome{Ranks: make([]kernel.Rank, len(q.Targets)), Answered: float64(len(found))}
	for i, target := range q.Targets {
		if _, isFound := slices.BinarySearch(found, target); isFound {
			o.Ranks[i] = kernel.Rank{Equal: wrong}
		} else {
			o.Ranks[i] = kernel.Rank{Greater: wrong, Equal: rest}
		}
	}
	return o
}

// Bytes implements Method: a traversal's memory does not grow with the batch.
func (t *traversal) Bytes(query.Expr) int64 { return 0 }

// Entities implements Method.
func (t *traversal) Entities() int { return t.graph.NumEntities() }

// Describe implements Method.
func (t *traversal) Describe() Description { return Description{Kind: "traversal"} }
