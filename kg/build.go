package kg

import (
	"runtime"
	"slices"
	"sync"
)

// edge packs what a row is sorted by into one word: relation, then tail.
type edge uint64

func packEdge(r Relation, t Entity) edge { return edge(r)<<32 | edge(t) }

func (e edge) relation() Relation { return Relation(e >> 32) }
func (e edge) tail() Entity       { return Entity(e) }

// Build makes the graph of the triples over a vocabulary. Triples may be written
// in either direction; one that repeats another is counted and dropped.
func Build(v *Vocabulary, triples []Triple) *Graph {
	first, edges := scatter(v.Entities.Names.Len(), triples)
	kept := sortRows(first, edges)
	g := &Graph{Vocabulary: v, first: make([]uint64, len(first))}
	total := uint64(0)
	for h, count := range kept {
		g.first[h] = total
		total += count
	}
	g.first[len(kept)] = total
	g.relations, g.tails = make([]Relation, total), make([]Entity, total)
	forEachShare(len(kept), func(from, to int) {
		for h := from; h < to; h++ {
			g.unpackRow(Entity(h), edges[first[h]:first[h]+kept[h]])
		}
	})
	g.duplicates = len(triples) - len(g.tails)/2
	return g
}

func (g *Graph) unpackRow(h Entity, row []edge) {
	relations, tails := g.Edges(h)
	for i, e := range row {
		relations[i], tails[i] = e.relation(), e.tail()
	}
}

// scatter puts every triple, in both readings, into the row of its head, unsorted.
func scatter(entities int, triples []Triple) (first []uint64, edges []edge) {
	first = make([]uint64, entities+1)
	for _, t := range triples {
		first[t.Head+1]++
		first[t.Tail+1]++
	}
	for h := range entities {
		first[h+1] += first[h]
	}
	edges = make([]edge, 2*len(triples))
	next := slices.Clone(first)
	for _, t := range triples {
		edges[next[t.Head]] = packEdge(t.Relation, t.Tail)
		next[t.Head]++
		edges[next[t.Tail]] = packEdge(t.Relation.Inverse(), t.Head)
		next[t.Tail]++
	}
	return first, edges
}

// sortRows sorts each row, moves its distinct edges to its front and gives their number.
func sortRows(first []uint64, edges []edge) (kept []uint64) {
	kept = make([]uint64, len(first)-1)
	forEachShare(len(kept), func(from, to int) {
		for h := from; h < to; h++ {
			row := edges[first[h]:first[h+1]]
			slices.Sort(row)
			kept[h] = uint64(len(slices.Compact(row)))
		}
	})
	return kept
}

// forEachShare splits 0 … n-1 into a share a core, many times over so that hubs do not leave a core behind.
func forEachShare(n int, work func(from, to int)) {
	workers := runtime.GOMAXPROCS(0)
	size := max(1, n/(16*workers))
	var wait sync.WaitGroup
	limit := make(chan struct{}, workers)
	for from := 0; from < n; from += size {
		limit <- struct{}{}
		wait.Go(func() {
			work(from, min(from+size, n))
			<-limit
		})
	}
	wait.Wait()
}
