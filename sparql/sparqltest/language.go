package sparqltest

import (
	"fmt"
	"slices"

	"github.com/lacuna-kg/lacuna/internal/rdf"
	"github.com/lacuna-kg/lacuna/sparql/syntax"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// NewLanguageGenerator gives a generator of queries of the whole language, on graphs with
// literals of more types. Left out is what has more than one right answer (LIMIT, SAMPLE,
// RAND and the like), and where Oxigraph goes its own way: it writes
// doubles anew, subtracts dates, takes SUBSTR from 0 on for an error, and rounds -1.5 to -2 where
// XPath has -1.
func NewLanguageGenerator(seed uint64) *Generator {
	g := NewGenerator(seed)
	g.whole = true
	// Of literals of unknown types Oxigraph compares some and not others; and it takes the
	// subjects of a path without steps for no literals, so that numbers would not equal by value.
	g.nodes = slices.DeleteFunc(g.nodes, func(t term.Term) bool {
		return t.Datatype == "http://example.org/type" || t.Datatype == term.XSDDecimal
	})
	g.nodes = append(g.nodes,
		term.Typed("2", term.XSDInteger), term.Typed("-3", term.XSDInteger), term.Typed("2.5", term.XSDDecimal), term.Typed("3", term.XSDDouble),
		term.Typed("abc", ""), term.Typed("", ""), term.Typed("12", ""), term.Term{Kind: term.Literal, Value: "ab", Language: "en-gb"},
		term.Typed("false", term.XSDBoolean))
	return g
}

// NewFreeGenerator is that of the whole language without regard to Oxigraph.
func NewFreeGenerator(seed uint64) *Generator {
	g := NewLanguageGenerator(seed)
	g.free = true
	g.nodes = append(g.nodes, term.Typed("x", "http://example.org/type"), term.Typed("1", term.XSDDecimal), term.Typed("1.0", term.XSDDecimal), term.Typed("-1.5", term.XSDDouble),
		term.Typed("NaN", term.XSDDouble), term.Typed("2", rdf.XSD+"float"), term.Typed("300", rdf.XSD+"byte"), term.Typed("2001-02-03T04:05:06Z", rdf.XSD+"dateTime"),
		term.Typed("2001-02-03T05:05:06+01:00", rdf.XSD+"dateTime"), term.Typed("2001-02-03T04:05:06", rdf.XSD+"dateTime"), term.Typed("2001-02-03", rdf.XSD+"date"), term.Typed("1", term.XSDBoolean))
	return g
}

// newElement draws what the smaller language lacks.
func (g *Generator) newElement(depth int) syntax.Pattern {
	switch g.IntN(5) {
	case 0, 1:
		return syntax.Optional{Of: unwrapped(g.group(depth))}
	case 2:
		return syntax.Filter{Condition: g.truth(2)}
	case 3:
		if g.exists == 0 {
			return &syntax.Group{Of: []syntax.Pattern{syntax.SubSelect{Query: g.subSelect(depth)}}}
		}
	}
	g.bound++
	return syntax.Bind{Of: g.expression(2), Var: fmt.Sprintf("b%d", g.bound)}
}

// unwrapped takes the braces off a group that is all of another: the filters of OPTIONAL { { … } } do
// not see what stands before it (section 18.2.2.6 comes before 18.2.2.8), but Oxigraph's do.
func unwrapped(group *syntax.Group) *syntax.Group {
	for len(group.Of) == 1 {
		inner, ok := group.Of[0].(*syntax.Group)
		if !ok {
			break
		}
		group = inner
	}
	return group
}

func (g *Generator) newSteps(depth int) syntax.Path {
	if depth == 0 || g.IntN(3) == 0 {
		return g.negated()
	}
	return syntax.Repeated{Of: g.steps(depth - 1), Mark: pick(g, []string{"*", "+", "?"})}
}

// negated leaves one predicate, in one direction: of several links between two nodes Oxigraph
// counts one or all, depending on what is known of the nodes.
func (g *Generator) negated() syntax.Path {
	if g.free {
		n := syntax.Negated{}
		for range g.IntN(4) {
			n.Of = append(n.Of, syntax.NegatedStep{Step: syntax.Step{Ref: syntax.Ref{Term: pick(g, append(g.predicates, unknownIRI))}}, Inverse: g.IntN(2) == 0})
		}
		return n
	}
	n, inverse, left := syntax.Negated{}, g.IntN(3) == 0, g.IntN(len(g.predicates))
	for i, p := range g.predicates {
		if i != left {
			n.Of = append(n.Of, syntax.NegatedStep{Step: syntax.Step{Ref: syntax.Ref{Term: p}}, Inverse: inverse})
		}
	}
	return n
}

// subSelect draws a SELECT that is all of a group.
func (g *Generator) subSelect(depth int) *syntax.Query {
	q := &syntax.Query{Limit: -1, Where: g.group(depth), Distinct: g.IntN(3) == 0}
	if g.IntN(2) == 0 {
		g.groups(q)
		return q
	}
	g.columns(q)
	return q
}

// columns draws variables and perhaps an expression.
func (g *Generator) columns(q *syntax.Query) {
	names := []string{"x", "y", "z", "w"}
	g.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	for _, name := range names[:1+g.IntN(3)] {
		q.Select = append(q.Select, syntax.Projection{Var: name})
	}
	if g.IntN(3) == 0 {
		q.Select = append(q.Select, syntax.Projection{Var: g.fresh("e"), Of: g.expression(3)})
	}
}

func (g *Generator) fresh(letter string) string {
	g.bound++
	return fmt.Sprintf("%s%d", letter, g.bound)
}

// groups draws GROUP BY with aggregates. Without a key Oxigraph gives no row of a pattern that is
// empty from the outset.
func (g *Generator) groups(q *syntax.Query) {
	if g.free && g.IntN(3) == 0 {
		q.Select = append(q.Select, syntax.Projection{Var: g.fresh("a"), Of: g.aggregate()})
		return
	}
	key := g.name()
	q.GroupBy = []syntax.GroupKey{{Of: syntax.Ref{Var: key}}}
	q.Select = append(q.Select, syntax.Projection{Var: key})
	if g.IntN(4) == 0 {
		k := syntax.GroupKey{Of: g.expression(1), Var: g.fresh("k")}
		q.GroupBy = append(q.GroupBy, k)
		q.Select = append(q.Select, syntax.Projection{Var: k.Var})
	}
	for range 1 + g.IntN(2) {
		q.Select = append(q.Select, syntax.Projection{Var: g.fresh("a"), Of: g.aggregate()})
	}
	if g.IntN(4) == 0 {
		q.Having = []syntax.Expr{syntax.Compare{Left: g.aggregate(), Right: syntax.Ref{Term: term.Integer(g.IntN(3))}, Sign: pick(g, []string{"<", ">", ">="})}}
	}
}

func (g *Generator) aggregate() syntax.Expr {
	if g.free {
		return syntax.Aggregate{Name: pick(g, []string{"COUNT", "SUM", "AVG", "MIN", "MAX"}), Distinct: g.IntN(2) == 0, Of: g.expression(2)}
	}
	a := syntax.Aggregate{Name: pick(g, []string{"COUNT", "COUNT", "SUM", "AVG", "MIN", "MAX"}), Distinct: g.IntN(3) == 0, Of: syntax.Ref{Var: g.name()}}
	switch a.Name {
	case "COUNT":
		if !a.Distinct && g.IntN(2) == 0 {
			a.Of = nil
		}
	case "SUM", "AVG":
		a.Of = syntax.Call{Name: "STRLEN", Args: []syntax.Expr{g.text()}}
	default: // an order of all terms is not defined: of numbers it is
		a.Of = syntax.Call{Name: "STRLEN", Args: []syntax.Expr{g.text()}}
	}
	return a
}

// LanguageQuery draws a query of all of the language.
func (g *Generator) LanguageQuery() *syntax.Query {
	q := &syntax.Query{Limit: -1, Where: g.group(3)}
	switch g.IntN(6) {
	case 0:
		q.Form = syntax.AskForm
		return q
	case 1, 2:
		g.groups(q)
		return q
	}
	g.columns(q)
	q.Distinct = g.IntN(3) == 0
	if g.IntN(6) == 0 {
		q.Values = g.values()
	}
	return q
}

// truth draws what is asked for its truth. A text in a language has one by section 17.2.2, for it is a
// plain literal, but not for Oxigraph: what may be one is made a string.
func (g *Generator) truth(depth int) syntax.Expr {
	e := g.expression(depth)
	switch of := e.(type) {
	case syntax.Ref:
		if of.Var == "" && of.Term.Language == "" {
			return e
		}
	case syntax.Call:
		if !slices.Contains([]string{"IF", "COALESCE", "UCASE", "LCASE", "CONCAT", "SUBSTR", "REPLACE", "STRBEFORE", "STRAFTER"}, of.Name) {
			return e
		}
	default:
		return e
	}
	return syntax.Call{Name: "STR", Args: []syntax.Expr{e}}
}

// expression draws an expression that may have an error.
func (g *Generator) expression(depth int) syntax.Expr {
	if depth == 0 {
		return g.ref(3)
	}
	switch g.IntN(12) {
	case 0:
		if g.free {
			return syntax.Compare{Left: g.expression(depth - 1), Right: g.expression(depth - 1), Sign: pick(g, []string{"<", ">", "<=", ">="})}
		}
		// Of other values Oxigraph orders some that the recommendation does not, and truth values not at all.
		return syntax.Compare{Left: g.number(depth), Right: g.number(depth), Sign: pick(g, []string{"<", ">", "<=", ">="})}
	case 1:
		return syntax.Compare{Left: g.expression(depth - 1), Right: g.expression(depth - 1), Sign: pick(g, []string{"=", "!="})}
	case 2:
		return g.number(depth)
	case 3:
		return g.text()
	case 4:
		return syntax.Call{Name: "IF", Args: []syntax.Expr{g.truth(depth - 1), g.expression(depth - 1), g.expression(depth - 1)}}
	case 5:
		return syntax.Call{Name: "COALESCE", Args: []syntax.Expr{g.expression(depth - 1), g.expression(depth - 1)}}
	case 6:
		return syntax.And{Of: []syntax.Expr{g.truth(depth - 1), g.truth(depth - 1)}}
	case 7:
		return syntax.Or{Of: []syntax.Expr{g.truth(depth - 1), g.truth(depth - 1)}}
	case 8:
		return syntax.Not{Of: g.truth(depth - 1)}
	case 9:
		return syntax.Call{Name: "BOUND", Args: []syntax.Expr{syntax.Ref{Var: g.name()}}}
	case 10:
		in := syntax.In{Left: g.expression(depth - 1), Not: g.IntN(2) == 0}
		for range 1 + g.IntN(3) {
			in.List = append(in.List, g.expression(depth-1))
		}
		return in
	}
	return g.call(depth)
}

// call draws a function of terms.
func (g *Generator) call(depth int) syntax.Expr {
	one := func(name string, arg syntax.Expr) syntax.Expr {
		return syntax.Call{Name: name, Args: []syntax.Expr{arg}}
	}
	switch g.IntN(8) {
	case 0:
		return one(pick(g, []string{"ISIRI", "ISLITERAL", "ISBLANK", "ISNUMERIC"}), g.expression(depth-1))
	case 1:
		return one(pick(g, []string{"DATATYPE", "LANG"}), g.expression(depth-1))
	case 2:
		return syntax.Call{Name: pick(g, []string{"CONTAINS", "STRSTARTS", "STRENDS", "SAMETERM", "STRBEFORE", "STRAFTER"}), Args: []syntax.Expr{g.expression(depth - 1), g.expression(depth - 1)}}
	case 3:
		return one(pick(g, []string{"YEAR", "MONTH", "DAY", "HOURS", "MINUTES", "SECONDS", "TZ", "TIMEZONE"}), syntax.Ref{Term: term.Typed(pick(g, []string{"2001-02-03T04:05:06Z", "2001-12-31T23:59:59.25-05:30", "1999-01-01T00:00:00"}), rdf.XSD+"dateTime")})
	case 4:
		return one(pick(g, []string{"MD5", "SHA1", "SHA256", "ENCODE_FOR_URI"}), g.expression(depth-1))
	case 5:
		return syntax.Call{Name: "REGEX", Args: []syntax.Expr{g.text(), syntax.Ref{Term: term.Typed(pick(g, []string{"a", "^b", "[0-9]+", "B$"}), "")}, syntax.Ref{Term: term.Typed(pick(g, []string{"", "i"}), "")}}}
	case 6:
		return syntax.Call{Name: "LANGMATCHES", Args: []syntax.Expr{one("LANG", g.expression(depth-1)), syntax.Ref{Term: term.Typed(pick(g, []string{"*", "en", "en-GB"}), "")}}}
	}
	return syntax.FunctionCall{IRI: rdf.XSD + pick(g, []string{"string", "boolean", "integer", "decimal"}), Args: []syntax.Expr{g.expression(depth - 1)}}
}

// text draws a string, mostly one with a value.
func (g *Generator) text() syntax.Expr {
	str := syntax.Call{Name: "STR", Args: []syntax.Expr{g.ref(3)}}
	switch g.IntN(6) {
	case 0:
		return syntax.Call{Name: pick(g, []string{"UCASE", "LCASE"}), Args: []syntax.Expr{g.ref(3)}}
	case 1:
		return syntax.Call{Name: "CONCAT", Args: []syntax.Expr{str, g.ref(3)}}
	case 2:
		return syntax.Call{Name: "SUBSTR", Args: []syntax.Expr{str, syntax.Ref{Term: term.Integer(1 + g.IntN(4))}, syntax.Ref{Term: term.Integer(g.IntN(4))}}}
	case 3:
		return syntax.Call{Name: "REPLACE", Args: []syntax.Expr{str, syntax.Ref{Term: term.Typed(pick(g, []string{"a", "(b)", "[0-9]"}), "")}, syntax.Ref{Term: term.Typed(pick(g, []string{"", "<$0>", "x"}), "")}}}
	}
	return str
}

// number draws a number, mostly one with a value.
func (g *Generator) number(depth int) syntax.Expr {
	if depth == 0 {
		return g.ref(3)
	}
	switch g.IntN(6) {
	case 0:
		return syntax.Call{Name: "STRLEN", Args: []syntax.Expr{g.text()}}
	case 1:
		return syntax.Call{Name: pick(g, []string{"ABS", "CEIL", "FLOOR"}), Args: []syntax.Expr{g.number(depth - 1)}}
	case 2:
		return syntax.Signed{Of: g.number(depth - 1), Sign: pick(g, []string{"-", "+"})}
	}
	if g.free && g.IntN(6) == 0 {
		return syntax.Call{Name: "ROUND", Args: []syntax.Expr{g.number(depth - 1)}}
	}
	a := syntax.Arithmetic{Left: g.number(depth - 1), Right: g.number(depth - 1), Sign: pick(g, []string{"+", "-", "*", "/"})}
	if a.Sign == "/" && !g.free { // by a whole number: Oxigraph has no value for 0.0 / 2.5
		a.Right = syntax.Ref{Term: term.Integer(g.IntN(4))}
	}
	return a
}
