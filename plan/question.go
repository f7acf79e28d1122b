package plan

import (
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
)

// Question is a question from its logic to its program, one value that is asked,
// run and explained: nobody after this parses, binds or decomposes it again.
//
// Where its variables form a tree, it has an expression over sets and a program; else both
// are nil and it has a normal form, which a join answers.
type Question struct {
	Query   *query.Query  // the logical form, names as they were written
	Expr    query.Expr    // the operator form over a graph's ids, each projection with the variable it goes from
	Program *Program      // compiled from Expr; its instructions know the variables that they complete
	Normal  *query.Normal // over the same ids; nil of a tree
}

// IsTree tells whether the question has a program.
func (q *Question) IsTree() bool { return q.Program != nil }

// NewQuestion binds a query to a vocabulary and compiles or normalises it.
func NewQuestion(q *query.Query, vocabulary *kg.Vocabulary, opts Options) (*Question, error) {
	resolved, err := query.Resolve(q, vocabulary)
	if err != nil {
		return nil, err
	}
	bound, err := BoundQuestion(resolved, opts)
	if err == nil {
		bound.Query = q
	}
	return bound, err
}

// BoundQuestion compiles or normalises a query whose names are ids.
func BoundQuestion(q *query.Query, opts Options) (*Question, error) {
	if e, err := query.Decompose(q); err == nil {
		return &Question{Query: q, Expr: e, Program: compile(e, q.Answers[0].Name, opts)}, nil
	}
	normal, err := query.Normalise(q)
	if err != nil {
		return nil, err
	}
	return &Question{Query: q, Normal: normal}, nil
}

// QuestionOf is the question that an expression asks, its variables named as
// query.FromExpr does. The names of its query are ids.
func QuestionOf(e query.Expr, opts Options) *Question {
	q, named := query.FromExpr(e, nil), query.NameVariables(e)
	return &Question{Query: q, Expr: named, Program: compile(named, q.Answers[0].Name, opts)}
}
