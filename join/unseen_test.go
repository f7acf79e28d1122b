package join

import (
	"math"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
)

// For those who rank, a link that a row leaves out counts a little: what one of two rows speaks for comes behind what both do,
// and before what none does, which is not listed. A variable that no row speaks for stands for any.
func TestUnseenLinksCount(t *testing.T) {
	g := kg.Build(fortyEntities(), []kg.Triple{{Head: 30, Relation: 0, Tail: 31}})
	model := rowsOf(func(h kg.Entity, r kg.Relation, tail kg.Entity) float32 {
		switch {
		case h == 1 && r == 0 && tail == 5, h == 2 && r == 0 && tail == 5, h == 2 && r == 0 && tail == 6:
			return 0.5
		}
		return 0
	})
	rows := links.New(g, model, links.Options{Map: links.Map{{Logit: 1}}})
	for question, want := range map[string]map[kg.Entity]float64{
		"?x : #0(#1, x) & #0(#2, x)":                   {5: 0.25, 6: 0.5e-5},
		"?x : exists y: #0(#1, x) & #0(x, y)":          {5: 0.5e-5},
		"?x : #0(#1, x) & !#0(x, x)":                   {5: 0.5 * (1 - 1e-5)},
		"?x : #0(#2, x) & exists y: #0(#1, y)":         {5: 0.25, 6: 0.25},
		"?x : #0(#2, x) & exists y: #0(x, y) & y = #9": {5: 0.5e-5, 6: 0.5e-5},
	} {
		got, err := New(rows, parsed(t, question), Options{Follow: everything, Unseen: 1e-5}).All(t.Context(), -1)
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != len(want) {
			t.Errorf("%s: %v, want %v", question, got, want)
		}
		for _, a := range got {
			if math.Abs(a.Degree-want[a.Entities[0]]) > 1e-7 {
				t.Errorf("%s: %v, want %v", question, a, want)
			}
		}
	}
}
