package kg

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// everyStatement lists who states what, by names.
func everyStatement(g *Graph) (all []Fact) {
	take := func(graph uint32, facts []Triple) {
		for _, t := range facts {
			all = append(all, g.FactOf(Statement{graph, t}))
		}
	}
	take(Unnamed, g.statedBy(Unnamed))
	for i := range g.Named().Len() {
		take(uint32(i)+1, g.Named().Facts(uint32(i)+1))
	}
	slices.SortFunc(all, Fact.compare)
	return all
}

// TestChangeOfNamedGraphs holds changes of statements to those of a set: what is removed goes, what is added comes, and the union
// has a fact as long as anybody states it.
func TestChangeOfNamedGraphs(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 1))
		g, stated := Build(&Vocabulary{Entities: Dictionary{Names: new(Interner).Names()}, Relations: Dictionary{Names: new(Interner).Names()}}, nil), map[Fact]bool{}
		draw := func(n int) (facts []Fact) {
			for range random.IntN(n) {
				f := Fact{Head: fmt.Sprint("e", random.IntN(5)), Relation: fmt.Sprint("r", random.IntN(2)), Tail: fmt.Sprint("e", random.IntN(5)), Graph: []string{"", "g1", "g2"}[random.IntN(3)]}
				if random.IntN(3) == 0 {
					f.Relation, f.Tail = RDFSLabel, fmt.Sprintf("\"e%d\"", random.IntN(3))
				}
				facts = append(facts, f)
			}
			return facts
		}
		for step := range 8 {
			add, remove := draw(6), draw(6)
			if random.IntN(4) == 0 { // a literal that was a label alone becomes an entity
				add = append(add, Fact{Head: "e1", Relation: "r1", Tail: `"e1"`, Graph: "g2"})
			}
			want, report := maps.Clone(stated), ChangeReport{Known: len(add), Unknown: len(remove)}
			for _, f := range remove {
				if want[f] {
					delete(want, f)
					report.Unknown--
				}
			}
			for _, f := range add {
				want[f] = true
			}
			for f := range want {
				if !stated[f] {
					report.Added++
					report.Known--
				}
			}
			for f := range stated {
				if !want[f] {
					report.Removed++
				}
			}
			next, got, err := g.ChangeExactly(t.Context(), add, remove)
			if err != nil {
				t.Fatal(err)
			}
			if err := next.Check(); err != nil {
				t.Fatalf("seed %d, step %d: %v", seed, step, err)
			}
			expected := slices.SortedFunc(maps.Keys(want), Fact.compare)
			if found := everyStatement(next); !slices.Equal(found, expected) {
				t.Fatalf("seed %d, step %d: add %v remove %v\n got %v\nwant %v", seed, step, add, remove, found, expected)
			}
			union := map[Fact]bool{}
			for f := range want {
				f.Graph = ""
				union[f] = true
			}
			if facts := next.NumTriples() + next.Stated.Len(); facts != len(union) {
				t.Fatalf("seed %d, step %d: %d facts of the union, want %d", seed, step, facts, len(union))
			}
			got.NewEntities, got.NewRelations = 0, 0
			if got != report {
				t.Fatalf("seed %d, step %d: add %v remove %v: %+v, want %+v", seed, step, add, remove, got, report)
			}
			g, stated = next, want
		}
	}
}

// A view has the edges of what its graphs state, in both directions.
func TestViews(t *testing.T) {
	g, _, err := Build(&Vocabulary{Entities: Dictionary{Names: new(Interner).Names()}, Relations: Dictionary{Names: new(Interner).Names()}}, nil).ChangeExactly(t.Context(), []Fact{
		{Head: "a", Relation: "r", Tail: "b"}, {Head: "a", Relation: "r", Tail: "c", Graph: "x"}, {Head: "c", Relation: "r", Tail: "a", Graph: "y"},
		{Head: "a", Relation: RDFSLabel, Tail: `"A"`, Graph: "y"}, {Head: "a", Relation: "r", Tail: "b", Graph: "y"},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	id := func(name string) Entity { e, _ := g.Entities.Names.Find(name); return Entity(e) }
	number := func(name string) uint32 { n, _ := g.Named().Find(name); return n }
	for _, c := range []struct {
		graphs []uint32
		forth  []Entity // that a leads to by r
		back   []Entity // that lead to a
		edges  int
	}{
		{[]uint32{Unnamed}, []Entity{id("b")}, nil, 2},
		{[]uint32{number("x")}, []Entity{id("c")}, nil, 2},
		{[]uint32{number("y")}, []Entity{id("b")}, []Entity{id("c")}, 6},
		{[]uint32{number("y"), number("x"), Unnamed}, []Entity{id("b"), id("c")}, []Entity{id("c")}, 8},
	} {
		v := g.View(c.graphs...)
		if got := v.Tails(id("a"), 0); !slices.Equal(got, c.forth) {
			t.Errorf("%v: a leads to %v, want %v", c.graphs, got, c.forth)
		}
		if got := v.Tails(id("a"), 1); !slices.Equal(got, c.back) {
			t.Errorf("%v: %v lead to a, want %v", c.graphs, got, c.back)
		}
		if v.NumEdges() != c.edges || v.Count(0) != len(v.Tails(id("a"), 0))+len(v.Tails(id("c"), 0)) {
			t.Errorf("%v: %d edges, %d of r, want %d", c.graphs, v.NumEdges(), v.Count(0), c.edges)
		}
	}
	if one := g.View(Unnamed); one != g.View(Unnamed) {
		t.Error("a view is made twice")
	}
}
