package kg

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestDenial(t *testing.T) {
	for name, want := range map[string]string{"!treats": "treats", "!http://x/treats": "http://x/treats", "!3d": "3d", "!é": "é", "!=": "", "!": "", "": "", "treats": "", "!!a": ""} {
		if got, is := Denial(name); is != (want != "") || is && got != want {
			t.Errorf("%q denies %q, %v", name, got, is)
		}
	}
	f := Fact{Head: "a", Relation: "r", Tail: "b"}
	if f.Contrary().String() != "!r(a, b)" || f.Contrary().Contrary() != f {
		t.Errorf("%v, %v", f.Contrary(), f.Contrary().Contrary())
	}
}

// saying is what a graph says: facts by name with whether they are stated or denied.
func saying(g *Graph) map[Fact]bool {
	all := map[Fact]bool{}
	for t := range g.Triples() {
		all[g.FactOf(Statement{Triple: t})] = true
	}
	for _, t := range g.Denied() {
		all[g.DenialOf(t)] = true
	}
	return all
}

// Random changes with denials come to what a set of names comes to: the last word counts, in one change the denial.
func TestChangesOfDenials(t *testing.T) {
	for seed := range uint64(60) {
		random := rand.New(rand.NewPCG(seed, 4))
		g := randomGraph(seed, 1+random.IntN(12), 1+random.IntN(3), random.IntN(40)).graph
		want := saying(g)
		facts := func() []Fact {
			list := randomFacts(random, 14, 4, random.IntN(8))
			for i := range list {
				if random.IntN(3) == 0 {
					list[i] = list[i].Contrary()
				}
			}
			return list
		}
		var edits []Edit
		at := g
		for range 5 {
			edit := Edit{facts(), facts()}
			edits = append(edits, edit)
			before := len(want)
			for _, f := range edit.Remove {
				delete(want, f)
			}
			for _, denials := range []bool{false, true} {
				for _, f := range edit.Add {
					if f.IsDenial() == denials {
						delete(want, f.Contrary())
						want[f] = true
					}
				}
			}
			next, report, err := at.Change(t.Context(), edit.Add, edit.Remove)
			if err != nil {
				t.Fatal(err)
			}
			if got := saying(next); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Fatalf("seed %d, %+v:\n%v\nwant\n%v", seed, edit, got, want)
			}
			if err := next.Check(); err != nil {
				t.Fatal(err)
			}
			if report.Known+report.Added != len(edit.Add) || report.Unknown > len(edit.Remove) || report.Added < len(want)-before {
				t.Errorf("seed %d: %+v of %+v, %d said before and %d after", seed, report, edit, before, len(want))
			}
			for f := range want {
				if contrary := f.Contrary(); want[contrary] {
					t.Errorf("%v is stated and denied", f)
				}
			}
			at = next
		}
		together, _, err := g.ChangeEach(t.Context(), edits, false)
		if err != nil || fmt.Sprint(saying(together)) != fmt.Sprint(want) {
			t.Errorf("seed %d: together %v, want %v, %v", seed, saying(together), want, err)
		}
		sameDictionary(t, together.Entities, at.Entities)
	}
}

// Where denials are of the graph alone, changes of facts that are made at once come to what they come to in turn.
func TestChangeEachWithDenials(t *testing.T) {
	for seed := range uint64(30) {
		random := rand.New(rand.NewPCG(seed, 5))
		g := randomGraph(seed, 1+random.IntN(10), 2, random.IntN(30)).graph
		g.WithDenied(slices.DeleteFunc(slices.Collect(randomGraph(seed+100, g.NumEntities(), 2, 20).graph.Triples()), g.states))
		edits := make([]Edit, 4)
		for i := range edits {
			edits[i] = Edit{randomFacts(random, 10, 2, 6), randomFacts(random, 10, 2, 6)}
		}
		got, reports, err := g.ChangeEach(t.Context(), edits, false)
		if err != nil {
			t.Fatal(err)
		}
		want, wantReports, err := g.changeInTurn(t.Context(), edits, false)
		if err != nil || fmt.Sprint(saying(got)) != fmt.Sprint(saying(want)) || !slices.Equal(reports, wantReports) {
			t.Errorf("seed %d: %v, want %v, %v", seed, saying(got), saying(want), err)
		}
	}
}

// A denial takes a fact out of every named graph, and lookups find it from both ends.
func TestDenialInNamedGraphs(t *testing.T) {
	g := smallGraph()
	add := []Fact{{Head: "Q1", Relation: "likes", Tail: "Q2", Graph: "x"}, {Head: "Q1", Relation: "likes", Tail: "Q2"}, {Head: "Q2", Relation: "likes", Tail: "Q1", Graph: "x"}}
	named, _, err := g.Change(t.Context(), add, nil)
	if err != nil {
		t.Fatal(err)
	}
	denied, report, err := named.Change(t.Context(), []Fact{{Head: "Q1", Relation: "!likes", Tail: "Q2"}}, nil)
	if err != nil || report.Added != 1 || report.Removed != 1 {
		t.Fatal(report, err)
	}
	if err := denied.Check(); err != nil {
		t.Fatal(err)
	}
	triple := denied.Denied()[0]
	if denied.Has(triple) || denied.NumDenied() != 1 || !denied.Denies(triple) || !denied.Denies(triple.Inverse()) || denied.Named().Len() != 1 ||
		!slices.Equal(denied.DeniedTails(triple.Tail, triple.Relation.Inverse()), []Entity{triple.Head}) || len(denied.DeniedTails(triple.Tail, triple.Relation)) != 0 {
		t.Errorf("%v of %v", denied.Denied(), saying(denied))
	}
}
