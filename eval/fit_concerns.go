package eval

import (
	"fmt"

	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/kg"
)

// Concern is a way in which a graph is unlike those that a foundation model is trained
// on, which have thousands of facts, dozens of relations and entities that share them.
type Concern struct {
	Kind string `json:"kind"` // a word or two for programs: "one relation"
	Text string `json:"text"` // a line for people
}

// The limits beyond which a graph gives concern, each with its reason.
const (
	// Of 200 facts a tenth can be hidden: an estimate from fewer than 20 is off by a
	// tenth or more, and relations of a handful of facts hardly ever meet.
	fewFacts = 200
	// With half of all facts at one entity any two others are two steps apart through
	// it, and look alike to a network that sees nothing but steps.
	starShare = 0.5
	// No message crosses from one part of a graph to another; what a fifth of the
	// entities have to do with the rest is beyond any model of this kind.
	connectedShare = 0.8
	// An entity with a single fact gives nothing to infer a second from.
	twoFactsShare = 0.25
	// A relation's vector is computed from where its facts meet those of others; a
	// single fact meets next to nothing.
	singleUseShare = 0.5
)

// Concerns looks at the structure of a graph, in time of one pass over its edges. A
// graph that gives none is no promise; Estimate finds out.
func Concerns(g *kg.Graph) []Concern {
	s := structureOf(g)
	var found []Concern
	add := func(kind, format string, args ...any) {
		found = append(found, Concern{kind, fmt.Sprintf(format, args...)})
	}
	if s.facts == 0 {
		add("no facts", "the graph has no facts: there is nothing to predict from")
		return found
	}
	if s.facts < fewFacts {
		add("few facts", "the graph has only %s, which %s little about how its relations depend on each other", count.Of(s.facts, "fact"), count.Either(s.facts, "shows", "show"))
	}
	if s.relations == 1 {
		add("one relation", "the graph has a single relation: the model tells relations apart by how they meet each other")
	}
	if share := float64(s.hubFacts) / float64(s.facts); share >= starShare && s.entities > 2 {
		add("star", "%.0f %% of the facts are about %s: through it all entities look alike", 100*share, g.Entity(s.hub))
	}
	if share := float64(s.largest) / float64(s.entities); share < connectedShare {
		add("disconnected", "the graph falls into %d parts, the largest with %.0f %% of the entities: nothing is inferred across parts", s.parts, 100*share)
	}
	if share := float64(s.twoFacts) / float64(s.entities); share < twoFactsShare {
		add("single facts", "only %.0f %% of the entities have two facts or more: the others give nothing to infer from", 100*share)
	}
	if share := float64(s.singleUse) / float64(s.facts); share >= singleUseShare && s.relations > 1 {
		add("relations used once", "%.0f %% of the facts are the only one of their relation, so the model cannot learn what it means", 100*share)
	}
	return found
}

// structure is what concerns are decided by.
type structure struct {
	facts, relations int // relations that have facts
	entities         int // that have facts
	twoFacts         int // entities with two facts or more
	singleUse        int // relations with one fact
	hub              kg.Entity
	hubFacts         int
	parts, largest   int // of the entities that have facts
}

func structureOf(g *kg.Graph) structure {
	s := structure{facts: g.NumTriples()}
	uses := make([]int, g.Relations.Names.Len())
	parts := newPartition(g.NumEntities())
	for e := range kg.Entity(g.NumEntities()) {
		relations, tails := g.Edges(e)
		facts := 0
		for i, r := range relations {
			if r.IsInverse() && tails[i] == e {
				continue // a loop stands in its row twice
			}
			facts++
			if !r.IsInverse() {
				uses[r.Base()]++
				parts.join(uint32(e), uint32(tails[i]))
			}
		}
		s.count(e, facts)
	}
	for _, n := range uses {
		if n > 0 {
			s.relations++
		}
		if n == 1 {
			s.singleUse++
		}
	}
	s.parts, s.largest = parts.count()
	s.parts -= g.NumEntities() - s.entities // those without facts are parts of one
	return s
}

func (s *structure) count(e kg.Entity, facts int) {
	if facts > 0 {
		s.entities++
	}
	if facts > 1 {
		s.twoFacts++
	}
	if facts > s.hubFacts {
		s.hub, s.hubFacts = e, facts
	}
}

// partition is a forest of parents with halved paths: the parts that joins have made so far.
type partition []uint32

func newPartition(n int) partition {
	p := make(partition, n)
	for i := range p {
		p[i] = uint32(i)
	}
	return p
}

func (p partition) root(e uint32) uint32 {
	for p[e] != e {
		p[e] = p[p[e]]
		e = p[e]
	}
	return e
}

// join makes the lower root the parent, so that equal graphs give equal forests.
func (p partition) join(a, b uint32) {
	a, b = p.root(a), p.root(b)
	p[max(a, b)] = min(a, b)
}

// count gives the number of parts and the size of the largest.
func (p partition) count() (parts, largest int) {
	sizes := make([]int32, len(p))
	for e := range p {
		sizes[p.root(uint32(e))]++
	}
	for _, size := range sizes {
		if size > 0 {
			parts++
			largest = max(largest, int(size))
		}
	}
	return parts, largest
}
