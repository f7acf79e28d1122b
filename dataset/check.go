package dataset

import (
	"fmt"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
)

// checkQuery tells whether a query is whole, all its numbers stay within the vocabulary
// and its answers are sorted and distinct.
func checkQuery(q Query, within bounds) error {
	if err := checkExpr(q.Expr, within); err != nil {
		return err
	}
	if err := checkAnswers("easy", q.Easy, within); err != nil {
		return err
	}
	return checkAnswers("hard", q.Hard, within)
}

func checkExpr(e query.Expr, within bounds) error {
	operands := query.Operands(e)
	switch e := e.(type) {
	case nil:
		return fmt.Errorf("expected a query expression, found %T", e)
	case query.Anchor:
		return checkEntity(e.Entity, within)
	case query.Projection:
		if uint64(e.Relation) >= within.relations {
			return fmt.Errorf("relation %d is beyond the %d of the graph", e.Relation, within.relations)
		}
	case query.Intersection, query.Union:
		if len(operands) < 2 {
			return fmt.Errorf("expected two or more operands of an intersection or union, found %d", len(operands))
		}
	}
	for _, operand := range operands {
		if err := checkExpr(operand, within); err != nil {
			return err
		}
	}
	return nil
}

func checkEntity(e kg.Entity, within bounds) error {
	if uint64(e) >= within.entities {
		return fmt.Errorf("entity %d is beyond the %d of the graph", e, within.entities)
	}
	return nil
}

func checkAnswers(kind string, answers []kg.Entity, within bounds) error {
	for i, answer := range answers {
		if i > 0 && answer <= answers[i-1] {
			return fmt.Errorf("the %s answers are not sorted and distinct: %d follows %d", kind, answer, answers[i-1])
		}
		if err := checkEntity(answer, within); err != nil {
			return fmt.Errorf("among the %s answers: %w", kind, err)
		}
	}
	return nil
}
