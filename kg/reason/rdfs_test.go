package reason

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/lacuna-kg/lacuna/internal/rdf"
	"github.com/lacuna-kg/lacuna/kg"
)

type triple [3]string

const (
	typ   = rdf.Namespace + "type"
	subC  = rdfs + "subClassOf"
	subP  = rdfs + "subPropertyOf"
	prop  = rdf.Namespace + "Property"
	inver = owl + "inverseOf"
	symm  = owl + "SymmetricProperty"
	trans = owl + "TransitiveProperty"
)

func graphOf(t *testing.T, facts []triple) *kg.Graph {
	t.Helper()
	var add []kg.Fact
	for _, f := range facts {
		add = append(add, kg.Fact{Head: f[0], Relation: f[1], Tail: f[2]})
	}
	var entities, relations kg.Interner
	empty := kg.Build(&kg.Vocabulary{Entities: kg.Dictionary{Names: entities.Names()}, Relations: kg.Dictionary{Names: relations.Names()}}, nil)
	g, _, err := empty.ChangeExactly(t.Context(), add, nil)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// naively applies the rules as they stand in the comments, to everything, until nothing is new.
func naively(facts []triple) map[triple]bool {
	all := map[triple]bool{}
	entities, relations := map[string]bool{}, map[string]bool{}
	for _, f := range facts {
		all[f], entities[f[0]], entities[f[2]], relations[f[1]] = true, true, true, true
	}
	for r := range relations {
		if entities[r] {
			all[triple{r, typ, prop}] = true
		}
	}
	for {
		before := len(all)
		add := func(s, p, o string) {
			if s[0] != '"' {
				all[triple{s, p, o}] = true
			}
		}
		for a := range all {
			if a[1] == typ {
				add(a[2], subC, a[2])
			}
			if a[1] == subC || a[1] == subP {
				add(a[0], a[1], a[0])
				add(a[2], a[1], a[2])
			}
			for b := range all {
				switch {
				case a[1] == typ && b[1] == subC && a[2] == b[0]:
					add(a[0], typ, b[2])
				case (a[1] == subC || a[1] == subP) && a[1] == b[1] && a[2] == b[0]:
					add(a[0], a[1], b[2])
				}
				switch { // b describes the property of a
				case b[0] == a[1] && b[1] == subP:
					add(a[0], b[2], a[2])
				case b[0] == a[1] && b[1] == rdfs+"domain":
					add(a[0], typ, b[2])
				case b[0] == a[1] && b[1] == rdfs+"range":
					add(a[2], typ, b[2])
				case b[0] == a[1] && b == (triple{a[1], typ, symm}):
					add(a[2], a[1], a[0])
				}
				if b[1] == inver && b[0] == a[1] {
					add(a[2], b[2], a[0])
				}
				if b[1] == inver && b[2] == a[1] {
					add(a[2], b[0], a[0])
				}
				if a[1] == b[1] && a[2] == b[0] && all[triple{a[1], typ, trans}] {
					add(a[0], a[1], b[2])
				}
			}
		}
		if len(all) == before {
			return all
		}
	}
}

func TestRDFSAgainstTheRules(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	pick := func(of ...string) string { return of[random.IntN(len(of))] }
	for round := range 150 {
		var facts []triple
		node := func() string { return pick("a", "b", "c", "d", "p", "q", "r", `"5"`) }
		for range 2 + random.IntN(10) {
			facts = append(facts, triple{pick("a", "b", "c", "d", "p"), pick("p", "q", "r", typ), node()})
		}
		for range random.IntN(6) {
			switch random.IntN(6) {
			case 0:
				facts = append(facts, triple{pick("a", "b", "c"), subC, pick("b", "c", "d")})
			case 1:
				facts = append(facts, triple{pick("p", "q"), subP, pick("q", "r", subC, "new")})
			case 2:
				facts = append(facts, triple{pick("p", "q", "r"), rdfs + pick("domain", "range"), pick("c", "d", trans)})
			case 3:
				facts = append(facts, triple{pick("p", "q"), inver, pick("q", "r", "p")})
			default:
				facts = append(facts, triple{pick("p", "q", "r", subP), typ, pick(symm, trans)})
			}
		}
		checkAgainstRules(t, round, facts)
	}
}

func checkAgainstRules(t *testing.T, round int, facts []triple) {
	t.Helper()
	g := graphOf(t, facts)
	whole, report, err := RDFS(t.Context(), g, 0)
	if err != nil {
		t.Fatal(err)
	}
	want := naively(facts)
	got := map[triple]bool{}
	for f := range whole.Triples() {
		fact := whole.FactOf(kg.Statement{Triple: f})
		got[triple{fact.Head, fact.Relation, fact.Tail}] = true
	}
	for f := range want {
		if !got[f] {
			t.Errorf("round %d: %v is implied by %v, and lacks", round, f, facts)
		}
	}
	for f := range got {
		if !want[f] {
			t.Errorf("round %d: %v is not implied by %v", round, f, facts)
		}
	}
	if report.Total != whole.NumTriples()-g.NumTriples() {
		t.Errorf("round %d: %d facts reported, %d added", round, report.Total, whole.NumTriples()-g.NumTriples())
	}
}

// What is implied says by which rule, and what was stated stays apart.
func TestRulesAreGraphs(t *testing.T) {
	g := graphOf(t, []triple{{"x", typ, "Dog"}, {"Dog", subC, "Animal"}})
	whole, report, err := RDFS(t.Context(), g, 0)
	if err != nil || report.ByRule[Subclass] != 1 {
		t.Fatalf("%v, %v", report, err)
	}
	graph, known := whole.Named().Find("implied/subclass")
	if !known || len(whole.Named().Facts(graph)) != 1 {
		t.Fatal("no graph of what subclasses imply")
	}
	if f := whole.FactOf(kg.Statement{Graph: graph, Triple: whole.Named().Facts(graph)[0]}); f.Head != "x" || f.Tail != "Animal" {
		t.Errorf("it has %v", f)
	}
}

func TestRDFSLimits(t *testing.T) {
	var facts []triple
	for i := range 100 {
		facts = append(facts, triple{fmt.Sprint("c", i), subC, fmt.Sprint("c", i+1)})
	}
	g := graphOf(t, facts)
	if _, _, err := RDFS(t.Context(), g, 1000); kg.KindOf(err) != kg.TooLarge {
		t.Errorf("more than the limit: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := RDFS(ctx, g, 0); !errors.Is(err, context.Canceled) && kg.KindOf(err) != kg.Cancelled {
		t.Errorf("stopped: %v", err)
	}
}
