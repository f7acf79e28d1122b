package kg

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// changeTwin makes a change the plain way: a set of facts by name, and Build.
type changeTwin struct {
	vocabulary *Vocabulary
	facts      map[Triple]bool
}

func (w *changeTwin) id(n *Names, name string, grow bool) (*Names, uint32, bool) {
	if id, ok := n.Find(name); ok || !grow {
		return n, id, ok
	}
	var in Interner
	for id := range uint32(n.Len()) {
		in.Intern([]byte(n.At(id)))
	}
	id := in.Intern([]byte(name))
	return in.Names(), id, true
}

func (w *changeTwin) triple(f Fact, grow bool) (t Triple, ok bool) {
	var ids [3]uint32
	var known [3]bool
	w.vocabulary.Entities.Names, ids[0], known[0] = w.id(w.vocabulary.Entities.Names, f.Head, grow)
	w.vocabulary.Relations.Names, ids[1], known[1] = w.id(w.vocabulary.Relations.Names, f.Relation, grow)
	w.vocabulary.Entities.Names, ids[2], known[2] = w.id(w.vocabulary.Entities.Names, f.Tail, grow)
	return Triple{Entity(ids[0]), Forward(ids[1]), Entity(ids[2])}, known == [3]bool{true, true, true}
}

func (w *changeTwin) change(add, remove []Fact) (*Graph, ChangeReport) {
	before := len(w.facts)
	entities, relations := w.vocabulary.Entities.Names.Len(), w.vocabulary.Relations.Names.Len()
	var report ChangeReport
	asked, gone := map[Triple]bool{}, map[Triple]bool{}
	for _, f := range remove {
		if t, ok := w.triple(f, false); ok && w.facts[t] && !gone[t] {
			gone[t] = true
		} else {
			report.Unknown++
		}
	}
	for _, f := range add {
		t, _ := w.triple(f, true)
		if w.facts[t] || asked[t] {
			report.Known++
		}
		asked[t] = true
	}
	for t := range gone {
		if !asked[t] {
			delete(w.facts, t)
			report.Removed++
		}
	}
	for t := range asked {
		w.facts[t] = true
	}
	report.Added = len(w.facts) - before + report.Removed
	report.NewEntities = w.vocabulary.Entities.Names.Len() - entities
	report.NewRelations = w.vocabulary.Relations.Names.Len() - relations
	var triples []Triple
	for t := range w.facts {
		triples = append(triples, t)
	}
	return Build(&Vocabulary{Entities: w.vocabulary.Entities, Relations: w.vocabulary.Relations}, triples), report
}

func newChangeTwin(g *Graph) *changeTwin {
	w := &changeTwin{&Vocabulary{Entities: g.Entities, Relations: g.Relations}, map[Triple]bool{}}
	for t := range g.Triples() {
		w.facts[t] = true
	}
	return w
}

// randomFacts names known and, now and then, new entities and relations.
func randomFacts(random *rand.Rand, entities, relations, n int) []Fact {
	facts := make([]Fact, n)
	for i := range facts {
		facts[i] = Fact{Head: fmt.Sprint("e", random.IntN(entities)), Relation: fmt.Sprint("r", random.IntN(relations)), Tail: fmt.Sprint("e", random.IntN(entities))}
	}
	return facts
}

// TestChangeAgainstBuild makes chains of random changes and compares each graph with one built from scratch.
func TestChangeAgainstBuild(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 5))
	for seed := range uint64(30) {
		w := randomGraph(seed, 1+random.IntN(20), 1+random.IntN(3), random.IntN(60))
		g := w.graph
		g.duplicates = 0 // which a change keeps and the twin cannot know
		twin := newChangeTwin(g)
		for range 6 {
			before := slices.Collect(g.Triples())
			add, remove := randomFacts(random, 25, 5, random.IntN(20)), randomFacts(random, 25, 5, random.IntN(40))
			changed, report, err := g.Change(t.Context(), add, remove)
			if err != nil {
				t.Fatal(err)
			}
			want, wantReport := twin.change(add, remove)
			sameGraph(t, changed, want)
			sameDictionary(t, changed.Entities, want.Entities)
			sameDictionary(t, changed.Relations, want.Relations)
			if report != wantReport {
				t.Errorf("report %+v, want %+v", report, wantReport)
			}
			if err := changed.Check(); err != nil {
				t.Errorf("a changed graph fails the checks of a graph: %v", err)
			}
			if !slices.Equal(slices.Collect(g.Triples()), before) {
				t.Error("Change changed the graph it was called on")
			}
			g = changed
		}
	}
}

