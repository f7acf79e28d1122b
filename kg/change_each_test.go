package kg

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestChangeEachAgainstInTurn makes random lists of changes at once and one by one, some about labels: graphs, names,
// their numbers and every report must be equal.
func TestChangeEachAgainstInTurn(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 9))
	for seed := range uint64(60) {
		g := randomGraph(seed, 1+random.IntN(20), 1+random.IntN(3), random.IntN(60)).graph
		changes := make([]Edit, random.IntN(6))
		for i := range changes {
			changes[i] = Edit{randomFacts(random, 25, 5, random.IntN(8)), randomFacts(random, 25, 5, random.IntN(16))}
			if seed%6 == 0 && random.IntN(3) == 0 {
				changes[i].Add = append(changes[i].Add, Fact{Head: "e1", Relation: RDFSLabel, Tail: fmt.Sprintf("%q", fmt.Sprint("name", i))})
			}
		}
		exactly := seed%2 == 0
		got, reports, err := g.ChangeEach(t.Context(), changes, exactly)
		if err != nil {
			t.Fatal(err)
		}
		want, wantReports, err := g.changeInTurn(t.Context(), changes, exactly)
		if err != nil {
			t.Fatal(err)
		}
		sameGraph(t, got, want)
		sameDictionary(t, got.Entities, want.Entities)
		sameDictionary(t, got.Relations, want.Relations)
		if len(changes) > 0 && !slices.Equal(reports, wantReports) {
			t.Errorf("seed %d: reports %+v, want %+v", seed, reports, wantReports)
		}
		if err := got.Check(); err != nil {
			t.Error(err)
		}
	}
}

// TestChangeEachRefusesAll checks that a change that cannot be made keeps the others from being made.
func TestChangeEachRefusesAll(t *testing.T) {
	changes := []Edit{{Add: []Fact{{Head: "Q1", Relation: "likes", Tail: "Q5"}}}, {Add: []Fact{{Head: "Q1", Relation: "", Tail: "Q5"}}}}
	if _, _, err := smallGraph().ChangeEach(t.Context(), changes, false); err == nil || KindOf(err) != Invalid {
		t.Errorf("%v, expected a refusal", err)
	}
}
