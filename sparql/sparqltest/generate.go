// Package sparqltest draws graphs and queries for the tests of SPARQL, reads small
// graphs, and writes results as lines that can be compared.
package sparqltest

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/lacuna-kg/lacuna/sparql/syntax"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// Generator draws graphs and queries, of triples, groups and filters or, if whole, of all of
// the language (see language.go). Few terms and few variables
// make joins, cycles and repeated variables frequent.
type Generator struct {
	*rand.Rand
	nodes, predicates []term.Term
	exists            int  // how many EXISTS are open
	whole             bool // draw from all of the language
	free              bool // also where Oxigraph goes its own way
	bound             int  // variables of BIND so far
}

// NewGenerator gives the generator of a seed, always the same.
func NewGenerator(seed uint64) *Generator {
	g := &Generator{Rand: rand.New(rand.NewPCG(seed, 7))}
	iri := func(format string, i int) term.Term { return term.Term{Kind: term.IRI, Value: fmt.Sprintf(format, i)} }
	for i := range 3 + g.IntN(4) {
		g.nodes = append(g.nodes, iri("http://example.org/n%d", i))
	}
	for i := range 2 + g.IntN(2) {
		g.predicates = append(g.predicates, iri("http://example.org/p%d", i))
	}
	g.nodes = append(g.nodes, g.predicates[0], // a predicate that is a node too
		term.Typed("a", ""), term.Typed("b", ""), term.Term{Kind: term.Literal, Value: "a", Language: "en"},
		term.Typed("1", term.XSDInteger), term.Typed("1", term.XSDDecimal), term.Typed("true", term.XSDBoolean), term.Typed("x", "http://example.org/type"))
	return g
}

func pick[T any](g *Generator, of []T) T { return of[g.IntN(len(of))] }

// Graph draws triples as N-Triples.
func (g *Generator) Graph() string {
	var b strings.Builder
	for range 4 + g.IntN(14) {
		subject := pick(g, g.nodes)
		for subject.Kind == term.Literal {
			subject = pick(g, g.nodes)
		}
		fmt.Fprintf(&b, "%v %v %v .\n", subject, pick(g, g.predicates), pick(g, g.nodes))
	}
	if g.whole { // a path without steps holds of terms that the graph lacks too, of which Oxigraph knows only some
		for _, node := range g.nodes {
			fmt.Fprintf(&b, "%v %v %v .\n", g.nodes[0], g.predicates[0], node)
		}
	}
	return b.String()
}

// Query draws a query.
func (g *Generator) Query() *syntax.Query {
	q := &syntax.Query{Limit: -1, Where: g.group(3)}
	switch g.IntN(8) {
	case 0:
		q.Form = syntax.AskForm
		return q
	case 1:
		for i := range 1 + g.IntN(2) {
			c := syntax.Aggregate{Name: "COUNT", Distinct: g.IntN(2) == 0}
			if g.IntN(2) == 0 || c.Distinct { // DISTINCT * would see the variables of withoutAlternatives
				c.Of = syntax.Ref{Var: g.name()}
			}
			q.Select = append(q.Select, syntax.Projection{Var: fmt.Sprintf("count%d", i), Of: c})
		}
		return q
	case 2:
		q.Star = len(q.Where.Vars()) > 0
		if !q.Star {
			q.Form = syntax.AskForm
		}
	default:
		names := []string{"x", "y", "z", "w"}
		g.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		for _, name := range names[:1+g.IntN(3)] {
			q.Select = append(q.Select, syntax.Projection{Var: name})
		}
	}
	q.Distinct = g.IntN(3) == 0
	if g.IntN(6) == 0 {
		q.Values = g.values()
	}
	return q
}

func (g *Generator) name() string { return pick(g, []string{"x", "y", "z", "w"}) }

func (g *Generator) ref(constants int) syntax.Ref {
	if g.IntN(10) < constants {
		return syntax.Ref{Term: pick(g, g.nodes)}
	}
	return syntax.Ref{Var: g.name()}
}

// unknownIRI is a name that no graph has.
var unknownIRI = term.Term{Kind: term.IRI, Value: "http://example.org/unknown"}

