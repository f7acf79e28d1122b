package sample

import (
	"testing"

	"github.com/lacuna-kg/lacuna/dataset"
)

// TestLinksOfFreebase compares with the sizes of BetaE's released 1p sets.
func TestLinksOfFreebase(t *testing.T) {
	s := freebase(t)
	for split, want := range map[dataset.Split]int{dataset.Train: 149_689, dataset.Valid: 20_094, dataset.Test: 22_804} {
		_, outcomes := collect(t, s, Options{MaxAnswers: 120, Counts: map[dataset.Split][]Count{split: {{"1p", All}}}})
		if got := outcomes[0].Found; got != want {
			t.Errorf("%s: %d 1p queries, BetaE has %d", split, got, want)
		}
	}
}
