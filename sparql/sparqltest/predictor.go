package sparqltest

import (
	"context"
	"math"

	"github.com/lacuna-kg/lacuna/join"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
	"github.com/lacuna-kg/lacuna/plan"
	"github.com/lacuna-kg/lacuna/query"
	"github.com/lacuna-kg/lacuna/sparql/predict"
	"github.com/lacuna-kg/lacuna/sparql/results"
	"github.com/lacuna-kg/lacuna/symbolic"
)

// Traversal predicts what the graph states, each with probability 1.
type Traversal struct{ Graph *kg.Graph }

// Predict implements predict.Predictor.
func (p Traversal) Predict(ctx context.Context, q *query.Query, w predict.Wanted) ([]predict.Tuple, *results.Cut, error) {
	bound, err := plan.BoundQuestion(q, plan.Options{})
	if err != nil {
		return nil, nil, err
	}
	if w.Predicted {
		return nil, nil, nil
	}
	most := w.Most
	if most < 0 {
		most = math.MaxInt
	}
	var tuples []predict.Tuple
	if bound.IsTree() {
		for _, e := range symbolic.NewTraverser(p.Graph).Answers(bound.Expr) {
			tuples = append(tuples, predict.Tuple{Entities: []kg.Entity{e}, Probability: 1, Known: true})
		}
		return tuples[:min(len(tuples), most)], nil, nil
	}
	found, err := join.New(links.New(p.Graph, nil, links.Options{}), bound.Normal, join.Options{Least: float64(w.Least)}).All(ctx, most)
	for _, a := range found {
		tuples = append(tuples, predict.Tuple{Entities: a.Entities, Probability: float32(a.Degree), Known: true})
	}
	return tuples, nil, err
}
