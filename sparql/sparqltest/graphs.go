package sparqltest

import (
	"github.com/lacuna-kg/lacuna/sparql/syntax"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// Construct draws a CONSTRUCT, with a template of its own or that of its pattern.
func (g *Generator) Construct() *syntax.Query {
	q := &syntax.Query{Form: syntax.ConstructForm, Limit: -1, Where: g.group(2), Template: g.template(3)}
	if g.IntN(4) == 0 {
		q.Where = &syntax.Group{}
		for _, t := range q.Template {
			q.Where.Of = append(q.Where.Of, t)
		}
	}
	if g.IntN(6) == 0 {
		q.Values = g.values()
	}
	return q
}

// Update draws a request of one to three operations.
func (g *Generator) Update() *syntax.Update {
	u := &syntax.Update{}
	for range 1 + g.IntN(3) {
		u.Operations = append(u.Operations, g.operation())
	}
	return u
}

func (g *Generator) operation() (o syntax.Operation) {
	switch g.IntN(6) {
	case 0:
		o.Insert = g.data()
	case 1:
		o.Delete = g.data()
	case 2: // DELETE WHERE
		o.Delete = g.template(2)
		o.Where = &syntax.Group{}
		for _, t := range o.Delete {
			o.Where.Of = append(o.Where.Of, t)
		}
	default:
		o.Where = g.group(2)
		if g.IntN(3) > 0 {
			o.Delete = g.template(2)
		}
		if o.Delete == nil || g.IntN(3) > 0 {
			o.Insert = g.template(2)
		}
	}
	return o
}

// template draws triples with variables; some of their solutions are no triples of RDF.
func (g *Generator) template(most int) (triples []syntax.Triple) {
	for range 1 + g.IntN(most) {
		predicate := syntax.Ref{Term: pick(g, g.predicates)}
		if g.IntN(5) == 0 {
			predicate = syntax.Ref{Var: pick(g, []string{"p", "x", "y"})}
		}
		triples = append(triples, syntax.Triple{Subject: g.subject(), Path: syntax.Step{Ref: predicate}, Object: g.ref(3)})
	}
	return triples
}

// data draws triples without variables.
func (g *Generator) data() (triples []syntax.Triple) {
	for range 1 + g.IntN(3) {
		subject := g.subject()
		for subject.Var != "" {
			subject = g.subject()
		}
		triples = append(triples, syntax.Triple{Subject: subject, Path: syntax.Step{Ref: syntax.Ref{Term: pick(g, g.predicates)}}, Object: syntax.Ref{Term: pick(g, g.nodes)}})
	}
	return triples
}

// subject draws a variable, or a term that is no literal.
func (g *Generator) subject() syntax.Ref {
	r := g.ref(3)
	for r.Term.Kind == term.Literal {
		r = g.ref(3)
	}
	return r
}
