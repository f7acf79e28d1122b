package read

import "github.com/lacuna-kg/lacuna/kg"

// batchRows is how many rows have their names looked up together.
const batchRows = 4096

// batch holds rows of triples whose names are yet to be numbered: looked up one by
// one, they would each wait for memory.
type batch struct {
	names     [][]byte // head, tail, head, tail, …
	relations []kg.Relation
	ids       []uint32
}

// take adds a row. Names that do not point into the block but into memory that the
// next row uses are numbered at once.
func (t *table) take(head, relation, tail []byte) {
	if t.passing || len(t.splitter.scratch) > 0 || len(t.scratch) > 0 {
		t.flush()
		t.into.fact(t.part, head, relation, tail)
		return
	}
	b := &t.batch
	b.names = append(b.names, head, tail)
	b.relations = append(b.relations, t.into.relation(relation))
	if len(b.relations) == batchRows {
		t.flush()
	}
}

// flush numbers the names that wait, in the order of their rows.
func (t *table) flush() {
	b := &t.batch
	if len(b.relations) == 0 {
		return
	}
	if b.ids == nil {
		b.ids = make([]uint32, 2*batchRows)
	}
	t.into.entities.InternAll(b.names, b.ids)
	for i, relation := range b.relations {
		t.into.facts[t.part] = append(t.into.facts[t.part], kg.Triple{Head: kg.Entity(b.ids[2*i]), Relation: relation, Tail: kg.Entity(b.ids[2*i+1])})
	}
	b.names, b.relations = b.names[:0], b.relations[:0]
}
