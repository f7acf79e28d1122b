package worlds

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
)

func seeded(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(1, seed)) }

func TestAWorldDependsOnItsSeedAlone(t *testing.T) {
	one, again, other := Draw(seeded(3), 50, 500), Draw(seeded(3), 50, 500), Draw(seeded(4), 50, 500)
	if !slices.Equal(slices.Collect(one.Triples()), slices.Collect(again.Triples())) {
		t.Error("the same seed draws two worlds")
	}
	if slices.Equal(slices.Collect(one.Triples()), slices.Collect(other.Triples())) {
		t.Error("two seeds draw one world")
	}
}

func TestWorldsAreOfManySizes(t *testing.T) {
	var entities, relations, facts []int
	for seed := range uint64(60) {
		g := Draw(seeded(seed), 30, 1000)
		entities, relations, facts = append(entities, g.NumEntities()), append(relations, g.NumRelations()/2), append(facts, g.NumTriples())
	}
	if slices.Max(entities) > 1000 || slices.Max(entities) < 500 || slices.Min(entities) > 60 {
		t.Errorf("%d to %d entities, expected some from 30 to 1,000", slices.Min(entities), slices.Max(entities))
	}
	if slices.Max(relations) < 30 || slices.Min(relations) > 5 {
		t.Errorf("%d to %d relations, expected few and many", slices.Min(relations), slices.Max(relations))
	}
	if slices.Max(facts) > mostFacts || slices.Max(facts) < 5000 || slices.Min(facts) == 0 {
		t.Errorf("%d to %d facts, expected few and many, at most %d", slices.Min(facts), slices.Max(facts), mostFacts)
	}
}

// lawful is a world that has room for what one law gives, with nothing missing.
func lawful(seed uint64) *world {
	return &world{random: seeded(seed), entities: 60, known: map[fact]bool{}, joined: map[[2]int]bool{}, full: mostFacts}
}

func TestInSomeWorldsAFactExcludesOthers(t *testing.T) {
	var either, eachWay int
	for seed := range uint64(40) {
		g := Draw(seeded(seed), 30, 60)
		once := func(pair func(kg.Triple) [2]kg.Entity) bool { return joinedOnce(g, pair) }
		switch {
		case once(func(f kg.Triple) [2]kg.Entity { return [2]kg.Entity{min(f.Head, f.Tail), max(f.Head, f.Tail)} }):
			either++
		case once(func(f kg.Triple) [2]kg.Entity { return [2]kg.Entity{f.Head, f.Tail} }):
			eachWay++
		}
	}
	if either < 5 || either > 20 || eachWay < 5 || eachWay > 20 {
		t.Errorf("%d of 40 worlds join two entities once at most, %d more once each way, expected about ten", either, eachWay)
	}
}

func joinedOnce(g *kg.Graph, pair func(kg.Triple) [2]kg.Entity) bool {
	joined := map[[2]kg.Entity]bool{}
	for f := range g.Triples() {
		if joined[pair(f)] {
			return false
		}
		joined[pair(f)] = true
	}
	return true
}

func TestBlocksRelateKindsAlike(t *testing.T) {
	w := lawful(5)
	kinds, r := w.kinds(), w.relation()
	w.relate(kinds[0], r, kinds[1], 1)
	if len(kinds[0])*len(kinds[1]) == 0 || len(w.facts[r]) != len(kinds[0])*len(kinds[1]) {
		t.Errorf("%d facts between kinds of %d and %d", len(w.facts[r]), len(kinds[0]), len(kinds[1]))
	}
	if members := slices.Concat(kinds...); len(members) != w.entities {
		t.Errorf("%d entities are of some kind, expected %d", len(members), w.entities)
	}
}

func TestATreeListsAllBelow(t *testing.T) {
	w := lawful(6)
	below := w.tree()
	if len(below[0]) != w.entities {
		t.Errorf("%d entities are below the root, expected %d", len(below[0]), w.entities)
	}
	for e, list := range below {
		for _, lower := range list {
			if lower != e && len(below[lower]) >= len(list) {
				t.Errorf("%d is below %d and has as many below it", lower, e)
			}
		}
	}
}

func TestRulesFollow(t *testing.T) {
	w := lawful(7)
	parent, brother := w.relation(), w.relation()
	w.state(1, parent, 2)
	w.state(3, parent, 2)
	w.state(2, brother, 4)
	if got := w.chained(fact{1, parent, 2}, brother); !slices.Equal(got, [][2]int{{1, 4}}) {
		t.Errorf("a parent's brother: %v, expected 1 and 4", got)
	}
	if got := w.siblings(fact{1, parent, 2}, parent); !slices.Equal(got, [][2]int{{1, 1}, {1, 3}}) {
		t.Errorf("of the same parent: %v, expected 1 and 3, and 1 itself", got)
	}
	derived := w.relation()
	for range 20 {
		w.derive(derived, 1, []int{parent})
	}
	if len(w.facts[derived]) < 4 {
		t.Errorf("twenty rules over two facts give %v", w.facts[derived])
	}
}