// smallGraph has a self loop, an isolated entity, an empty name, ambiguous and missing labels.
func smallGraph() *Graph {
	return Build(&Vocabulary{
		Entities:  dictionary([]string{"Q1", "Q2", "", "Zürich", "Q5"}, []string{"Alan", "alan", "", "Ω", "Ada"}),
		Relations: dictionary([]string{"knows", "likes"}, []string{"is acquainted with"}),
	}, []Triple{{0, 0, 1}, {1, 1, 0}, {1, 2, 3}, {3, 2, 3}, {2, 0, 0}})
}

func TestChangeNames(t *testing.T) {
	g := smallGraph() // Q1 Alan, Q2 alan, "", Zürich Ω, Q5 Ada; knows "is acquainted with", likes
	tests := []struct {
		name string
		fact Fact
		want Triple // if it is stated afterwards
		err  string
	}{
		{"identifiers", Fact{Head: "Q5", Relation: "likes", Tail: "Q1"}, Triple{4, 2, 0}, ""},
		{"labels", Fact{Head: "Ada", Relation: "is acquainted with", Tail: "Ω"}, Triple{4, 0, 3}, ""},
		{"case matters", Fact{Head: "Alan", Relation: "likes", Tail: "alan"}, Triple{0, 2, 1}, ""},
		{"a name in another case is new", Fact{Head: "ada", Relation: "likes", Tail: "Q5"}, Triple{5, 2, 4}, ""},
		{"new names", Fact{Head: "Kurt", Relation: "teaches", Tail: "Ada"}, Triple{5, 4, 4}, ""},
		{"no head", Fact{Head: "", Relation: "", Tail: "Q1"}, Triple{}, "added fact 1: the name of the relation is empty"},
		{"not UTF-8", Fact{Head: "Q1", Relation: "likes", Tail: "\xff"}, Triple{}, `added fact 1: the name "\xff" is not valid UTF-8`},
		{"NUL", Fact{Head: "Q1", Relation: "a\x00b", Tail: "Q2"}, Triple{}, `added fact 1: a NUL byte in the name "a\x00b"`},
		{"inverse", Fact{Head: "Q1", Relation: "likes^-1", Tail: "Q2"}, Triple{}, `added fact 1: the relation "likes^-1" reads as an inverse: state the fact from its other end`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			changed, _, err := g.Change(t.Context(), []Fact{test.fact}, nil)
			if test.err != "" {
				if err == nil || err.Error() != test.err || KindOf(err) != Invalid {
					t.Errorf("error %v, want %s", err, test.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if !changed.Has(test.want) || changed.NumTriples() != g.NumTriples()+1 {
				t.Errorf("%v is not stated; triples: %v", test.want, slices.Collect(changed.Triples()))
			}
		})
	}
}

func TestChangeRefusesAmbiguousLabel(t *testing.T) {
	v := numbered(3, 1)
	v.Entities.Labels = NewLabels([]string{"Paris", "Paris", "Lyon"})
	g := Build(v, []Triple{{0, 0, 2}})
	for list, change := range map[string][2][]Fact{
		"added":   {{{Head: "Lyon", Relation: "r0", Tail: "e0"}, {Head: "Lyon", Relation: "r0", Tail: "Paris"}}, nil},
		"removed": {nil, {{Head: "Lyon", Relation: "r0", Tail: "e0"}, {Head: "Paris", Relation: "r0", Tail: "Lyon"}}},
	} {
		_, _, err := g.Change(t.Context(), change[0], change[1])
		want := list + ` fact 2: 2 entities have the label "Paris", such as "e0" and "e1": give the identifier`
		if err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

// TestChangeOfMappedGraph closes the graph that lies in a file first: the changed one must live on.
func TestChangeOfMappedGraph(t *testing.T) {
	released := 0
	g, err := FromArrays(smallGraph().Arrays(), func() error { released++; return nil })
	if err != nil {
		t.Fatal(err)
	}
	changed, _, err := g.Change(t.Context(), []Fact{{Head: "Q1", Relation: "likes", Tail: "Q5"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	again, _, err := changed.Change(t.Context(), []Fact{{Head: "Q9", Relation: "likes", Tail: "Q5"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, closing := range []*Graph{g, g, again} {
		if err := closing.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if released != 0 || changed.Entity(0) != "Alan" || !changed.Has(Triple{0, 2, 4}) {
		t.Errorf("the file was released %d times while a graph was open", released)
	}
	if err := changed.Close(); err != nil || released != 1 {
		t.Errorf("released %d times (%v), want once", released, err)
	}
}

func TestWithoutAgainstBuild(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 9))
	for seed := range uint64(20) {
		w := randomGraph(seed, 12, 3, 80)
		w.graph.duplicates = 0
		var gone, kept []Triple
		for fact := range w.graph.Triples() {
			switch random.IntN(4) {
			case 0:
				gone = append(gone, fact, fact.Inverse()) // the same fact twice
			default:
				kept = append(kept, fact)
			}
		}
		gone = append(gone, Triple{0, 0, 11}, Triple{99, 0, 0})
		kept = slices.DeleteFunc(kept, func(t Triple) bool { return t == Triple{0, 0, 11} })
		got, err := w.graph.Without(t.Context(), gone)
		if err != nil {
			t.Fatal(err)
		}
		sameGraph(t, got, Build(w.graph.Vocabulary, kept))
	}
}

func TestChangeStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	g, _, err := randomGraph(1, 20, 2, 100).graph.Change(ctx, []Fact{{Head: "a", Relation: "b", Tail: "c"}}, nil)
	if g != nil || KindOf(err) != Cancelled {
		t.Errorf("%v, %v; want an error of kind Cancelled", g, err)
	}
}

// FuzzChange reads lines "+ h r t" and "- h r t" and compares with the twin.
func FuzzChange(f *testing.F) {
	f.Add("+ e1 r0 e2\n- e0 r0 e1\n+ new r9 e0")
	f.Add("+ e0 r0 e0\n+ e0 r0 e0\n- e0 r0 e0")
	f.Add("- x y z\n+ \xff r e")
	f.Fuzz(func(t *testing.T, text string) {
		var add, remove []Fact
		for line := range strings.Lines(text) {
			words := strings.Split(strings.TrimSuffix(line, "\n"), " ")
			if len(words) != 4 {
				continue
			}
			fact := Fact{Head: words[1], Relation: words[2], Tail: words[3]}
			if words[0] == "+" {
				add = append(add, fact)
			} else {
				remove = append(remove, fact)
			}
		}
		g := randomGraph(4, 5, 2, 12).graph
		g.duplicates = 0
		changed, report, err := g.Change(t.Context(), add, remove)
		if err != nil {
			if KindOf(err) != Invalid || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %q", err)
			}
			return
		}
		want, wantReport := newChangeTwin(g).change(add, remove)
		sameGraph(t, changed, want)
		if report != wantReport {
			t.Errorf("report %+v, want %+v", report, wantReport)
		}
		sameDictionary(t, changed.Entities, want.Entities)
		sameDictionary(t, changed.Relations, want.Relations)
		if err := changed.Check(); err != nil {
			t.Error(err)
		}
	})
}
