package kg

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// Changes with what is said of facts do, one by one and together, what a list of statements does.
func TestChangeSaid(t *testing.T) {
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 39))
		g := Build(&Vocabulary{Entities: Dictionary{Names: new(Interner).Names()}, Relations: Dictionary{Names: new(Interner).Names()}}, nil)
		want := map[Fact]map[Said]bool{}
		draw := func() Fact {
			f := Fact{Head: fmt.Sprint("e", random.IntN(4)), Relation: "r", Tail: fmt.Sprint("e", random.IntN(4))}
			if random.IntN(2) == 0 {
				f.Said = NewSaid([]Annotation{{"since", fmt.Sprint(random.IntN(2))}, {"by", fmt.Sprint(random.IntN(2))}}[:1+random.IntN(2)])
			}
			return f
		}
		var edits []Edit
		start := g
		for range 1 + random.IntN(12) {
			edit := Edit{}
			if random.IntN(3) > 0 {
				edit.Add = []Fact{draw()}
			} else {
				edit.Remove = []Fact{draw()}
			}
			changed := apply(want, edit)
			next, report, err := g.Change(t.Context(), edit.Add, edit.Remove)
			if err != nil {
				t.Fatal(err)
			}
			if err := next.Check(); err != nil {
				t.Fatal(err)
			}
			if changed != (report.Added+report.Removed == 1) || report.Added+report.Removed+report.Known+report.Unknown != 1 {
				t.Fatalf("seed %d: %v changed something: %v, and the report is %+v", seed, edit, changed, report)
			}
			g, edits = next, append(edits, edit)
			if got := saidStatements(g); got != stated(want) {
				t.Fatalf("seed %d: after %v got %s, want %s", seed, edits, got, stated(want))
			}
		}
		together, _, err := start.ChangeEach(t.Context(), edits, true)
		if err != nil || saidStatements(together) != stated(want) {
			t.Fatalf("seed %d: together %s, %v, want %s", seed, saidStatements(together), err, stated(want))
		}
	}
}

// apply makes a change of one fact in a list of statements, and tells whether it changed anything.
func apply(want map[Fact]map[Said]bool, e Edit) bool {
	if len(e.Add) > 0 {
		f := e.Add[0]
		said := f.Said
		f.Said = ""
		before, known := want[f]
		if !known {
			before = map[Said]bool{}
			want[f] = before
		}
		changed := !known || said != "" && !before[said]
		if said != "" {
			before[said] = true
		}
		return changed
	}
	f := e.Remove[0]
	said := f.Said
	f.Said = ""
	before, known := want[f]
	if said == "" {
		delete(want, f)
		return known
	}
	changed := before[said]
	delete(before, said)
	return changed
}

func stated(want map[Fact]map[Said]bool) string {
	var list []string
	for f, all := range want {
		list = append(list, f.String())
		for said := range all {
			f.Said = said
			list = append(list, f.String())
		}
	}
	slices.Sort(list)
	return fmt.Sprint(list)
}

func saidStatements(g *Graph) string {
	want := map[Fact]map[Said]bool{}
	for t := range g.Triples() {
		f := g.FactOf(Statement{Triple: t})
		want[f] = map[Said]bool{}
		for _, of := range g.Annotations().Of(t) {
			want[f][NewSaid(of)] = true
		}
	}
	return stated(want)
}

func TestSaidInJSON(t *testing.T) {
	var f Fact
	if err := json.Unmarshal([]byte(`{"head": "a", "relation": "r", "tail": "b", "annotations": [{"relation": "until", "value": "2"}, {"relation": "from", "value": "1"}]}`), &f); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(f)
	if want := `{"head":"a","relation":"r","tail":"b","annotations":[{"relation":"from","value":"1"},{"relation":"until","value":"2"}]}`; err != nil || string(text) != want {
		t.Errorf("got %s, %v, want %s", text, err, want)
	}
	if want := "r(a, b) {from 1, until 2}"; f.String() != want {
		t.Errorf("got %s, want %s", f, want)
	}
	if text, _ := json.Marshal(Fact{Head: "a", Relation: "r", Tail: "b"}); string(text) != `{"head":"a","relation":"r","tail":"b"}` {
		t.Errorf("got %s", text)
	}
}
