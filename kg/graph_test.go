package kg

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// twin is a graph built in the plainest way: a set of facts, read in both directions.
type twin struct {
	graph   *Graph
	triples []Triple
	facts   map[Triple]bool // both readings
}

// randomGraph draws triples in both readings, repeats and self loops among them;
// with few triples for its entities it also has isolated ones.
func randomGraph(seed uint64, entities, relations, triples int) twin {
	random := rand.New(rand.NewPCG(seed, 0))
	w := twin{facts: map[Triple]bool{}}
	for range triples {
		t := Triple{Entity(random.IntN(entities)), Relation(random.IntN(2 * relations)), Entity(random.IntN(entities))}
		w.triples = append(w.triples, t)
		w.facts[t], w.facts[t.Inverse()] = true, true
	}
	w.graph = Build(numbered(entities, relations), w.triples)
	return w
}

// numbered is a vocabulary of made-up names.
func numbered(entities, relations int) *Vocabulary {
	return &Vocabulary{Entities: Dictionary{Names: numberedNames("e", entities)}, Relations: Dictionary{Names: numberedNames("r", relations)}}
}

func numberedNames(prefix string, n int) *Names {
	var in Interner
	for i := range n {
		in.Intern(fmt.Appendf(nil, "%s%d", prefix, i))
	}
	return in.Names()
}

// row gives the edges of h as the twin knows them, sorted.
func (w twin) row(h Entity) []Triple {
	var row []Triple
	for t := range w.facts {
		if t.Head == h {
			row = append(row, t)
		}
	}
	slices.SortFunc(row, byHead)
	return row
}

func byHead(a, b Triple) int {
	return slices.Compare([]uint32{uint32(a.Head), uint32(a.Relation), uint32(a.Tail)}, []uint32{uint32(b.Head), uint32(b.Relation), uint32(b.Tail)})
}

func sameGraph(t *testing.T, got, want *Graph) {
	t.Helper()
	if !slices.Equal(got.first, want.first) || !slices.Equal(got.relations, want.relations) || !slices.Equal(got.tails, want.tails) {
		t.Errorf("the rows differ: %v %v %v, want %v %v %v", got.first, got.relations, got.tails, want.first, want.relations, want.tails)
	}
	if got.Duplicates() != want.Duplicates() {
		t.Errorf("%d duplicates, want %d", got.Duplicates(), want.Duplicates())
	}
}

func sameDictionary(t *testing.T, got, want Dictionary) {
	t.Helper()
	if got.Names.Len() != want.Names.Len() || (got.Labels == nil) != (want.Labels == nil) {
		t.Fatalf("%d names, labels %v; want %d, %v", got.Names.Len(), got.Labels, want.Names.Len(), want.Labels)
	}
	for id := range uint32(want.Names.Len()) {
		name := want.Names.At(id)
		if found, ok := got.Names.Find(name); got.Names.At(id) != name || !ok || found != id {
			t.Errorf("name %d is %q, found as %d (%v); want %q", id, got.Names.At(id), found, ok, name)
		}
		if want.Labels == nil {
			continue
		}
		label := want.Labels.At(id)
		if got.Labels.At(id) != label || !slices.Equal(got.Labels.Find(label), want.Labels.Find(label)) {
			t.Errorf("label %d is %q, found as %v; want %q, %v", id, got.Labels.At(id), got.Labels.Find(label), label, want.Labels.Find(label))
		}
	}
}

func TestGraphAgainstTwin(t *testing.T) {
	sizes := []struct{ entities, relations, triples int }{{1, 1, 0}, {1, 1, 5}, {2, 1, 30}, {20, 3, 15}, {40, 5, 400}, {7, 2, 500}}
	for seed, size := range sizes {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			w := randomGraph(uint64(seed), size.entities, size.relations, size.triples)
			w.checkRows(t)
			w.checkLookups(t)
			w.checkTotals(t)
		})
	}
}

func (w twin) checkRows(t *testing.T) {
	for h := range Entity(w.graph.NumEntities()) {
		relations, tails := w.graph.Edges(h)
		var row []Triple
		for i := range relations {
			row = append(row, Triple{h, relations[i], tails[i]})
		}
		if want := w.row(h); !slices.Equal(row, want) {
			t.Errorf("row of %d: %v, want %v", h, row, want)
		}
	}
}

func (w twin) checkLookups(t *testing.T) {
	g := w.graph
	for h := range Entity(g.NumEntities()) {
		for r := range Relation(g.NumRelations()) {
			var want []Entity
			for tail := range Entity(g.NumEntities()) {
				asked := Triple{h, r, tail}
				if g.Has(asked) != w.facts[asked] {
					t.Errorf("Has(%v) = %v", asked, g.Has(asked))
				}
				if w.facts[asked] {
					want = append(want, tail)
				}
			}
			if got := g.Tails(h, r); !slices.Equal(got, want) {
				t.Errorf("Tails(%d, %d) = %v, want %v", h, r, got, want)
			}
		}
	}
}

func (w twin) checkTotals(t *testing.T) {
	g := w.graph
	if g.NumEdges() != len(w.facts) || 2*g.NumTriples() != len(w.facts) || g.Duplicates() != len(w.triples)-len(w.facts)/2 {
		t.Errorf("%d edges, %d triples, %d duplicates; want %d edges of %d given triples",
			g.NumEdges(), g.NumTriples(), g.Duplicates(), len(w.facts), len(w.triples))
	}
	stated := map[Triple]bool{}
	for fact := range w.facts {
		stated[fact.Stated()] = true
	}
	want := slices.SortedFunc(maps.Keys(stated), byHead)
	if got := slices.Collect(g.Triples()); !slices.Equal(got, want) {
		t.Errorf("Triples() = %v, want %v", got, want)
	}
	if err := g.Check(); err != nil {
		t.Errorf("a built graph fails its own checks: %v", err)
	}
}

func TestTriplesStopsEarly(t *testing.T) {
	w := randomGraph(9, 10, 2, 50)
	seen := 0
	for range w.graph.Triples() {
		if seen++; seen == 3 {
			break
		}
	}
	if seen != 3 {
		t.Errorf("saw %d triples", seen)
	}
}

func TestCloseOfBuiltGraph(t *testing.T) {
	if err := randomGraph(1, 3, 1, 3).graph.Close(); err != nil {
		t.Error(err)
	}
}
