package sparqltest

import (
	"maps"
	"slices"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/sparql/function"
	"github.com/lacuna-kg/lacuna/sparql/syntax"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// Plain answers queries as section 18 of the recommendation defines them, from the parsed text and from the
// inside out: every pattern by itself, in full, then joined row by row. It shares with package eval what functions mean,
// and nothing else; it is for small graphs, and settles which of two engines is right.
type Plain struct {
	triples [][3]term.Term
	nodes   []term.Term
	env     function.Env
	work    int // rows that may still be combined
}

// row is a solution: the values of the variables that have one.
type row = map[string]term.Term

// NewPlain takes the facts of a graph.
func NewPlain(g *kg.Graph) *Plain {
	var triples [][3]term.Term
	for f := range g.Triples() {
		triples = append(triples, [3]term.Term{term.OfEntity(g.Entities.Names.At(uint32(f.Head))),
			term.OfRelation(g.Relations.Names.At(f.Relation.Base())), term.OfEntity(g.Entities.Names.At(uint32(f.Tail)))})
	}
	return plainOf(triples)
}

func plainOf(triples [][3]term.Term) *Plain {
	p := &Plain{triples: triples, work: 3_000_000}
	seen := map[term.Term]bool{}
	for _, t := range p.triples {
		for _, node := range []term.Term{t[0], t[2]} {
			if !seen[node] {
				seen[node] = true
				p.nodes = append(p.nodes, node)
			}
		}
	}
	return p
}

// Answer gives the solutions of SELECT, or the truth of ASK; ok is false where that takes too long, or the query cuts its
// solutions by an order, which leaves open which ones they are.
func (p *Plain) Answer(q *syntax.Query) (s Solutions, ok bool) {
	if q.Form > syntax.AskForm || q.Limit >= 0 || q.Offset > 0 {
		return s, false
	}
	if q.Form == syntax.AskForm {
		s = Solutions{Ask: true, Truth: len(p.group(q.Where, nil)) > 0}
	} else {
		s = Solutions{Vars: q.Columns(), Rows: p.selected(q, nil)}
	}
	return s, p.work > 0
}

// group joins the elements of a group in their order; its filters hold for the whole of it (18.2.2). The values that are given
// stand in the place of variables (18.6): those are no variables of the rows.
func (p *Plain) group(g *syntax.Group, given row) []row {
	rows, conditions := p.parts(g, given)
	return slices.DeleteFunc(rows, func(r row) bool { return !p.hold(conditions, r, given) })
}

// parts are the rows of a group before its filters, and those.
func (p *Plain) parts(g *syntax.Group, given row) (rows []row, conditions []syntax.Expr) {
	rows = []row{{}}
	for _, element := range g.Of {
		switch e := element.(type) {
		case syntax.Triple:
			rows = p.join(rows, p.triple(e, given))
		case *syntax.Group:
			rows = p.join(rows, p.group(e, given))
		case syntax.Union:
			var all []row
			for _, of := range e.Of {
				all = append(all, p.group(of, given)...)
			}
			rows = p.join(rows, all)
		case syntax.Optional:
			right, under := p.parts(e.Of, given)
			rows = p.leftJoin(rows, right, under, given)
		case syntax.Minus:
			rows = p.minus(rows, p.group(e.Of, given))
		case syntax.Filter:
			conditions = append(conditions, e.Condition)
		case syntax.Bind:
			for _, r := range rows {
				p.extend(r, e.Var, e.Of, given)
			}
		case *syntax.Values:
			rows = p.join(rows, table(e, given))
		case syntax.SubSelect:
			rows = p.join(rows, p.selected(e.Query, given))
		}
	}
	return rows, conditions
}

// merged are two rows as one, if they agree.
func merged(a, b row) (row, bool) {
	for name, value := range a {
		if other, both := b[name]; both && other != value {
			return nil, false
		}
	}
	out := maps.Clone(a)
	maps.Copy(out, b)
	return out, true
}

func (p *Plain) join(left, right []row) (out []row) {
	for _, a := range left {
		for _, b := range right {
			if p.work--; p.work <= 0 {
				return nil
			}
			if both, agree := merged(a, b); agree {
				out = append(out, both)
			}
		}
	}
	return out
}

func (p *Plain) leftJoin(left, right []row, conditions []syntax.Expr, given row) (out []row) {
	for _, a := range left {
		found := slices.DeleteFunc(p.join([]row{a}, right), func(r row) bool { return !p.hold(conditions, r, given) })
		if len(found) == 0 {
			found = []row{a}
		}
		out = append(out, found...)
	}
	return out
}

// minus keeps the rows that no other both agrees with and shares a variable with.
func (p *Plain) minus(left, right []row) []row {
	return slices.DeleteFunc(left, func(a row) bool {
		return slices.ContainsFunc(right, func(b row) bool {
			p.work--
			_, agree := merged(a, b)
			return agree && shares(a, b)
		})
	})
}

func shares(a, b row) bool {
	for name := range a {
		if _, both := b[name]; both {
			return true
		}
	}
	return false
}

func (p *Plain) extend(r row, name string, of syntax.Expr, given row) {
	if value, ok := p.value(of, r, given); ok {
		r[name] = value
	}
}

// table are the rows of VALUES that agree with what is given.
func table(v *syntax.Values, given row) (out []row) {
rows:
	for _, values := range v.Rows {
		r := row{}
		for i, value := range values {
			fixed, isGiven := given[v.Vars[i]]
			switch {
			case value.Kind == term.Unbound:
			case isGiven && fixed != value:
				continue rows
			case !isGiven:
				r[v.Vars[i]] = value
			}
		}
		out = append(out, r)
	}
	return out
}
