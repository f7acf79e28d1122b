package kg

import (
	"iter"
	"slices"
)

// Graph is an immutable knowledge graph in compressed sparse rows. The row of an
// entity holds all its edges, those of its facts as head under the relation
// itself and those of its facts as tail under the inverse relation, so that one
// array serves both directions. A row is sorted by relation, then by tail.
type Graph struct {
	*Vocabulary
	first      []uint64 // row of entity e is edges first[e] … first[e+1]-1
	relations  []Relation
	tails      []Entity
	duplicates int
	memory     *sharedMemory // what the arrays lie in; nil for a graph that was built
	release    func() error  // ends the use of memory
	byRelation byRelation
	named      *Named // nil where no graph has a name

	annotations *Annotations // nil where no fact has any
	denied      []Triple     // known to be false, in both readings, sorted
}

// NumEntities is the number of entities, those without any fact included.
func (g *Graph) NumEntities() int { return len(g.first) - 1 }

// NumEdges counts every fact in both directions.
func (g *Graph) NumEdges() int { return len(g.tails) }

// NumTriples is the number of distinct facts.
func (g *Graph) NumTriples() int { return len(g.tails) / 2 }

// Duplicates is the number of triples that were given more than once and dropped.
func (g *Graph) Duplicates() int { return g.duplicates }

// Edges is the row of h: edge i runs from h by relations[i] to tails[i]. The slices must not be changed.
func (g *Graph) Edges(h Entity) (relations []Relation, tails []Entity) {
	from, to := g.first[h], g.first[h+1]
	return g.relations[from:to], g.tails[from:to]
}

// Degree is the number of edges of h, in both directions.
func (g *Graph) Degree(h Entity) int { return int(g.first[h+1] - g.first[h]) }

// Tails gives the entities that h reaches by r, sorted. The slice must not be changed.
func (g *Graph) Tails(h Entity, r Relation) []Entity {
	relations, tails := g.Edges(h)
	from, found := slices.BinarySearch(relations, r)
	if !found {
		return nil
	}
	to := from + 1
	for step := 1; to < len(relations) && relations[to] == r; step *= 2 { // most have few: ever longer steps find their end
		if to+step >= len(relations) || relations[to+step] != r {
			length, _ := slices.BinarySearch(relations[to:min(to+step, len(relations))], r+1)
			to += length
			break
		}
		to += step
	}
	return tails[from:to]
}

// Has tells whether the graph states the triple, in either reading.
func (g *Graph) Has(t Triple) bool {
	_, found := slices.BinarySearch(g.Tails(t.Head, t.Relation), t.Tail)
	return found
}

// Triples runs over the stated facts, by head, relation and tail.
func (g *Graph) Triples() iter.Seq[Triple] {
	return func(yield func(Triple) bool) {
		for h := range Entity(g.NumEntities()) {
			relations, tails := g.Edges(h)
			for i, r := range relations {
				if !r.IsInverse() && !yield(Triple{h, r, tails[i]}) {
					return
				}
			}
		}
	}
}

// Close releases what lies behind a graph from a file; the graph must not be
// used afterwards. One that Change made of it is closed on its own.
func (g *Graph) Close() error {
	if g.release == nil {
		return nil
	}
	return g.release()
}
