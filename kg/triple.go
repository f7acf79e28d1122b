package kg

import "cmp"

// Entity is the dense id of an entity: 0 … Vocabulary.Entities.Len()-1.
type Entity uint32

// Relation is the dense id of a relation read in one direction. Every base
// relation, numbered in the vocabulary, has two: itself and its inverse, so that
// a graph of b base relations has 2·b of them and tables of relation vectors are
// indexed by Relation directly. The numbering agrees with the public BetaE data.
type Relation uint32

// Forward is the base relation numbered base, read from head to tail.
func Forward(base uint32) Relation { return Relation(2 * base) }

// Inverse reads the relation the other way round: (t, r.Inverse(), h) holds wherever (h, r, t) does.
func (r Relation) Inverse() Relation {
	if r.IsInverse() {
		return r - 1
	}
	return r + 1
}

// IsInverse tells whether r runs from tail to head of the stated triples.
func (r Relation) IsInverse() bool { return r%2 == 1 }

// Base is the number of the base relation in the vocabulary.
func (r Relation) Base() uint32 { return uint32(r / 2) }

// Triple is one fact: Relation holds from Head to Tail.
type Triple struct {
	Head     Entity
	Relation Relation
	Tail     Entity
}

// Inverse is the same fact, read from its tail.
func (t Triple) Inverse() Triple { return Triple{t.Tail, t.Relation.Inverse(), t.Head} }

// Stated is the fact as a forward triple, whichever way it was written.
func (t Triple) Stated() Triple {
	if t.Relation.IsInverse() {
		return t.Inverse()
	}
	return t
}

// Compare orders triples by head, relation and tail, as the functions of package slices want it.
func (t Triple) Compare(other Triple) int {
	return cmp.Or(cmp.Compare(t.Head, other.Head), cmp.Compare(t.Relation, other.Relation), cmp.Compare(t.Tail, other.Tail))
}
