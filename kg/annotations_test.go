package kg

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// annotatedGraph is a random one with random annotations, and what these are by fact.
func annotatedGraph(random *rand.Rand) (*Graph, map[Triple][]string) {
	var entities, relations Interner
	for i := range 20 {
		entities.Intern(fmt.Appendf(nil, "e%d", i))
	}
	for i := range 3 {
		relations.Intern(fmt.Appendf(nil, "r%d", i))
	}
	v := &Vocabulary{Entities: Dictionary{Names: entities.Names()}, Relations: Dictionary{Names: relations.Names()}}
	var facts []Triple
	for range 60 {
		facts = append(facts, Triple{Entity(random.IntN(20)), Forward(uint32(random.IntN(3))), Entity(random.IntN(20))})
	}
	var b AnnotationBuilder
	want := map[Triple][]string{}
	for range random.IntN(60) {
		t := facts[random.IntN(len(facts))]
		said := []Annotation{{"since", fmt.Sprint(random.IntN(3))}, {"by", fmt.Sprint(random.IntN(2))}}[:1+random.IntN(2)]
		if random.IntN(2) == 0 {
			b.Add(t.Inverse(), said)
		} else {
			b.Add(t, said)
		}
		want[t] = append(want[t], fmt.Sprint(said))
	}
	for t := range want {
		slices.Sort(want[t])
		want[t] = slices.Compact(want[t])
	}
	return Build(v, facts).WithAnnotations(b.Annotations()), want
}

func saidOf(g *Graph, t Triple) (texts []string) {
	for _, said := range g.Annotations().Of(t) {
		slices.SortFunc(said, func(a, b Annotation) int { return cmp.Compare(b.Relation, a.Relation) })
		texts = append(texts, fmt.Sprint(said))
	}
	slices.Sort(texts)
	return texts
}

// Every fact has what was said of it, from either end, also after changes of others; one that goes takes it along.
func TestAnnotations(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 5))
		g, want := annotatedGraph(random)
		if err := g.Check(); err != nil {
			t.Fatal(err)
		}
		for fact := range g.Triples() {
			if got := saidOf(g, fact); !slices.Equal(got, want[fact]) || !slices.Equal(saidOf(g, fact.Inverse()), got) {
				t.Fatalf("seed %d: %v has %q, want %q", seed, fact, got, want[fact])
			}
		}
		var gone []Triple
		for fact := range g.Triples() {
			if random.IntN(3) == 0 {
				gone = append(gone, fact)
			}
		}
		next, err := g.Without(t.Context(), gone)
		if err != nil {
			t.Fatal(err)
		}
		if next, _, err = next.Change(t.Context(), []Fact{{Head: "e1", Relation: "r9", Tail: "new"}}, nil); err != nil {
			t.Fatal(err)
		}
		if err := next.Check(); err != nil {
			t.Fatal(err)
		}
		for fact := range g.Triples() {
			kept := want[fact]
			if !next.Has(fact) {
				kept = nil
			}
			if got := saidOf(next, fact); !slices.Equal(got, kept) {
				t.Fatalf("seed %d: after a change %v has %q, want %q", seed, fact, got, kept)
			}
		}
	}
}

func TestAnnotationsAreChecked(t *testing.T) {
	g, _ := annotatedGraph(rand.New(rand.NewPCG(3, 5)))
	sound := *g.annotations
	for what, spoil := range map[string]func(a *Annotations){
		"beginnings": func(a *Annotations) { a.first = a.first[1:] },
		"order":      func(a *Annotations) { a.facts = slices.Clone(a.facts); slices.Reverse(a.facts) },
		"facts":      func(a *Annotations) { a.facts = slices.Clone(a.facts); a.facts[0].Tail = 99 },
		"names":      func(a *Annotations) { a.values = slices.Clone(a.values); a.values[0] = 99 },
		"pairs":      func(a *Annotations) { a.values = a.values[1:] },
	} {
		spoiled := sound
		spoil(&spoiled)
		g.annotations = &spoiled
		if err := g.Check(); err == nil {
			t.Errorf("nobody minds wrong %s", what)
		}
	}
}
