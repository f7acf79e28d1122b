package plan

import (
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
)

// Question is a question from its logic to its program, one value that is asked,
// run and explained: nobody after this parses, binds or decomposes it again.
type Question struct {
	Query   *query.Query // the logical form, names as they were written
	Expr    query.Expr   // the operator form over a graph's ids, each projection with the variable it goes from
	Program *Program     // compiled from Expr; its instructions know the variables that they complete
}

// NewQuestion binds a query to a vocabulary and compiles it.
func NewQuestion(q *query.Query, vocabulary *kg.Vocabulary, opts Options) (*Question, error) {
	e, err := query.Bind(q, vocabulary)
	if err != nil {
		return nil, err
	}
	return &Question{q, e, compile(e, q.Answers[0].Name, opts)}, nil
}

// QuestionOf is the question that an expression asks, its variables named as
// query.FromExpr does. The names of its query are ids.
func QuestionOf(e query.Expr, opts Options) *Question {
	q, named := query.FromExpr(e, nil), query.NameVariables(e)
	return &Question{q, named, compile(named, q.Answers[0].Name, opts)}
}
