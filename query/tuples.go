package query

import (
	"strconv"

	"github.com/lacuna-kg/lacuna/kg"
)

// BetaE writes a query as nested Python tuples and its structure as the same with
// letters. (e, (r, r, n)) is a path of relations from an entity, n a complement on
// the way; a tuple of two or more tuples is their intersection, or their union if
// the last is (u,). In queries e and r are numbers, n is -2 and u is -1. These
// numbers are given a meaning here and go no further.
const (
	tupleUnion      = -1
	tupleComplement = -2
)

// TupleReader reads the parts of BetaE's tuples, which are text in one place and values of
// a pickle in another.
type TupleReader[T any] interface {
	// Items are those of a tuple; what has none to give is a leaf.
	Items(T) (items []T, tuple bool)
	// IsMark tells whether a leaf stands for the number, -1 or -2.
	IsMark(leaf T, mark int) bool
	Entity(leaf T) (kg.Entity, error)
	Relation(leaf T) (kg.Relation, error)
	// Wrong is the error that something else was expected in place of t.
	Wrong(t T, expected string) error
}

// TupleExpr gives a tuple its meaning.
func TupleExpr[T any](r TupleReader[T], t T) (Expr, error) {
	items, _ := r.Items(t)
	if len(items) < 2 {
		return nil, r.Wrong(t, "expected a tuple of an entity and its relations, or of two or more tuples")
	}
	last := items[len(items)-1]
	steps, isPath := pathSteps(r, last)
	switch {
	case !isPath:
		of, err := tupleExprs(r, items)
		return Intersection{of}, err
	case len(steps) == 1 && r.IsMark(steps[0], tupleUnion):
		if len(items) < 3 {
			return nil, r.Wrong(items[0], "expected two or more tuples to unite")
		}
		of, err := tupleExprs(r, items[:len(items)-1])
		return Union{of}, err
	case len(items) == 2:
		return tuplePath(r, items[0], steps)
	}
	return nil, r.Wrong(last, "expected a single tuple or entity before the relations")
}

// pathSteps are the items of a tuple of leaves, which is never an operand: a path or the mark of a union.
func pathSteps[T any](r TupleReader[T], t T) (steps []T, isPath bool) {
	steps, _ = r.Items(t)
	for _, step := range steps {
		if _, tuple := r.Items(step); tuple {
			return nil, false
		}
	}
	return steps, len(steps) > 0
}

func tupleExprs[T any](r TupleReader[T], items []T) ([]Expr, error) {
	of := make([]Expr, len(items))
	for i, item := range items {
		var err error
		if of[i], err = TupleExpr(r, item); err != nil {
			return nil, err
		}
	}
	return of, nil
}

// tuplePath applies relations and complements, from left to right, to an entity or a tuple.
func tuplePath[T any](r TupleReader[T], start T, steps []T) (Expr, error) {
	e, err := pathStart(r, start)
	for _, step := range steps {
		if err != nil {
			return nil, err
		}
		if r.IsMark(step, tupleComplement) {
			e = Complement{e}
			continue
		}
		var relation kg.Relation
		relation, err = r.Relation(step)
		e = Projection{Relation: relation, Of: e}
	}
	return e, err
}

func pathStart[T any](r TupleReader[T], start T) (Expr, error) {
	if _, tuple := r.Items(start); tuple {
		return TupleExpr(r, start)
	}
	entity, err := r.Entity(start)
	return Anchor{entity}, err
}

// FormatTuples writes e in BetaE's notation, which Parse reads back. It has
// no way to write a bare entity or the universe.
func FormatTuples(e Expr) (string, error) {
	text, err := appendTuple(nil, e)
	return string(text), err
}

func appendTuple(to []byte, e Expr) ([]byte, error) {
	switch e := e.(type) {
	case Intersection:
		return appendTuples(to, e.Of, "")
	case Union:
		return appendTuples(to, e.Of, ", ("+strconv.Itoa(tupleUnion)+",)")
	case Projection, Complement:
		return appendPath(to, e)
	}
	return nil, kg.Errorf(kg.Invalid, "", "BetaE's tuples can not express an entity or the universe without a relation: %s", ShapeOf(e))
}

func appendTuples(to []byte, of []Expr, mark string) (_ []byte, err error) {
	to = append(to, '(')
	for i, operand := range of {
		if i > 0 {
			to = append(to, ", "...)
		}
		if to, err = appendTuple(to, operand); err != nil {
			return nil, err
		}
	}
	return append(append(to, mark...), ')'), nil
}

// appendPath writes the projections and complements down to the next branch or entity as one path.
func appendPath(to []byte, e Expr) (_ []byte, err error) {
	var steps []string // outermost first
	for descending := true; descending; {
		switch step := e.(type) {
		case Projection:
			steps, e = append(steps, strconv.Itoa(int(step.Relation))), step.Of
		case Complement:
			steps, e = append(steps, strconv.Itoa(tupleComplement)), step.Of
		default:
			descending = false
		}
	}
	to = append(to, '(')
	if anchor, ok := e.(Anchor); ok {
		to = strconv.AppendUint(to, uint64(anchor.Entity), 10)
	} else if to, err = appendTuple(to, e); err != nil {
		return nil, err
	}
	to = append(to, ", ("...)
	for i := len(steps) - 1; i >= 0; i-- {
		to = append(to, steps[i]...)
		if i > 0 || len(steps) == 1 {
			to = append(to, ',')
		}
		if i > 0 {
			to = append(to, ' ')
		}
	}
	return append(to, "))"...), nil
}
