package eval

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
)

// The areas as their definitions have them, pair by pair, on scores with many ties.
func TestAreasByDefinition(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		n := 2 + random.IntN(20)
		scores, right := make([]float32, n), make([]bool, n)
		for i := range n {
			scores[i], right[i] = float32(random.IntN(5)), random.IntN(3) == 0
		}
		var wins, pairs, precision, rights float64
		for i := range n {
			if !right[i] {
				continue
			}
			rights++
			good, all := 0.0, 0.0
			for j := range n {
				if scores[j] >= scores[i] {
					all++
					good += float64(index(right[j]))
				}
				if right[j] {
					continue
				}
				pairs++
				wins += float64(index(scores[i] > scores[j])) + float64(index(scores[i] == scores[j]))/2
			}
			precision += good / all
		}
		auroc, auprc := Areas(scores, right)
		if pairs == 0 {
			if auroc != 0 || auprc != 0 {
				t.Fatalf("all alike: %v, %v", auroc, auprc)
			}
		} else if !near(auroc, wins/pairs) || !near(auprc, precision/rights) {
			t.Fatalf("%v %v: %v and %v, expected %v and %v", scores, right, auroc, auprc, wins/pairs, precision/rights)
		}
	}
}

// TestOneRelationByHand hides R(0, 5) of the toy's R(0, 1), R(0, 5), S(1, 3). The heads are 0 and 1, the tails 1, 3 and 5.
// A score that knows nothing but the tail, 5 highest, finds it first both ways; the graph states R(0, 1), which is no pair.
func TestOneRelationByHand(t *testing.T) {
	facts := toyFacts()
	hidden := kg.Triple{Head: 0, Relation: kg.Relation(0), Tail: 5}
	seen, err := facts.Train.Without(t.Context(), []kg.Triple{hidden})
	must(t, err)
	r, err := OneRelation(t.Context(), RelationOptions{
		Graph: "toy", Seen: seen, Relation: 0, Hidden: []kg.Triple{hidden}, Heads: []kg.Entity{0, 1}, Tails: []kg.Entity{1, 3, 5}, Model: "tail",
		Score: func(_ context.Context, pairs []kg.Triple) (scores []float32, err error) {
			for _, p := range pairs {
				scores = append(scores, float32(p.Tail))
			}
			return scores, nil
		},
	})
	must(t, err)
	if r.Pairs != 5 || len(r.Rows) != 3 {
		t.Fatalf("%+v", r)
	}
	// From its head it stands above 3; from its tail it ties with (1, 5). Wrong pairs: (0,3), (1,1), (1,3) below, (1,5) beside.
	model := r.Rows[0]
	if !near(model.Tails.MRR, 1) || !near(model.Heads.MRR, 1/1.5) || !near(model.AUROC, 3.5/4) || !near(model.AUPRC, 0.5) {
		t.Errorf("%+v", model)
	}
	// Facts of R: 1 at 0 as head, 1 at 1 as tail, so (0,5) = 2, (0,3) = 2, (1,1) = 2, (1,3) = (1,5) = 1.
	if frequent := r.Rows[1]; !near(frequent.Tails.MRR, 1/1.5) || !near(frequent.Heads.MRR, 1) || !near(frequent.AUROC, (2+2*0.5)/4) {
		t.Errorf("%+v", frequent)
	}
	if _, err := r.CSV(); err != nil {
		t.Error(err)
	}
}

// A share of the relation's facts is hidden, the same by the same seed, and of no other relation.
func TestHideOf(t *testing.T) {
	g := toyFacts().Train
	for share, want := range map[float64]int{0.01: 1, 0.5: 1, 1: 2} {
		hidden := HideOf(g, 0, share, 7)
		if len(hidden) != want || hidden[0].Relation != 0 || hidden[0] != HideOf(g, 0, share, 7)[0] {
			t.Errorf("share %v: %v, expected %d facts", share, hidden, want)
		}
	}
}
