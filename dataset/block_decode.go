package dataset

import (
	"encoding/binary"
	"errors"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
)

var errBlock = errors.New("malformed block of queries")

// bounds are the sizes of the vocabulary that all numbers of a set must stay within.
type bounds struct{ entities, relations uint64 }

// decodeBlock reads back the queries of a block. Nothing is allocated for more
// numbers than there are bytes, so that a crafted count cannot exhaust memory.
func decodeBlock(data []byte, t *query.Template, absent Parts, queries int, within bounds) ([]Query, error) {
	if queries > maxBlockQueries || queries*t.Slots > len(data) {
		return nil, errBlock
	}
	d := blockDecoder{rest: data}
	numbers := d.numbers(t, queries, within)
	var counts [2][]uint64
	for part := range counts {
		if absent&(1<<part) == 0 {
			counts[part] = d.column(queries, within.entities+1)
		}
	}
	decoded := make([]Query, queries)
	for i := range decoded {
		decoded[i].Absent = absent
	}
	for i, list := range d.lists(counts[0], within.entities) {
		decoded[i].Easy = list
	}
	for i, list := range d.lists(counts[1], within.entities) {
		decoded[i].Hard = list
	}
	if d.failed || len(d.rest) > 0 {
		return nil, errBlock
	}
	for i := range decoded {
		decoded[i].Expr = t.Fill(numbers[i*t.Slots : (i+1)*t.Slots])
	}
	return decoded, nil
}

// blockDecoder reads varints off the front of rest; once one was malformed or out
// of bounds it reads zeroes.
type blockDecoder struct {
	rest   []byte
	failed bool
}

// next reads a number below limit.
func (d *blockDecoder) next(limit uint64) uint64 {
	number, length := binary.Uvarint(d.rest)
	if length <= 0 || number >= limit {
		d.rest, d.failed = nil, true
		return 0
	}
	d.rest = d.rest[length:]
	return number
}

func (d *blockDecoder) column(queries int, limit uint64) []uint64 {
	column := make([]uint64, queries)
	for i := range column {
		column[i] = d.next(limit)
	}
	return column
}

// numbers reads the columns of the template's numbers, turned into a row a query.
func (d *blockDecoder) numbers(t *query.Template, queries int, within bounds) []uint32 {
	rows := make([]uint32, queries*t.Slots)
	for column, isRelation := range t.Relations() {
		limit := within.entities
		if isRelation {
			limit = within.relations
		}
		for i := range queries {
			rows[i*t.Slots+column] = uint32(d.next(limit))
		}
	}
	return rows
}

// lists reads as many lists of answers as there are counts; they share one array.
func (d *blockDecoder) lists(counts []uint64, entities uint64) [][]kg.Entity {
	total := uint64(0)
	for _, count := range counts {
		total += count
	}
	if total > uint64(len(d.rest)) {
		d.failed = true
		return nil
	}
	arena := make([]kg.Entity, 0, total)
	lists := make([][]kg.Entity, len(counts))
	for i, count := range counts {
		from, next := len(arena), uint64(0)
		for range count {
			answer := next + d.next(entities-next) // at next = entities no gap is small enough
			arena = append(arena, kg.Entity(answer))
			next = answer + 1
		}
		lists[i] = arena[from:len(arena):len(arena)]
	}
	return lists
}
