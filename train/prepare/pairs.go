package prepare

import (
	"slices"

	"github.com/lacuna-kg/lacuna/kg"
)

// apartShare is below which share of how often stated facts join entities that another fact joins, too, held-out
// ones count as apart: those of FB15k-237 never do, where 38 of 100 of its facts do; drawn at random, they do alike.
const apartShare = 0.5

// It takes leastToTell held-out facts to tell; of the stated ones every so many serve that they are mostCompared.
const (
	leastToTell  = 50
	mostCompared = 20_000
)

// missedApart tells whether the validation facts join entities that no training fact joins, much more often than training
// facts join what no other does. A public benchmark may have been cleaned so; facts that one misses oneself are not.
func missedApart(s *kg.Splits) bool {
	if len(s.Valid) < leastToTell {
		return false
	}
	missed := 0
	for _, t := range s.Valid {
		if joins(s.Train, t) > 0 {
			missed++
		}
	}
	return float64(missed) < apartShare*joinedTwice(s.Train)*float64(len(s.Valid))
}

// joinedTwice is the share of facts whose two entities another fact joins, too.
func joinedTwice(g *kg.Graph) float64 {
	stride := max(1, g.NumTriples()/mostCompared)
	place, compared, twice := 0, 0, 0
	for t := range g.Triples() {
		if place++; place%stride != 0 {
			continue
		}
		compared++
		if joins(g, t) > 1 {
			twice++
		}
	}
	return float64(twice) / float64(max(compared, 1))
}

// joins counts the facts between the two entities of a triple, in either direction, up to two.
func joins(g *kg.Graph, t kg.Triple) int {
	if int(max(t.Head, t.Tail)) >= g.NumEntities() {
		return 0
	}
	_, row := g.Edges(t.Head)
	other := t.Tail
	if _, shorter := g.Edges(t.Tail); len(shorter) < len(row) {
		row, other = shorter, t.Head
	}
	first := slices.Index(row, other)
	if first < 0 {
		return 0
	}
	return 1 + min(1, 1+slices.Index(row[first+1:], other))
}
