// Package worlds draws graphs that follow laws of their own: blocks of entities that all relate alike, hierarchies that hand their
// facts down, rules by which some relations follow from others. Each world has its own laws, so that a model
// cannot know them beforehand and has to learn to read them off the facts.
//
// In the flow it stands beside the graphs that people made: package train/prepare trains on both.
package worlds

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/lacuna-kg/lacuna/kg"
)

// A world has at most mostFacts; of those that its laws give up to mostMissing are left out, as every graph lacks some.
const (
	mostFacts   = 30_000
	mostMissing = 0.3
)

// Draw makes a world of at least and at most so many entities. Some may have lost all their facts and are not in it.
func Draw(random *rand.Rand, least, most int) *kg.Graph {
	w := &world{random: random, entities: evenly(random, least, most), known: map[fact]bool{}, joined: map[[2]int]bool{}}
	w.exclusion = []exclusion{none, none, eachWay, all}[random.IntN(4)]
	w.follow(w.laws())
	return w.graph()
}

type fact struct{ head, relation, tail int }

// exclusion says which other facts between two entities a fact excludes.
type exclusion int

const (
	none    exclusion = iota
	eachWay           // those in its direction: what one relative calls another, and is called
	all
)

// world is a graph that grows by its laws.
type world struct {
	random    *rand.Rand
	entities  int
	facts     [][]fact // by relation
	known     map[fact]bool
	exclusion exclusion
	joined    map[[2]int]bool // heads and tails between which facts exclude others
	full      int             // number of facts at which the present law ends
}

// laws draws one to three of the kinds.
func (w *world) laws() []func() {
	kinds := []func(){w.blocks, w.hierarchy, w.rules}
	w.random.Shuffle(len(kinds), func(i, j int) { kinds[i], kinds[j] = kinds[j], kinds[i] })
	return kinds[:1+w.random.IntN(len(kinds))]
}

// follow gives each law its share of the world's facts.
func (w *world) follow(laws []func()) {
	share := evenly(w.random, 3*w.entities, min(100*w.entities, mostFacts)) / len(laws)
	for _, law := range laws {
		w.full = len(w.known) + share
		law()
	}
}

// isFull tells whether a law has given the facts that it may.
func (w *world) isFull() bool { return len(w.known) >= w.full }

// state adds a fact, unless the law has given enough or another fact excludes it.
func (w *world) state(head, relation, tail int) {
	f := fact{head, relation, tail}
	if w.isFull() || head == tail || w.known[f] || w.joined[[2]int{head, tail}] {
		return
	}
	w.known[f] = true
	w.joined[[2]int{head, tail}] = w.exclusion != none
	if w.exclusion == all {
		w.joined[[2]int{tail, head}] = true
	}
	w.facts[relation] = append(w.facts[relation], f)
}

// relation names a new one.
func (w *world) relation() int {
	w.facts = append(w.facts, nil)
	return len(w.facts) - 1
}

// someRelations names at least and at most so many.
func (w *world) someRelations(least, most int) []int {
	list := make([]int, evenly(w.random, least, most))
	for i := range list {
		list[i] = w.relation()
	}
	return list
}

// between draws a number evenly from an interval.
func (w *world) between(low, high float64) float64 { return low + w.random.Float64()*(high-low) }

// evenly draws a number whose logarithm is uniform: as many tens as hundreds.
func evenly(random *rand.Rand, least, most int) int {
	most = max(least, most)
	low, high := math.Log(float64(least)), math.Log(float64(most)+1)
	return min(most, int(math.Exp(low+random.Float64()*(high-low))))
}

// graph is what is left of the facts when some are missing.
func (w *world) graph() *kg.Graph {
	missing := w.between(0, mostMissing)
	var entities, relations kg.Interner
	var triples []kg.Triple
	for _, f := range slices.Concat(w.facts...) {
		if w.random.Float64() < missing {
			continue
		}
		triples = append(triples, kg.Triple{
			Head:     kg.Entity(entities.Intern(fmt.Appendf(nil, "e%d", f.head))),
			Relation: kg.Forward(relations.Intern(fmt.Appendf(nil, "r%d", f.relation))),
			Tail:     kg.Entity(entities.Intern(fmt.Appendf(nil, "e%d", f.tail))),
		})
	}
	v := &kg.Vocabulary{Entities: kg.Dictionary{Names: entities.Names()}, Relations: kg.Dictionary{Names: relations.Names()}}
	return kg.Build(v, triples)
}
