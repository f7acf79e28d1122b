package links

import (
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
)

// A row that a file lacks is turned from those of the other ends: it has each link that one of them has, and no other.
func TestTurnedRowsAreThoseOfTheOtherEnds(t *testing.T) {
	turned := 0
	for seed := range uint64(10) {
		w, model := writing(seed, 0)
		f := writtenFile(t, w)
		rows := New(w.Rows.Graph(), model, Options{File: f})
		for _, p := range allPairs() {
			got, err := rows.Turned(p)
			if err != nil {
				t.Fatal(err)
			}
			found := map[kg.Entity]float32{}
			for i, e := range got.Tails {
				found[e] = got.Probabilities[i]
				if i > 0 && got.Probabilities[i] > got.Probabilities[i-1] {
					t.Errorf("%v: the likeliest is not first: %v", p, got.Probabilities)
				}
			}
			for other := range kg.Entity(entities) {
				row, _, err := f.row(Pair{other, p.Relation.Inverse()})
				if err != nil {
					t.Fatal(err)
				}
				want := float32(0)
				for i, e := range row.Tails {
					if e == p.Head {
						want = row.Probabilities[i]
						turned++
					}
				}
				if found[other] != want {
					t.Fatalf("%v with %d has %v, want %v", p, other, found[other], want)
				}
			}
		}
	}
	if turned < 100 {
		t.Errorf("only %d links were turned", turned)
	}
}

// What is too much to be turned is left as it is, and so are rows without a file.
func TestTurningIsBounded(t *testing.T) {
	w, _ := writing(1, 0)
	f := writtenFile(t, w)
	for q := range kg.Relation(2 * relations) {
		all, err := f.turn(q, mostTurned)
		if err != nil || len(all) == 0 {
			t.Fatal(all, err)
		}
		if none, err := f.turn(q, len(all)-1); err != nil || none != nil {
			t.Errorf("beyond the bound: %v, %v", none, err)
		}
	}
	if row, err := w.Rows.Turned(allPairs()[0]); err != nil || len(row.Tails) > 0 {
		t.Errorf("without a file: %v, %v", row, err)
	}
}
