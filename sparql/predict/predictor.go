package predict

import (
	"context"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
	"github.com/lacuna-kg/lacuna/sparql/results"
)

// Predictor answers questions with probabilities. The root package's engine is one.
type Predictor interface {
	// Predict answers a query whose names are ids: the tuples of its answer variables that are wanted and whose probability
	// is above 0, best first; and what it left out, nil for nothing. A query without answer variables has one tuple, of none.
	Predict(ctx context.Context, q *query.Query, w Wanted) ([]Tuple, *results.Cut, error)
}

// Wanted says which answers are.
type Wanted struct {
	Least     float32 // their least probability
	Most      int     // how many, below 0 for all
	Predicted bool    // none that traversal of the graph finds
}

// Tuple is entities for the answer variables of a question.
type Tuple struct {
	Entities    []kg.Entity
	Probability float32
	Known       bool   // traversal of the graph finds it
	Implied     string // by which rules, where the graph does not state it
}
