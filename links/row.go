// Package links answers by single links, entity by entity (METHOD, "Execution by links").
//
// A link (h, q, t) is one possible fact with its probability: 1 where the graph states it, else
// what a model of single links makes of it. The links of one (h, q) are a Row. Rows gives them:
// computed in batches when they are asked for, kept within a bound of bytes, shared by all
// questions on a graph. Executor runs the programs of package plan over them: a projection takes the best
// derivation, the maximum over the members h of a set of h's degree and the probability
// of the link from h, where the network by sets takes the whole set in one pass. In the flow it stands
// beside symbolic, of which it is the generalisation to links that are not certain.
package links

import (
	"cmp"
	"github.com/lacuna-kg/lacuna/kg"
)

// Pair is what a row belongs to: a head and a relation, read in its direction.
type Pair struct {
	Head     kg.Entity
	Relation kg.Relation
}

// compare puts pairs of one relation together.
func (p Pair) compare(other Pair) int {
	return cmp.Or(cmp.Compare(p.Relation, other.Relation), cmp.Compare(p.Head, other.Head))
}

// Row is the links of a pair. What is below the bound of the Rows that gave it is not in it.
type Row struct {
	// Stated are the tails that the graph states, ascending: their probability is 1. It is a part of the graph's memory.
	Stated []kg.Entity
	// Tails are the others, in no order that counts, with their Probabilities.
	Tails         []kg.Entity
	Probabilities []float32
}

// rowOverhead is roughly what a row takes beside its links, its place in the cache included.
const rowOverhead = 160

func (r Row) bytes() int64 { return int64(8*len(r.Tails)) + rowOverhead }

// Likeliest is the row with the likeliest of its predicted links alone, at most so many, the likeliest first, equal ones by id.
func (r Row) Likeliest(most int) Row {
	c := newCandidates(most)
	for i, t := range r.Tails {
		c.add(t, r.Probabilities[i], true)
	}
	c.settle()
	best := Row{Stated: r.Stated, Tails: make([]kg.Entity, len(c.keys)), Probabilities: make([]float32, len(c.keys))}
	for i, key := range c.keys {
		best.Tails[i], best.Probabilities[i] = entityOf(key), degreeOf(key)
	}
	return best
}
