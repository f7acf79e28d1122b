package sparqltest

import (
	"context"

	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/join"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
	"github.com/lacuna-kg/lacuna/query"
	"github.com/lacuna-kg/lacuna/sparql/predict"
	"github.com/lacuna-kg/lacuna/sparql/results"
	"github.com/lacuna-kg/lacuna/symbolic"
)

// Traversal predicts what the graph states, each with probability 1.
type Traversal struct{ Graph *kg.Graph }

// Join implements predict.Predictor.
func (p Traversal) Join(ctx context.Context, q *query.Normal, floor float32, most int) ([]predict.Tuple, *results.Cut, error) {
	found, err := join.New(links.New(p.Graph, nil, links.Options{}), q, join.Options{Least: float64(floor)}).All(ctx, most)
	tuples := make([]predict.Tuple, len(found))
	for i, a := range found {
		tuples[i] = predict.Tuple{Entities: a.Entities, Degree: float32(a.Degree), Known: true}
	}
	return tuples, nil, err
}

// Predict implements predict.Predictor.
func (p Traversal) Predict(_ context.Context, exprs []query.Expr, _ float32) ([]predict.Prediction, error) {
	all := make([]predict.Prediction, len(exprs))
	for i, expr := range exprs {
		for _, e := range symbolic.NewTraverser(p.Graph).Answers(expr) {
			all[i].Members = append(all[i].Members, fuzzy.Member{Entity: e, Degree: 1})
			all[i].Known = append(all[i].Known, true)
		}
		all[i].Cardinality = float64(len(all[i].Members))
	}
	return all, nil
}
