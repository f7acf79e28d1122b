package links

import (
	"cmp"
	"slices"
	"sync"

	"github.com/lacuna-kg/lacuna/kg"
)

// A file has the rows of what is stated: of (h, q) where the graph says that q leads from h. So it lacks just the rows of entities whose only link of a relation
// is the one that is missing. What leads to such an entity stands in the rows of the other ends: they are turned round, relation by relation, when
// somebody asks.

// mostTurned bounds the links that are turned, all relations together: each takes 12 bytes.
const mostTurned = 16 << 20

// turnedRows are the rows of a file by their tails.
type turnedRows struct {
	mu      sync.Mutex
	of      map[kg.Relation][]turnedLink // of the relation that leads to the tails, by tail and, for one tail, the likeliest first
	entries int
}

// turnedLink is a predicted link from head to tail.
type turnedLink struct {
	tail, head  kg.Entity
	probability float32
}

// Turned is the row of a pair that the file lacks, as far as the file's rows of the other ends have its links. It is empty where there is no file, or too
// much in it to be turned.
func (r *Rows) Turned(p Pair) (Row, error) {
	row := Row{Stated: r.graph.Tails(p.Head, p.Relation)}
	if r.options.File == nil || r.ranges.Closed(p) {
		return row, nil
	}
	all, err := r.turned.links(r.options.File, p.Relation.Inverse())
	if err != nil {
		return row, err
	}
	first, _ := slices.BinarySearchFunc(all, p.Head, func(l turnedLink, e kg.Entity) int { return cmp.Compare(l.tail, e) })
	for _, l := range all[first:] {
		if l.tail != p.Head {
			break
		}
		row.Tails, row.Probabilities = append(row.Tails, l.head), append(row.Probabilities, l.probability)
	}
	return r.ranges.admitted(p, row), nil
}

// links are those of a relation by tail.
func (t *turnedRows) links(f *File, q kg.Relation) ([]turnedLink, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if all, known := t.of[q]; known {
		return all, nil
	}
	all, err := f.turn(q, mostTurned-t.entries)
	if err != nil {
		return nil, err
	}
	if t.of == nil {
		t.of = map[kg.Relation][]turnedLink{}
	}
	t.of[q], t.entries = all, t.entries+len(all)
	return all, nil
}

// turn reads the links of a relation, and none where there are more than so many.
func (f *File) turn(q kg.Relation, most int) ([]turnedLink, error) {
	if int(q) >= f.Relations {
		return nil, nil
	}
	var all []turnedLink
	for i := int(f.first(int(q))); i < int(f.first(int(q)+1)); i++ {
		row, err := f.numbered(i)
		if err != nil {
			return nil, err
		}
		for k, tail := range row.Tails {
			all = append(all, turnedLink{tail, kg.Entity(f.head(i)), row.Probabilities[k]})
		}
		if len(all) > most {
			return nil, nil
		}
	}
	slices.SortFunc(all, func(a, b turnedLink) int {
		return cmp.Or(cmp.Compare(a.tail, b.tail), cmp.Compare(b.probability, a.probability), cmp.Compare(a.head, b.head))
	})
	return all, nil
}
