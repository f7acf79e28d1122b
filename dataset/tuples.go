package dataset

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/lacuna-kg/lacuna/internal/pickle"
	"github.com/lacuna-kg/lacuna/kg"
)

// pickledTuples reads the tuples of a release, whose leaves are numbers: a query.TupleReader.
type pickledTuples struct{ *numbering }

// Items implements query.TupleReader.
func (pickledTuples) Items(value any) ([]any, bool) {
	t, ok := value.(pickle.Tuple)
	return t, ok
}

// IsMark implements query.TupleReader.
func (pickledTuples) IsMark(leaf any, mark int) bool { return leaf == int64(mark) }

// Entity implements query.TupleReader.
func (p pickledTuples) Entity(leaf any) (kg.Entity, error) {
	number, ok := leaf.(int64)
	if !ok {
		return 0, p.Wrong(leaf, "expected the number of an entity")
	}
	return p.entity(number)
}

// Relation implements query.TupleReader.
func (p pickledTuples) Relation(leaf any) (kg.Relation, error) { return p.relation(leaf) }

// Wrong implements query.TupleReader.
func (pickledTuples) Wrong(value any, expected string) error {
	return fmt.Errorf("%s, found %s", expected, describe(value))
}

// structureText writes a structure that BetaE files queries under as query.ParseShape reads it.
func structureText(structure any) string {
	switch structure := structure.(type) {
	case string:
		return "'" + structure + "'"
	case pickle.Tuple:
		var text strings.Builder
		for _, item := range structure {
			text.WriteString(structureText(item) + ",")
		}
		return "(" + text.String() + ")"
	}
	return describe(structure)
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