func (g *Generator) group(depth int) *syntax.Group {
	group := &syntax.Group{}
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

func (g *Generator) element(depth int) syntax.Pattern {
	if g.whole && g.IntN(2) == 0 {
		return g.newElement(depth)
	}
	switch g.IntN(7) {
	case 0:
		return g.group(depth)
	case 1, 2:
		u := syntax.Union{}
		for range 2 + g.IntN(2) {
			u.Of = append(u.Of, g.group(depth))
		}
		return u
	case 3:
		// Within EXISTS the recommendation puts values in the place of variables, which
		// then are no longer shared; Oxigraph, as others, keeps them.
		if g.exists == 0 || g.free {
			return syntax.Minus{Of: g.group(depth)}
		}
		return g.group(depth)
	case 4:
		return g.values()
	}
	return syntax.Filter{Condition: g.condition(depth)}
}

func (g *Generator) triple() syntax.Pattern {
	return syntax.Triple{Subject: g.subject(), Path: g.path(2), Object: g.ref(3)} // Oxigraph's grammar wants no literal as subject
}

func (g *Generator) path(depth int) syntax.Path {
	switch g.IntN(10) {
	case 0:
		return syntax.Step{Ref: syntax.Ref{Var: pick(g, []string{"p", "p", "x", "y"})}}
	case 1:
		if g.IntN(4) == 0 {
			return syntax.Step{Ref: syntax.Ref{Term: unknownIRI}}
		}
	}
	return g.steps(depth)
}

func (g *Generator) steps(depth int) syntax.Path {
	if g.whole && g.IntN(4) == 0 {
		return g.newSteps(depth)
	}
	if depth > 0 {
		switch g.IntN(7) {
		case 0:
			return syntax.Inverse{Of: g.steps(depth - 1)}
		case 1:
			return syntax.Sequence{Of: []syntax.Path{g.steps(depth - 1), g.steps(depth - 1)}}
		case 2:
			return syntax.Alternative{Of: []syntax.Path{g.steps(depth - 1), g.steps(depth - 1)}}
		}
	}
	return syntax.Step{Ref: syntax.Ref{Term: pick(g, g.predicates)}}
}

func (g *Generator) values() *syntax.Values {
	v := &syntax.Values{Vars: []string{"x", "y"}[:1+g.IntN(2)]}
	for range g.IntN(4) {
		row := make([]term.Term, len(v.Vars))
		for i := range row {
			if g.IntN(4) > 0 {
				row[i] = pick(g, g.nodes)
			}
		}
		v.Rows = append(v.Rows, row)
	}
	return v
}

// ValueFilter draws a filter on the value of a variable, which is a number, a truth value or a text.
func (g *Generator) ValueFilter() syntax.Filter {
	constant := pick(g, []term.Term{term.Typed("0", term.XSDInteger), term.Typed("1", term.XSDInteger), term.Typed("1.0", term.XSDDecimal), term.Typed("false", term.XSDBoolean), term.Typed("a", "")})
	var c syntax.Expr = syntax.Compare{Left: syntax.Ref{Var: g.name()}, Right: syntax.Ref{Term: constant}, Sign: pick(g, []string{"<", ">", "<=", ">=", "="})}
	switch g.IntN(4) {
	case 0:
		c = syntax.Not{Of: c}
	case 1:
		c = syntax.Or{Of: []syntax.Expr{c, syntax.Call{Name: "ISNUMERIC", Args: []syntax.Expr{syntax.Ref{Var: g.name()}}}}}
	}
	return syntax.Filter{Condition: c}
}

func (g *Generator) condition(depth int) syntax.Expr {
	if g.whole && g.IntN(2) == 0 {
		return g.truth(2)
	}
	choice := g.IntN(9)
	if depth == 0 {
		choice = g.IntN(4)
	}
	switch choice {
	case 0, 1, 2:
		return syntax.Compare{Left: g.ref(1), Right: g.ref(6), Sign: pick(g, []string{"=", "!="})}
	case 3:
		in := syntax.In{Left: g.ref(0), Not: g.IntN(2) == 0}
		for range 1 + g.IntN(3) { // Oxigraph takes NOT IN () for an error
			in.List = append(in.List, g.ref(8))
		}
		return in
	case 4:
		return syntax.And{Of: []syntax.Expr{g.condition(depth - 1), g.condition(depth - 1)}}
	case 5:
		return syntax.Or{Of: []syntax.Expr{g.condition(depth - 1), g.condition(depth - 1)}}
	case 6:
		return syntax.Not{Of: g.condition(depth - 1)}
	}
	g.exists++
	defer func() { g.exists-- }()
	return syntax.Exists{Of: g.group(depth - 1), Not: g.IntN(3) > 0}
}
