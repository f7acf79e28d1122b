package algebra

import (
	"fmt"

	"github.com/lacuna-kg/lacuna/sparql/syntax"
)

// Translate gives the operators of a query, by the letter of section 18.2. It refuses
// functions that nobody knows.
func Translate(q *syntax.Query) (*Query, error) {
	asks, err := refuse(q)
	if err != nil {
		return nil, err
	}
	s := newScope(&names{}, q.Base)
	out := &Query{Form: q.Form, Base: q.Base, Asks: asks}
	where := q.Where
	if where == nil { // DESCRIBE of names
		where = &syntax.Group{}
	}
	pattern := s.group(where)
	switch q.Form {
	case syntax.SelectForm:
		for _, name := range q.Columns() {
			out.Columns = append(out.Columns, Column{name, s.variable(name)})
		}
	case syntax.DescribeForm:
		out.Describe = s.described(q)
	}
	out.Pattern = s.modified(q, pattern)
	if q.Form == syntax.ConstructForm {
		out.Template = s.template(q.Template)
	}
	out.Names = *s.all
	return out, nil
}

// names are those of all variables of a query by their numbers. Those of a SELECT within
// it that it does not give have numbers of their own.
type names []string

// scope numbers the variables of one SELECT as it meets them.
type scope struct {
	all     *names
	numbers map[string]int
	base    string
}

func newScope(all *names, base string) *scope { return &scope{all, map[string]int{}, base} }

func (s *scope) variable(name string) int {
	v, known := s.numbers[name]
	if !known {
		v = len(*s.all)
		s.numbers[name] = v
		*s.all = append(*s.all, name)
	}
	return v
}

// fresh is a variable that no query can name.
func (s *scope) fresh(what string) int { return s.variable(fmt.Sprintf("(%s %d)", what, len(*s.all))) }

func (s *scope) slot(r syntax.Ref) Slot {
	if r.Var != "" {
		return Slot{Var: s.variable(r.Var)}
	}
	return Slot{Var: -1, Term: r.Term}
}

// group joins elements in their order; MINUS takes from what stands before it, OPTIONAL and
// BIND add to it, and filters hold for the group as a whole.
func (s *scope) group(g *syntax.Group) Op {
	pattern, conditions := s.parts(g)
	if len(conditions) == 0 {
		return pattern
	}
	return newFilter(pattern, conditions)
}

// parts are a group without its filters, and those.
func (s *scope) parts(g *syntax.Group) (Op, []Expr) {
	var parts []Op
	var conditions []Expr
	for _, element := range g.Of {
		switch e := element.(type) {
		case syntax.Triple:
			parts = append(parts, s.triples(e)...)
		case *syntax.Group:
			parts = append(parts, s.group(e))
		case syntax.Union:
			parts = append(parts, s.union(e))
		case syntax.Optional:
			right, under := s.parts(e.Of)
			parts = []Op{newLeftJoin(newJoin(parts), right, under)}
		case syntax.Minus:
			parts = []Op{newMinus(newJoin(parts), s.group(e.Of))}
		case syntax.Filter:
			conditions = append(conditions, s.conjuncts(e.Condition)...)
		case syntax.Bind:
			of := s.expression(e.Of)
			parts = []Op{newExtend(newJoin(parts), []Binding{{s.variable(e.Var), of}})}
		case *syntax.Values:
			parts = append(parts, s.table(e))
		case syntax.Graph:
			parts = append(parts, newGraphOf(s.slot(e.Name), s.group(e.Of)))
		case syntax.Service:
			parts = append(parts, s.service(e))
		case syntax.SubSelect:
			parts = append(parts, s.subSelect(e.Query))
		}
	}
	return newJoin(parts), conditions
}

// triple is one of a template.
func (s *scope) triple(e syntax.Triple) Triple {
	triple := Triple{Subject: s.templateSlot(e.Subject), Object: s.templateSlot(e.Object), Predicate: -1, Path: e.Path}
	if step, ok := e.Path.(syntax.Step); ok && step.Var != "" {
		triple.Predicate, triple.Path = s.variable(step.Var), nil
	}
	return triple
}

// path takes sequences and inverses apart, as section 18.2.2.4 has it: x a/b y is x a ?v . ?v b y, and
// x ^a y is y a x.
func (s *scope) path(t Triple) []Triple {
	switch path := t.Path.(type) {
	case syntax.Inverse:
		return s.path(Triple{Subject: t.Object, Object: t.Subject, Predicate: -1, Path: path.Of})
	case syntax.Sequence:
		var all []Triple
		from := t.Subject
		for i, part := range path.Of {
			to := t.Object
			if i < len(path.Of)-1 {
				to = Slot{Var: s.fresh("path")}
			}
			all = append(all, s.path(Triple{Subject: from, Object: to, Predicate: -1, Path: part})...)
			from = to
		}
		return all
	}
	return []Triple{t}
}

func (s *scope) union(u syntax.Union) Op {
	return newUnion(mapped(u.Of, s.group))
}

func (s *scope) table(v *syntax.Values) Op { return newTable(mapped(v.Vars, s.variable), v.Rows) }

// service sends the text of a group as it is.
func (s *scope) service(e syntax.Service) Op {
	q := &syntax.Query{Where: e.Of}
	names := q.Visible()
	return newService(Service{
		Name: s.slot(e.Name), Silent: e.Silent, Base: s.base, Group: e.Of.String(), Vars: mapped(names, s.variable), Names: names, Pos: e.Pos,
	})
}

// subSelect shares with the pattern around it the variables that it gives.
func (s *scope) subSelect(q *syntax.Query) Op {
	inner := newScope(s.all, s.base)
	for _, name := range q.Columns() {
		inner.numbers[name] = s.variable(name)
	}
	return inner.modified(q, inner.group(q.Where))
}

// template has the triples that CONSTRUCT makes. Its blank nodes are not those of the pattern.
func (s *scope) template(triples []syntax.Triple) []Triple {
	for name := range s.numbers {
		if syntax.IsAnonymous(name) {
			delete(s.numbers, name)
		}
	}
	return mapped(triples, s.triple)
}

// templateSlot is a node of a template; a triple term is made of its parts.
func (s *scope) templateSlot(r syntax.Ref) Slot {
	if r.Of == nil {
		return s.slot(r)
	}
	parts := [3]Slot{s.templateSlot(r.Of[0]), s.templateSlot(r.Of[1]), s.templateSlot(r.Of[2])}
	return Slot{Var: -1, Of: &parts}
}

func (s *scope) described(q *syntax.Query) []Slot {
	if q.Star {
		return mapped(q.Visible(), func(name string) Slot { return Slot{Var: s.variable(name)} })
	}
	return mapped(q.Describe, s.slot)
}
