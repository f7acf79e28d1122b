package kg

import (
	"fmt"
	"slices"
	"testing"
)

// labelled is a graph of a, b and r with the labels of a file.
func labelled(t *testing.T, labels ...[2]string) *Graph {
	t.Helper()
	var entities, relations Interner
	entities.Intern([]byte("a"))
	entities.Intern([]byte("b"))
	relations.Intern([]byte("r"))
	v := &Vocabulary{Entities: Dictionary{Names: entities.Names()}, Relations: Dictionary{Names: relations.Names()}}
	g := Build(v, []Triple{{0, 0, 1}})
	var facts []Fact
	for _, l := range labels {
		facts = append(facts, Fact{Head: l[0], Relation: RDFSLabel, Tail: l[1]})
	}
	changed, _, err := g.Change(t.Context(), facts, nil)
	if err != nil {
		t.Fatal(err)
	}
	return changed
}

// statements are the labels of a graph as text.
func statements(g *Graph) (list []string) {
	if g.Stated == nil {
		return nil
	}
	for p := range g.Stated.All() {
		list = append(list, g.Stated.Name(g.Entities.Names, p.Subject)+" "+g.Stated.Name(g.Entities.Names, p.Literal))
	}
	slices.Sort(list)
	return list
}

func TestLabelsStandBesideFacts(t *testing.T) {
	g := labelled(t, [2]string{"a", `"A"@en`}, [2]string{"a", `"Ah"@de`}, [2]string{"r", `"R"`}, [2]string{"else", `"A"@en`})
	if g.NumEntities() != 2 || g.NumTriples() != 1 || g.Relations.Names.Len() != 1 {
		t.Errorf("labels became facts: %d entities, %d facts", g.NumEntities(), g.NumTriples())
	}
	if want := []string{`a "A"@en`, `a "Ah"@de`, `else "A"@en`, `r "R"`}; !slices.Equal(statements(g), want) {
		t.Errorf("%q, want %q", statements(g), want)
	}
	if g.Entity(0) != "A" || g.Entity(1) != "b" || g.Relation(0) != "R" {
		t.Errorf("they are called %q, %q and %q", g.Entity(0), g.Entity(1), g.Relation(0))
	}
	if err := g.Check(); err != nil {
		t.Error(err)
	}
}

func TestChangesOfLabels(t *testing.T) {
	tests := []struct {
		name        string
		add, remove []Fact
		report      string
		labels      []string
		called      string // a
	}{
		{"a second one", []Fact{{Head: "a", Relation: RDFSLabel, Tail: `"B"`}}, nil, "1 0 0 0", []string{`a "A"@en`, `a "B"`}, "A"},
		{"a known one", []Fact{{Head: "a", Relation: RDFSLabel, Tail: `"A"@en`}}, nil, "0 0 1 0", []string{`a "A"@en`}, "A"},
		{"the one it goes by", []Fact{{Head: "a", Relation: RDFSLabel, Tail: `"B"`}}, []Fact{{Head: "a", Relation: RDFSLabel, Tail: `"A"@en`}}, "1 1 0 0", []string{`a "B"`}, "B"},
		{"the last", nil, []Fact{{Head: "a", Relation: RDFSLabel, Tail: `"A"@en`}}, "0 1 0 0", nil, "a"},
		{"none", nil, []Fact{{Head: "a", Relation: RDFSLabel, Tail: `"A"`}}, "0 0 0 1", []string{`a "A"@en`}, "A"},
		{"by a label", []Fact{{Head: "A", Relation: RDFSLabel, Tail: `"B"`}}, nil, "1 0 0 0", []string{`a "A"@en`, `a "B"`}, "A"},
		{"both", []Fact{{Head: "a", Relation: RDFSLabel, Tail: `"A"@en`}}, []Fact{{Head: "a", Relation: RDFSLabel, Tail: `"A"@en`}}, "0 0 1 0", []string{`a "A"@en`}, "A"},
		{"with facts", []Fact{{Head: "n", Relation: "r", Tail: `"A"@en`}, {Head: "n", Relation: RDFSLabel, Tail: `"N"`}}, nil, "2 0 0 0", []string{`a "A"@en`, `n "N"`}, "A"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			g := labelled(t, [2]string{"a", `"A"@en`})
			changed, r, err := g.Change(t.Context(), test.add, test.remove)
			if err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprint(r.Added, r.Removed, r.Known, r.Unknown); got != test.report {
				t.Errorf("the report is %s, want %s", got, test.report)
			}
			if got := statements(changed); !slices.Equal(got, test.labels) {
				t.Errorf("%q, want %q", got, test.labels)
			}
			if changed.Entity(0) != test.called {
				t.Errorf("a is called %q, want %q", changed.Entity(0), test.called)
			}
			if err := changed.Check(); err != nil {
				t.Error(err)
			}
			if want := []string{`a "A"@en`}; !slices.Equal(statements(g), want) {
				t.Errorf("the graph before has %q now", statements(g))
			}
		})
	}
}

// TestNamesOfLabelsBecomeEntities holds a name to one number.
func TestNamesOfLabelsBecomeEntities(t *testing.T) {
	g := labelled(t, [2]string{"x", `"X"`}, [2]string{"a", `"X"`})
	changed, _, err := g.Change(t.Context(), []Fact{{Head: "x", Relation: "r", Tail: `"X"`}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := statements(g); !slices.Equal(statements(changed), want) {
		t.Errorf("%q, want %q", statements(changed), want)
	}
	for p := range changed.Stated.All() {
		if p.Subject >= FirstExtra || p.Literal >= FirstExtra {
			t.Errorf("%v has a number of labels alone", p)
		}
	}
}

func TestLabelsBesideTheDataAreDerived(t *testing.T) {
	var entities, relations Interner
	entities.Intern([]byte("Q1"))
	v := &Vocabulary{Entities: Dictionary{Names: entities.Names(), Labels: NewLabels([]string{"One \"1\""})}, Relations: Dictionary{Names: relations.Names()}}
	l := v.LabelTriples()
	if l.Len() != 1 || !l.Derived() || l.Name(v.Entities.Names, l.Of(0)[0]) != `"One \"1\""` {
		t.Errorf("%+v", l)
	}
}
