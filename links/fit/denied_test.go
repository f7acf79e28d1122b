package fit

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
)

// Where only some of what is true was held out, a miss may be true all the same; one that is known to be false may not, and lowers what is promised.
func TestDenialsAreCertainMisses(t *testing.T) {
	truth := links.Map{{Logit: 2, Total: -1, Stated: 1, Bias: 1, Ceiling: 0.25}}
	some := drawn(rand.New(rand.NewPCG(5, 6)), truth, 200)
	certain := observations{rows: some.rows, links: slices.Clone(some.links)}
	for i, l := range certain.links {
		certain.links[i].denied = !l.held
	}
	promised := func(o observations) (sum float64) {
		r := o.regression(start(), weights{1, 1, 1, 1, 1, 1, 1, 1}, ridge, 0.25)
		w := r.solution()
		for _, f := range r.features {
			sum += 0.25 / (1 + math.Exp(-w.dot(f)))
		}
		return sum
	}
	if usual, lower := promised(some), promised(certain); lower > 0.9*usual {
		t.Errorf("%v are promised where misses are certain, %v where they are not", lower, usual)
	}
}

// A row that is looked at has the links that are known to be false among its misses, however unlikely.
func TestRowsCountDenials(t *testing.T) {
	rest, held := laureates(t)
	model := foundationModel(t)
	university, ok := rest.Relations.Names.Find("University")
	if !ok {
		t.Fatal("no University")
	}
	q := kg.Forward(university)
	var denied []kg.Triple
	for e := range kg.Entity(rest.NumEntities()) {
		if tails := rest.Tails(e, q); len(tails) > 0 && len(denied) < 20 {
			f := kg.Triple{Head: e, Relation: q, Tail: kg.Entity(len(denied))}
			if !rest.Has(f) && !slices.Contains(held, f) {
				denied = append(denied, f)
			}
		}
	}
	rest.WithDenied(denied)
	w, err := Options{Graph: rest, Model: model, Held: held, Rows: 40}.newWorld(t.Context(), turn{rows: 40})
	if err != nil {
		t.Fatal(err)
	}
	defer w.close()
	pairs := make([]links.Pair, len(denied))
	for i, f := range denied {
		pairs[i] = links.Pair{Head: f.Head, Relation: f.Relation}
	}
	found := 0
	err = w.eachRow(t.Context(), pairs, func(i int, odds links.Odds, e links.Evidence) {
		for _, l := range w.row(pairs[i], odds, e) {
			if l.fact == denied[i] && l.denied && !l.held {
				found++
			} else if l.denied {
				t.Errorf("%v is not denied", l.fact)
			}
		}
	})
	if err != nil || found != len(denied) {
		t.Errorf("%d of %d denials are among the links, %v", found, len(denied), err)
	}
}
