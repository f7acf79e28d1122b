package predict

import (
	"context"

	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
	"github.com/lacuna-kg/lacuna/sparql/results"
)

// Predictor gives the answers of expressions with their probabilities. The root
// package's engine is one; a server may put one in front that merges requests.
type Predictor interface {
	// Predict runs the expressions as one batch. Each prediction lists the members
	// whose degree is at least floor and above 0, best first, equal ones by entity.
	Predict(ctx context.Context, exprs []query.Expr, floor float32) ([]Prediction, error)
	// Join answers a question whose variables form no tree: the tuples of its answer variables
	// whose degree is at least floor and above 0, best first, at most so many; and what it left out, nil for nothing.
	Join(ctx context.Context, q *query.Normal, floor float32, most int) ([]Tuple, *results.Cut, error)
}

// Tuple is entities for the answer variables of a question.
type Tuple struct {
	Entities []kg.Entity
	Degree   float32
	Known    bool // traversal of the graph finds it
}

// Prediction is the set of one expression.
type Prediction struct {
	Members     []fuzzy.Member
	Known       []bool  // of each member: traversal of the graph finds it
	Cardinality float64 // the predicted number of members
}
