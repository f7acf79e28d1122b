package train

import (
	"slices"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
)

// A thin part holds together what the part did, states a fact of every relation and asks only for what it does not state.
func TestThinParts(t *testing.T) {
	c := Default()
	c.ThinParts, c.ThinEntities, c.Seed = 20, []int{20, 60}, 3
	whole := ringOfRings(t)
	parts, err := ThinParts(t.Context(), whole, c)
	if err != nil || len(parts) == 0 {
		t.Fatalf("%d parts, %v", len(parts), err)
	}
	again, err := ThinParts(t.Context(), whole, c)
	if err != nil || len(again) != len(parts) {
		t.Fatalf("%d parts the second time, %v", len(again), err)
	}
	for i, p := range parts {
		if p.Stated.Hash() != again[i].Stated.Hash() {
			t.Errorf("part %d differs the second time", i)
		}
		joined := newForest(p.Stated.NumEntities())
		for f := range p.Stated.Triples() {
			joined.join(f.Head, f.Tail)
		}
		for n := range uint64(p.Queries.Len()) {
			_, q, err := p.Queries.Draw(n)
			if err != nil {
				t.Fatal(err)
			}
			link := q.Expr.(query.Projection)
			head := link.Of.(query.Anchor).Entity
			stated := p.Stated.Tails(head, link.Relation)
			if len(stated) >= len(q.Easy) || slices.ContainsFunc(stated, func(e kg.Entity) bool { return !slices.Contains(q.Easy, e) }) {
				t.Fatalf("part %d asks for %v where it states %v", i, q.Easy, stated)
			}
			if slices.ContainsFunc(q.Easy, func(e kg.Entity) bool { return joined.root(e) != joined.root(head) }) {
				t.Fatalf("part %d lost what joins %d to %v", i, head, q.Easy)
			}
		}
		relations := make([]bool, p.Stated.NumRelations()/2)
		for f := range p.Stated.Triples() {
			relations[f.Relation.Base()] = true
		}
		if slices.Contains(relations, false) {
			t.Errorf("part %d has a relation without a fact", i)
		}
	}
}

// ringOfRings is 120 entities, each joined to its neighbours near and far by three relations.
func ringOfRings(t *testing.T) *kg.Graph {
	t.Helper()
	const n = 120
	var facts []kg.Triple
	for i := range n {
		for r, step := range []int{1, 2, 7} {
			facts = append(facts, kg.Triple{Head: kg.Entity(i), Relation: kg.Forward(uint32(r)), Tail: kg.Entity((i + step) % n)})
		}
	}
	return kg.Build(&kg.Vocabulary{Entities: numbered("e", n), Relations: numbered("r", 3)}, facts)
}

// Of a step on a thin part nothing is hidden, and what the part states is told from what it is asked for.
func TestUnstatedIsNotHidden(t *testing.T) {
	c := Default()
	c.ThinParts, c.ThinEntities, c.HideOne, c.HideFacts, c.KnownWeight = 1, []int{30, 60}, true, true, 0
	parts, err := ThinParts(t.Context(), ringOfRings(t), c)
	if err != nil || len(parts) == 0 {
		t.Fatalf("%d parts, %v", len(parts), err)
	}
	graphs := []Graph{{Name: "thin", PartOf: "rings", Facts: parts[0].Stated, Queries: parts[0].Queries, Unstated: true}}
	all, err := topologies(graphs, c)
	if err != nil {
		t.Fatal(err)
	}
	b, err := newFeed(c, graphs, all, nil).prepare(t.Context(), job{step: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, mask := range b.masks {
		if len(mask) > 0 {
			t.Errorf("%d edges are hidden", len(mask))
		}
	}
	if b.known.Len() != b.answers.Len() {
		t.Fatalf("what is stated is told of %d of %d queries", b.known.Len(), b.answers.Len())
	}
	for i := range b.answers.Len() {
		if len(b.known.Row(i)) >= len(b.answers.Row(i)) {
			t.Errorf("query %d has nothing to learn", i)
		}
	}
}
