package read

import (
	"bytes"
	"math"

	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/kg"
)

// parseID reads a plain decimal number below limit.
func parseID(text []byte, limit int) (id uint32, ok bool) {
	if len(text) == 0 || len(text) > 10 {
		return 0, false
	}
	value := uint64(0)
	for _, digit := range text {
		if digit < '0' || digit > '9' {
			return 0, false
		}
		value = 10*value + uint64(digit-'0')
	}
	return uint32(value), value < uint64(limit) && value <= math.MaxUint32
}

// ids is a file of lines of three numbers between tabs or spaces.
type ids struct {
	lines               *lineBlocks
	splitter            splitter
	entities, relations int
}

func newIDs(in *input, entities, relations int) *ids {
	return &ids{newLineBlocks(in), splitter{dialect: dialect{delimiter: ' '}}, entities, relations}
}

// triple reads a line whose numbers mean what order says, checked against their ranges.
func (x *ids) triple(line int, text []byte, order columns) (kg.Triple, error) {
	s := &x.splitter
	s.fields = s.fields[:0]
	s.words(text)
	if len(s.fields) != 3 {
		return kg.Triple{}, kg.ErrorAt(kg.Invalid, x.lines.at(line), "expected three numbers, found %s", count.Of(len(s.fields), "field"))
	}
	head, err := x.number(line, s.fields[order.head], x.entities, "entity")
	if err != nil {
		return kg.Triple{}, err
	}
	tail, err := x.number(line, s.fields[order.tail], x.entities, "entity")
	if err != nil {
		return kg.Triple{}, err
	}
	relation, err := x.number(line, s.fields[order.relation], x.relations, "relation")
	return kg.Triple{Head: kg.Entity(head), Relation: kg.Relation(relation), Tail: kg.Entity(tail)}, err
}

func (x *ids) number(line int, text []byte, limit int, what string) (uint32, error) {
	id, ok := parseID(text, limit)
	if !ok {
		return 0, kg.ErrorAt(kg.Invalid, x.lines.at(line), "%q is no %s, expected a number below %d", bytes.ToValidUTF8(text, []byte("?")), what, limit)
	}
	return id, nil
}
