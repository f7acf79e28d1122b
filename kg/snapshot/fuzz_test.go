package snapshot

import (
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
)

// FuzzOpen opens files as they are and again with their checksums made
// right, so that the checks of structure meet what the checksums would keep from
// them. Whatever opens is used in every way: it must hold.
func FuzzOpen(f *testing.F) {
	f.Add(contentsOf(smallSplits()).file())
	f.Add(contentsOf(&kg.Splits{Train: randomGraph(1, 4, 2, 6)}).file())
	f.Add(contentsOf(&kg.Splits{Train: emptyGraph()}).file())
	f.Add(contentsOf(statedSplits(f)).file())
	f.Add([]byte(mark))
	f.Fuzz(func(t *testing.T, given []byte) {
		data := inWords(given)
		for range 2 {
			if s, err := decode(data, notMapped); err == nil {
				useAll(t, s)
			} else if strings.Contains(err.Error(), "\n") {
				t.Errorf("more than a line: %q", err)
			}
			reseal(data)
		}
	})
}

func useAll(t *testing.T, s *kg.Splits) {
	g := s.Train
	edges := 0
	for h := range kg.Entity(g.NumEntities()) {
		relations, tails := g.Edges(h)
		edges += len(relations)
		for i, r := range relations {
			fact := kg.Triple{Head: h, Relation: r, Tail: tails[i]}
			if !g.Has(fact) {
				t.Errorf("the graph lacks its edge %v", fact)
			}
			_, _ = g.Entity(fact.Tail), g.Relation(r)
			_ = g.Has(fact.Inverse())
		}
	}
	if edges != g.NumEdges() {
		t.Errorf("%d edges in rows, %d in all", edges, g.NumEdges())
	}
	useNames(t, g.Entities)
	useNames(t, g.Relations)
	_ = statementsOf(g)
	for _, held := range [][]kg.Triple{s.Valid, s.Test} {
		for _, fact := range held {
			_, _, _ = g.Entity(fact.Head), g.Relation(fact.Relation), g.Tails(fact.Tail, fact.Relation)
		}
	}
	if _, err := s.UpToTest(t.Context()); err != nil {
		t.Errorf("a sound snapshot does not build: %v", err)
	}
}

func useNames(t *testing.T, d kg.Dictionary) {
	for id := range uint32(d.Names.Len()) {
		if found, ok := d.Names.Find(d.Names.At(id)); !ok || found != id {
			t.Errorf("name %d is found as %d", id, found)
		}
		for _, found := range d.Find(d.Readable(id)) {
			_ = d.Readable(found)
		}
	}
	d.Find("a name that is not there")
}
