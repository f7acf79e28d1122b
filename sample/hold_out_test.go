package sample

import (
	"slices"
	"testing"
)

func TestHoldOut(t *testing.T) {
	whole := randomSplits(9, 200, 6, 900, 0).Train
	const wanted = 90
	s, err := HoldOut(t.Context(), whole, wanted, 1)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Valid) != wanted || s.Train.NumTriples() != whole.NumTriples()-wanted {
		t.Errorf("%d of %d facts hidden, %d left", len(s.Valid), whole.NumTriples(), s.Train.NumTriples())
	}
	for _, fact := range s.Valid {
		relations, _ := s.Train.Edges(fact.Head)
		others, _ := s.Train.Edges(fact.Tail)
		if !whole.Has(fact) || s.Train.Has(fact) || len(relations) == 0 || len(others) == 0 {
			t.Errorf("%v is still there, or nothing else is known of its entities", fact)
		}
	}
	again, err := HoldOut(t.Context(), whole, wanted, 1)
	if err != nil || !slices.Equal(again.Valid, s.Valid) {
		t.Errorf("another choice with the same seed, %v", err)
	}
	all, err := HoldOut(t.Context(), whole, whole.NumTriples(), 1)
	if err != nil || len(all.Valid) >= whole.NumTriples() || !slices.Equal(all.Valid[:wanted], s.Valid) {
		t.Errorf("all but the last facts of entities: %d of %d, %v", len(all.Valid), whole.NumTriples(), err)
	}
}
