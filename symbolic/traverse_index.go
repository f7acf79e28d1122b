package symbolic

import (
	"math"
	"slices"
	"sync/atomic"

	"github.com/lacuna-kg/lacuna/internal/sorted"
	"github.com/lacuna-kg/lacuna/kg"
)

// lazyIndex makes an index by relation once it pays. A step from many entities
// searches the row of each, all over the memory of the graph; an index makes
// that two to three times as fast, but costs as much to make as a search for
// every edge. As nobody knows how many questions will come, it is made when as
// much was spent on searches as it costs: a single question on a large graph
// never waits for it, and many pay at most twice what they had to.
type lazyIndex struct {
	searches atomic.Int64
	started  atomic.Bool
	made     atomic.Pointer[relationIndex]
}

// worth gives the index, or nil as long as the given number of searches is to go without it.
func (l *lazyIndex) worth(g *kg.Graph, searches int) *relationIndex {
	if x := l.made.Load(); x != nil {
		return x
	}
	spent := l.searches.Add(int64(searches))
	fits := uint64(g.NumEdges()) <= math.MaxUint32
	if spent > int64(g.NumEdges()) && fits && l.started.CompareAndSwap(false, true) {
		l.made.Store(newRelationIndex(g))
	}
	return l.made.Load() // still nil where another goroutine is about to make it
}

// relationIndex holds the edges of a graph by relation, then head, then tail. A
// step from a set is then a walk through two sorted lists, the set and the heads
// of the relation, and the edges it meets lie close together.
type relationIndex struct {
	first  []int       // heads of relation r are first[r] … first[r+1]-1
	heads  []kg.Entity // distinct within a relation
	starts []uint32    // tails of head i are tails[starts[i]:starts[i+1]]
	tails  []kg.Entity
}

func newRelationIndex(g *kg.Graph) *relationIndex {
	relations := g.NumRelations()
	x := &relationIndex{first: make([]int, relations+1)}
	edges := make([]int, relations+1)
	forEachRun(g, func(_ kg.Entity, r kg.Relation, tails []kg.Entity) {
		x.first[r+1]++
		edges[r+1] += len(tails)
	})
	for r := range relations {
		x.first[r+1] += x.first[r]
		edges[r+1] += edges[r]
	}
	x.heads = make([]kg.Entity, x.first[relations])
	x.starts = make([]uint32, x.first[relations]+1)
	x.tails = make([]kg.Entity, edges[relations])
	next := slices.Clone(x.first)
	forEachRun(g, func(h kg.Entity, r kg.Relation, tails []kg.Entity) {
		x.heads[next[r]], x.starts[next[r]] = h, uint32(edges[r])
		next[r]++
		edges[r] += copy(x.tails[edges[r]:], tails)
	})
	x.starts[len(x.heads)] = uint32(len(x.tails))
	return x
}

// forEachRun visits the edges of a graph, those of one head and relation together.
func forEachRun(g *kg.Graph, visit func(h kg.Entity, r kg.Relation, tails []kg.Entity)) {
	for h := range kg.Entity(g.NumEntities()) {
		relations, tails := g.Edges(h)
		from := 0
		for i := range relations {
			if i+1 == len(relations) || relations[i+1] != relations[i] {
				visit(h, relations[i], tails[from:i+1])
				from = i + 1
			}
		}
	}
}

// stepFrom marks what the entities of a sorted list reach by r.
func (x *relationIndex) stepFrom(list []kg.Entity, r kg.Relation, mark *collector) {
	at, end := x.first[r], x.first[r+1]
	for len(list) > 0 && at < end {
		skipped, found := sorted.Gallop(x.heads[at:end], list[0])
		at += skipped
		switch {
		case found:
			mark.addAll(x.tails[x.starts[at]:x.starts[at+1]])
			at, list = at+1, list[1:]
		case at < end: // no entity before the next head has the relation
			skipped, _ := sorted.Gallop(list, x.heads[at])
			list = list[skipped:]
		}
	}
}

// stepFromAllBut marks what all entities but those of a sorted list reach by r.
func (x *relationIndex) stepFromAllBut(except []kg.Entity, r kg.Relation, mark *collector) {
	for at := x.first[r]; at < x.first[r+1]; at++ {
		skipped, excepted := sorted.Gallop(except, x.heads[at])
		except = except[skipped:]
		if !excepted {
			mark.addAll(x.tails[x.starts[at]:x.starts[at+1]])
		}
	}
}
