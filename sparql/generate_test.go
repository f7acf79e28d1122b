package sparql

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
)

// generator draws graphs and queries of the subset. Few terms and few variables
// make joins, cycles and repeated variables frequent.
type generator struct {
	*rand.Rand
	nodes, predicates []Term
	exists            int // how many EXISTS are open
}

func newGenerator(seed uint64) *generator {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 7))}
	iri := func(format string, i int) Term { return Term{Kind: IRI, Value: fmt.Sprintf(format, i)} }
	for i := range 3 + g.IntN(4) {
		g.nodes = append(g.nodes, iri("http://example.org/n%d", i))
	}
	for i := range 2 + g.IntN(2) {
		g.predicates = append(g.predicates, iri("http://example.org/p%d", i))
	}
	g.nodes = append(g.nodes, g.predicates[0], // a predicate that is a node too
		typed("a", ""), typed("b", ""), Term{Kind: Literal, Value: "a", Language: "en"},
		typed("1", xsdInteger), typed("1", xsdDecimal), typed("true", xsdBoolean), typed("x", "http://example.org/type"))
	return g
}

func pick[T any](g *generator, of []T) T { return of[g.IntN(len(of))] }

// graph draws triples as N-Triples.
func (g *generator) graph() string {
	var b strings.Builder
	for range 4 + g.IntN(14) {
		subject := pick(g, g.nodes)
		for subject.Kind == Literal {
			subject = pick(g, g.nodes)
		}
		fmt.Fprintf(&b, "%v %v %v .\n", subject, pick(g, g.predicates), pick(g, g.nodes))
	}
	return b.String()
}

func (g *generator) query() *Query {
	q := &Query{Limit: -1, Where: g.group(3)}
	switch g.IntN(8) {
	case 0:
		q.Ask = true
		return q
	case 1:
		for i := range 1 + g.IntN(2) {
			c := &Count{Distinct: g.IntN(2) == 0}
			if g.IntN(2) == 0 || c.Distinct { // DISTINCT * would see the variables of withoutAlternatives
				c.Of = g.name()
			}
			q.Select = append(q.Select, Projection{Var: fmt.Sprintf("count%d", i), Count: c})
		}
		return q
	case 2:
		q.Star = len(q.Where.Vars()) > 0
		q.Ask = !q.Star
	default:
		names := []string{"x", "y", "z", "w"}
		g.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		for _, name := range names[:1+g.IntN(3)] {
			q.Select = append(q.Select, Projection{Var: name})
		}
	}
	q.Distinct = g.IntN(3) == 0
	if g.IntN(6) == 0 {
		q.Values = g.values()
	}
	return q
}

func (g *generator) name() string { return pick(g, []string{"x", "y", "z", "w"}) }

func (g *generator) ref(constants int) Ref {
	if g.IntN(10) < constants {
		return Ref{Term: pick(g, g.nodes)}
	}
	return Ref{Var: g.name()}
}

// unknownIRI is a name that no graph has.
var unknownIRI = Term{Kind: IRI, Value: "http://example.org/unknown"}

func (g *generator) group(depth int) *Group {
	group := &Group{}
	for range g.IntN(3) {
		group.Of = append(group.Of, g.triple())
	}
	for depth > 0 && g.IntN(2) == 0 {
		group.Of = append(group.Of, g.element(depth-1))
	}
	if len(group.Of) == 0 && g.IntN(4) > 0 {
		group.Of = append(group.Of, g.triple())
	}
	return group
}

func (g *generator) element(depth int) Pattern {
	switch g.IntN(7) {
	case 0:
		return g.group(depth)
	case 1, 2:
		u := Union{}
		for range 2 + g.IntN(2) {
			u.Of = append(u.Of, g.group(depth))
		}
		return u
	case 3:
		// Within EXISTS the recommendation puts values in the place of variables, which
		// then are no longer shared; Oxigraph, as others, keeps them.
		if g.exists == 0 {
			return Minus{Of: g.group(depth)}
		}
		return g.group(depth)
	case 4:
		return g.values()
	}
	return Filter{Condition: g.condition(depth)}
}

func (g *generator) triple() Pattern {
	subject := g.ref(3)
	for subject.Term.Kind == Literal { // Oxigraph's grammar wants none here
		subject = g.ref(3)
	}
	return Triple{Subject: subject, Path: g.path(2), Object: g.ref(3)}
}

func (g *generator) path(depth int) Path {
	switch g.IntN(10) {
	case 0:
		return Step{Ref{Var: pick(g, []string{"p", "p", "x", "y"})}}
	case 1:
		if g.IntN(4) == 0 {
			return Step{Ref{Term: unknownIRI}}
		}
	}
	return g.steps(depth)
}

func (g *generator) steps(depth int) Path {
	if depth > 0 {
		switch g.IntN(7) {
		case 0:
			return Inverse{g.steps(depth - 1)}
		case 1:
			return Sequence{[]Path{g.steps(depth - 1), g.steps(depth - 1)}}
		case 2:
			return Alternative{[]Path{g.steps(depth - 1), g.steps(depth - 1)}}
		}
	}
	return Step{Ref{Term: pick(g, g.predicates)}}
}

func (g *generator) values() *Values {
	v := &Values{Vars: []string{"x", "y"}[:1+g.IntN(2)]}
	for range g.IntN(4) {
		row := make([]Term, len(v.Vars))
		for i := range row {
			if g.IntN(4) > 0 {
				row[i] = pick(g, g.nodes)
			}
		}
		v.Rows = append(v.Rows, row)
	}
	return v
}

func (g *generator) condition(depth int) Condition {
	choice := g.IntN(9)
	if depth == 0 {
		choice = g.IntN(4)
	}
	switch choice {
	case 0, 1, 2:
		return Compare{Left: g.ref(1), Right: g.ref(6), Differ: g.IntN(2) == 0}
	case 3:
		in := In{Left: g.ref(0), Not: g.IntN(2) == 0}
		for range 1 + g.IntN(3) { // Oxigraph takes NOT IN () for an error
			in.List = append(in.List, g.ref(8))
		}
		return in
	case 4:
		return And{[]Condition{g.condition(depth - 1), g.condition(depth - 1)}}
	case 5:
		return Or{[]Condition{g.condition(depth - 1), g.condition(depth - 1)}}
	case 6:
		return Not{g.condition(depth - 1)}
	}
	g.exists++
	defer func() { g.exists-- }()
	return Exists{Of: g.group(depth - 1), Not: g.IntN(3) > 0}
}

// readGraph reads N-Triples.
func readGraph(t testing.TB, triples string) *kg.Graph { return read(t, triples, kg.FormatNTriples) }

// readTable reads lines of head, relation and tail.
func readTable(t testing.TB, lines string) *kg.Graph { return read(t, lines, kg.FormatTSV) }

func read(t testing.TB, text string, format kg.Format) *kg.Graph {
	t.Helper()
	splits, err := kg.ReadFrom(t.Context(), strings.NewReader(text), "test", kg.ReadOptions{Format: format})
	if err != nil {
		t.Fatal(err)
	}
	return splits.Train
}
