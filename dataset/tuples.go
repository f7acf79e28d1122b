package dataset

import (
	"encoding/binary"
	"fmt"

	"github.com/lacuna-kg/lacuna/internal/pickle"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
)

// The releases write queries as nested tuples of numbers. In BetaE's,
// (e, (r, r, n)) is a path of relations from an entity or, in its place, from
// another tuple; n = -2 is a complement on the way. A tuple of two or more tuples
// is their intersection, or their union if the last of them is (-1,). The two
// numbers are given their meaning here and go no further.
const (
	tupleUnion      = -1
	tupleComplement = -2
)

// tupleExpr gives one of BetaE's tuples its meaning.
func (n numbering) tupleExpr(value any) (query.Expr, error) {
	t, ok := value.(pickle.Tuple)
	if !ok || len(t) < 2 {
		return nil, fmt.Errorf("expected a tuple of an entity and its relations or of other tuples, found %s", describe(value))
	}
	last := t[len(t)-1]
	if !isPath(last) {
		of, err := n.operands(t)
		return query.Intersection{Of: of}, err
	}
	if isUnionMark(last) {
		of, err := n.operands(t[:len(t)-1])
		return query.Union{Of: of}, err
	}
	if len(t) > 2 {
		return nil, fmt.Errorf("expected one entity or tuple before the relations, found %s", describe(value))
	}
	start, err := n.start(t[0])
	if err != nil {
		return nil, err
	}
	return n.path(start, last)
}

func (n numbering) operands(of pickle.Tuple) ([]query.Expr, error) {
	if len(of) < 2 {
		return nil, fmt.Errorf("expected two or more tuples in an intersection or union, found %d", len(of))
	}
	operands := make([]query.Expr, len(of))
	for i, operand := range of {
		e, err := n.tupleExpr(operand)
		if err != nil {
			return nil, err
		}
		operands[i] = e
	}
	return operands, nil
}

// start is what a path begins with.
func (n numbering) start(value any) (query.Expr, error) {
	if id, ok := value.(int64); ok {
		e, err := n.entity(id)
		return query.Anchor{Entity: e}, err
	}
	return n.tupleExpr(value)
}

// path follows the relations of a tuple from a set.
func (n numbering) path(from query.Expr, relations any) (query.Expr, error) {
	if !isPath(relations) {
		return nil, fmt.Errorf("expected a tuple of relations, found %s", describe(relations))
	}
	for _, number := range relations.(pickle.Tuple) {
		if number == int64(tupleComplement) {
			from = query.Complement{Of: from}
			continue
		}
		r, err := n.relation(number)
		if err != nil {
			return nil, err
		}
		from = query.Projection{Relation: r, Of: from}
	}
	return from, nil
}

// isPath tells a tuple of numbers from one of tuples.
func isPath(value any) bool {
	t, ok := value.(pickle.Tuple)
	if !ok || len(t) == 0 {
		return false
	}
	for _, item := range t {
		if _, number := item.(int64); !number {
			return false
		}
	}
	return true
}

func isUnionMark(path any) bool {
	t := path.(pickle.Tuple)
	return len(t) == 1 && t[0] == int64(tupleUnion)
}

// fits tells whether a tuple has the structure that BetaE files it under: the
// same nesting with the letters e, r, n and u for its numbers.
func fits(structure, value any) bool {
	switch structure := structure.(type) {
	case pickle.Tuple:
		t, ok := value.(pickle.Tuple)
		if !ok || len(t) != len(structure) {
			return false
		}
		for i := range t {
			if !fits(structure[i], t[i]) {
				return false
			}
		}
		return true
	case string:
		number, ok := value.(int64)
		return ok && letterOf(number, structure)
	}
	return false
}

func letterOf(number int64, letter string) bool {
	switch letter {
	case "e", "r":
		return number >= 0
	case "n":
		return number == tupleComplement
	case "u":
		return number == tupleUnion
	}
	return false
}

// appendTupleKey adds a text that is the same for equal tuples of numbers only, as
// Go's maps take no tuples.
func appendTupleKey(key []byte, value any) ([]byte, error) {
	switch value := value.(type) {
	case int64:
		return binary.AppendVarint(append(key, 'i'), value), nil
	case pickle.Tuple:
		key = binary.AppendUvarint(append(key, 't'), uint64(len(value)))
		for _, item := range value {
			var err error
			if key, err = appendTupleKey(key, item); err != nil {
				return nil, err
			}
		}
		return key, nil
	}
	return nil, fmt.Errorf("expected a tuple of numbers, found %s", describe(value))
}

// describe names a value of a pickle in an error.
func describe(value any) string {
	switch value := value.(type) {
	case nil:
		return "None"
	case int64:
		return fmt.Sprintf("the number %d", value)
	case string:
		return fmt.Sprintf("the text %.40q", value)
	case pickle.Tuple:
		return fmt.Sprintf("a tuple of %d", len(value))
	case *pickle.List:
		return fmt.Sprintf("a list of %d", len(value.Items))
	case *pickle.Dict:
		return fmt.Sprintf("a dict of %d", value.Len())
	case *pickle.Set:
		return fmt.Sprintf("a set of %d", value.Len())
	}
	return fmt.Sprintf("a %T", value)
}

// answerList turns a set of numbers into sorted entities.
func (n numbering) answerList(value any) ([]kg.Entity, error) {
	numbers, err := integers(value)
	if err != nil {
		return nil, err
	}
	answers := make([]kg.Entity, len(numbers))
	for i, number := range numbers {
		if answers[i], err = n.entity(number); err != nil {
			return nil, err
		}
	}
	return sortedDistinct(answers), nil
}
