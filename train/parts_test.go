package train

import (
	"context"
	"reflect"
	"slices"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
)

func TestPartsAreGraphsOfTheWhole(t *testing.T) {
	whole := randomGraph(5, 400, 12, 3000)
	parts, err := Parts(context.Background(), whole, Config{Parts: 20, Seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	if len(parts) != 20 {
		t.Fatalf("%d parts, expected 20", len(parts))
	}
	var entities, relations []int
	for i, part := range parts {
		stated := 0
		for fact := range part.Triples() {
			stated++
			if !whole.Has(sameFact(t, whole, part, fact)) {
				t.Fatalf("part %d states %v, the whole does not", i, fact)
			}
		}
		if stated != part.NumTriples() || stated < part.NumEntities() {
			t.Errorf("part %d has %d facts, states %d", i, part.NumTriples(), stated)
		}
		for e := range kg.Entity(part.NumEntities()) {
			if _, tails := part.Edges(e); len(tails) == 0 {
				t.Errorf("part %d: entity %d has no fact", i, e)
			}
		}
		entities, relations = append(entities, part.NumEntities()), append(relations, part.NumRelations()/2)
	}
	if slices.Max(entities) < 2*slices.Min(entities) || slices.Min(relations) > 6 || slices.Max(relations) != 12 {
		t.Errorf("parts of %v entities and %v relations are alike", entities, relations)
	}
}

func sameFact(t *testing.T, whole, part *kg.Graph, fact kg.Triple) kg.Triple {
	t.Helper()
	find := func(in *kg.Names, name string) uint32 {
		id, ok := in.Find(name)
		if !ok {
			t.Fatalf("the whole has no %q", name)
		}
		return id
	}
	return kg.Triple{
		Head:     kg.Entity(find(whole.Entities.Names, part.Entities.Names.At(uint32(fact.Head)))),
		Relation: kg.Forward(find(whole.Relations.Names, part.Relations.Names.At(fact.Relation.Base()))),
		Tail:     kg.Entity(find(whole.Entities.Names, part.Entities.Names.At(uint32(fact.Tail)))),
	}
}

// A part is dense where it can be: all facts of the whole among its entities and relations are its own.
func TestPartsLeaveNoFactOut(t *testing.T) {
	whole := randomGraph(6, 60, 3, 900)
	parts, err := Parts(context.Background(), whole, Config{Parts: 5, Seed: 1})
	if err != nil || len(parts) == 0 {
		t.Fatal(len(parts), err)
	}
	for i, part := range parts {
		among := 0
		for fact := range whole.Triples() {
			_, head := part.Entities.Names.Find(whole.Entities.Names.At(uint32(fact.Head)))
			_, tail := part.Entities.Names.Find(whole.Entities.Names.At(uint32(fact.Tail)))
			_, relation := part.Relations.Names.Find(whole.Relations.Names.At(fact.Relation.Base()))
			if head && tail && relation {
				among++
			}
		}
		if among != part.NumTriples() {
			t.Errorf("part %d has %d facts, the whole %d among its entities", i, part.NumTriples(), among)
		}
	}
}

func TestPartsDependOnTheSeed(t *testing.T) {
	whole := randomGraph(5, 200, 5, 1500)
	sizes := func(seed uint64) (list []int) {
		parts, err := Parts(context.Background(), whole, Config{Parts: 6, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range parts {
			list = append(list, part.NumTriples())
		}
		return list
	}
	if !reflect.DeepEqual(sizes(1), sizes(1)) || reflect.DeepEqual(sizes(1), sizes(2)) {
		t.Errorf("parts of seed 1: %v and %v, of seed 2: %v", sizes(1), sizes(1), sizes(2))
	}
	if list := sizes(3); len(list) != 6 {
		t.Errorf("%d parts", len(list))
	}
	if none, err := Parts(context.Background(), whole, Config{Parts: 0, Seed: 1}); len(none) != 0 || err != nil {
		t.Errorf("%d parts, %v; none was asked for", len(none), err)
	}
	if none, err := Parts(context.Background(), graphOf(3, 1, nil), Config{Parts: 5, Seed: 1}); len(none) != 0 || err != nil {
		t.Errorf("%d parts of a graph without facts, %v", len(none), err)
	}
}

func TestPartsAreOfTheSizeAskedFor(t *testing.T) {
	whole := randomGraph(5, 400, 2, 4000)
	parts, err := Parts(context.Background(), whole, Config{Parts: 8, PartEntities: []int{100, 120}, Seed: 1})
	if err != nil || len(parts) == 0 {
		t.Fatal(len(parts), err)
	}
	for i, part := range parts {
		if n := part.NumEntities(); n > 120 || n < 90 { // some of those chosen may be left without a fact
			t.Errorf("part %d has %d entities, expected 100 to 120", i, n)
		}
	}
}
