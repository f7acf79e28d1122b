package lacuna

import (
	"slices"
	"testing"

	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/kg"
)

// TestMixedList looks for predictions behind a list that known members would fill.
func TestMixedList(t *testing.T) {
	known := fuzzy.Set{1, 1, 1, 1, 0, 0, 0, 0}
	set := fuzzy.Set{1, 1, 1, 0.7, 0.6, 0.8, 0.9, 0.4}
	few := fuzzy.Set{1, 1, 1, 0.7, 0, 0.8, 0, 0}
	for _, c := range []struct {
		name  string
		set   fuzzy.Set
		most  int
		mixed bool
		want  []kg.Entity
	}{
		{"the top", set, 4, false, []kg.Entity{0, 1, 2, 6}},
		{"half of it predicted", set, 4, true, []kg.Entity{0, 1, 6, 5}},
		{"an odd number", set, 3, true, []kg.Entity{0, 1, 6}},
		{"one", set, 1, true, []kg.Entity{0}},
		{"no place", set, 0, true, nil},
		{"all of them", set, 8, true, []kg.Entity{0, 1, 2, 6, 5, 3, 4}},
		{"one prediction, not in the top", few, 3, true, []kg.Entity{0, 1, 5}},
		{"enough predictions in the top", set, 6, true, []kg.Entity{0, 1, 2, 6, 5, 4}},
	} {
		var got []kg.Entity
		for _, m := range (sets{set: fuzzy.ViewOf(c.set), known: fuzzy.ViewOf(known)}).list(c.most, 0.5, c.mixed) {
			got = append(got, m.Entity)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	if n := (sets{set: fuzzy.ViewOf(set), known: fuzzy.ViewOf(known)}).countKnown(0.75); n != 3 {
		t.Errorf("%d known from 0.75 on, want 3", n)
	}
}

func TestLessLikely(t *testing.T) {
	known := fuzzy.Set{1, 0, 0, 0, 0, 0, 0}
	for _, c := range []struct {
		name      string
		set       fuzzy.Set
		threshold float32
		want      []kg.Entity
	}{
		{"three at most", fuzzy.Set{1, 0.2, 0.4, 0.3, 0.15, 0, 0}, 0.5, []kg.Entity{2, 3, 1}},
		{"none that nothing speaks for", fuzzy.Set{1, 0.2, 0.09, 0.0005, 0, 0, 0}, 0.5, []kg.Entity{1, 2}},
		{"some where all are unlikely", fuzzy.Set{1, 0.0002, 0.0004, 0.0003, 0.0001, 0, 0}, 0.5, []kg.Entity{2, 3, 1}},
		{"a likely one above the threshold is enough", fuzzy.Set{1, 0.6, 0.0004, 0, 0, 0, 0}, 0.5, nil},
		{"none that reaches the threshold", fuzzy.Set{1, 0.2, 0.6, 0.3, 0, 0, 0}, 0.5, []kg.Entity{3, 1}},
		{"a lower threshold", fuzzy.Set{1, 0.2, 0.4, 0.3, 0, 0, 0}, 0.25, []kg.Entity{1}},
		{"what is known does not count", fuzzy.Set{0.4, 0.2, 0, 0, 0, 0, 0}, 0.5, []kg.Entity{1}},
		{"nothing is predicted", known, 0.5, nil},
	} {
		var got []kg.Entity
		for _, m := range (sets{set: fuzzy.ViewOf(c.set), known: fuzzy.ViewOf(known)}).lessLikely(3, c.threshold) {
			got = append(got, m.Entity)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
