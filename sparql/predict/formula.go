package predict

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
	"github.com/lacuna-kg/lacuna/sparql/limit"
	"github.com/lacuna-kg/lacuna/sparql/syntax"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// mapper turns patterns into formulas of first-order logic over the same
// variables: a group is a conjunction, UNION ∨, MINUS and NOT EXISTS ¬∃, a path a
// chain of atoms. As sets of solutions they agree, because everything is refused
// whose meaning depends on a variable that only some solutions bind.
type mapper struct {
	meter      *limit.Meter
	graph      *kg.Graph
	vocabulary *kg.Vocabulary // of it
	asked      *syntax.Query
	fresh      int
}

// names is a set of variables.
type names map[string]bool

func (n names) add(all ...string) {
	for _, name := range all {
		n[name] = true
	}
}

func (n names) include(m names) {
	for name := range m {
		n[name] = true
	}
}

// eitherOf is the union of two sets; unlike include it leaves them as they are.
func eitherOf(a, b names) names {
	both := names{}
	both.include(a)
	both.include(b)
	return both
}

// pattern is a formula with the variables that its solutions bind, always or sometimes.
type pattern struct {
	formula           query.Formula
	certain, possible names
}

func newPattern() pattern { return pattern{certain: names{}, possible: names{}} }

// query maps a whole query. VALUES after the pattern are joined with it like a part of it.
func (m *mapper) query(q *syntax.Query) (pattern, error) {
	if q.Values == nil {
		return m.group(q.Where, names{})
	}
	return m.group(&syntax.Group{Of: []syntax.Pattern{q.Where, q.Values}}, names{})
}

// group maps a group; given are the variables that an EXISTS around it has values for.
func (m *mapper) group(g *syntax.Group, given names) (pattern, error) {
	whole := newPattern()
	var of []query.Formula
	var filters []syntax.Filter
	for _, element := range g.Of {
		if f, ok := element.(syntax.Filter); ok {
			filters = append(filters, f)
			continue
		}
		p, err := m.element(element, whole, given)
		if err != nil {
			return pattern{}, err
		}
		of = append(of, p.formula)
		whole.certain.include(p.certain)
		whole.possible.include(p.possible)
	}
	for _, f := range filters { // they hold for the group as a whole
		condition, err := m.condition(f.Condition, whole, given)
		if err != nil {
			return pattern{}, err
		}
		of = append(of, condition)
	}
	whole.formula = query.And{Of: of}
	return whole, nil
}

// element maps a part of a group that is no filter; before is what stands before it.
func (m *mapper) element(element syntax.Pattern, before pattern, given names) (pattern, error) {
	switch e := element.(type) {
	case syntax.Triple:
		return m.triple(e)
	case *syntax.Group:
		return m.group(e, given)
	case syntax.Union:
		return m.union(e, given)
	case syntax.Minus:
		f, err := m.minus(e, before, given)
		return pattern{formula: f}, err
	case *syntax.Values:
		return m.values(e)
	case syntax.Optional:
		return pattern{}, unmapped(e.Pos, "OPTIONAL within another part of the pattern")
	case syntax.Bind:
		return pattern{}, unmapped(e.Pos, "BIND within another part of the pattern")
	case syntax.SubSelect:
		return pattern{}, unmapped(e.Pos, "a SELECT within a pattern")
	case syntax.Graph:
		return pattern{}, ofUnion(e.Pos, "GRAPH")
	}
	return pattern{}, syntax.Errorf(element.(syntax.Service).Pos, "SERVICE cannot be predicted: other servers give no probabilities")
}

func (m *mapper) union(u syntax.Union, given names) (pattern, error) {
	var of []query.Formula
	var whole pattern
	for i, g := range u.Of {
		p, err := m.group(g, given)
		if err != nil {
			return pattern{}, err
		}
		of = append(of, p.formula)
		if i == 0 {
			whole = p
			continue
		}
		for name := range whole.certain {
			if !p.certain[name] {
				delete(whole.certain, name)
			}
		}
		whole.possible.include(p.possible)
	}
	whole.formula = query.Or{Of: of}
	return whole, nil
}

// minus maps MINUS {…}: what shares no variable takes nothing away.
func (m *mapper) minus(e syntax.Minus, before pattern, given names) (query.Formula, error) {
	right, err := m.group(e.Of, given)
	if err != nil {
		return nil, err
	}
	shared := names{}
	for _, name := range slices.Sorted(maps.Keys(right.possible)) {
		if !before.possible[name] || given[name] {
			continue
		}
		if !before.certain[name] || !right.certain[name] {
			return nil, syntax.Errorf(e.Pos, "?%s is not bound by every solution on both sides of MINUS, which mode=predict needs; mode=exact answers it", name)
		}
		shared.add(name)
	}
	if len(shared) == 0 {
		return query.And{}, nil
	}
	return query.Not{Of: quantified(right, eitherOf(shared, given))}, nil
}

// quantified says that there are values for the variables of a pattern that are not outside it.
func quantified(p pattern, outside names) query.Formula {
	var local []string
	for name := range p.possible {
		if !outside[name] {
			local = append(local, name)
		}
	}
	slices.Sort(local)
	return existsOf(local, p.formula)
}

func existsOf(local []string, f query.Formula) query.Formula {
	if len(local) == 0 {
		return f
	}
	vars := make([]query.Variable, len(local))
	for i, name := range local {
		vars[i] = query.Variable{Name: name}
	}
	return query.Exists{Vars: vars, Body: f}
}

// values maps VALUES; each of its terms must be an entity, as it is an answer by itself.
func (m *mapper) values(v *syntax.Values) (pattern, error) {
	p := newPattern()
	p.certain.add(v.Vars...)
	p.possible.add(v.Vars...)
	var rows []query.Formula
	for _, terms := range v.Rows {
		var row []query.Formula
		for i, t := range terms {
			if t.Kind == term.Unbound {
				delete(p.certain, v.Vars[i])
				continue
			}
			if _, err := m.term(syntax.Ref{Term: t, Pos: v.Pos}); err != nil {
				return p, err
			}
			row = append(row, m.equals(syntax.Ref{Var: v.Vars[i], Pos: v.Pos}, t))
		}
		rows = append(rows, query.And{Of: row})
	}
	p.formula = query.Or{Of: rows}
	return p, nil
}

// equals says that a variable is a term; false where the graph has no such entity.
func (m *mapper) equals(r syntax.Ref, t term.Term) query.Formula {
	e, known := term.FindEntity(m.vocabulary, t)
	if !known {
		return query.Or{}
	}
	return query.Equals{Left: query.Variable{Name: r.Var, Pos: r.Pos}, Right: constant(e, t, r.Pos)}
}

func constant(e kg.Entity, t term.Term, at syntax.Pos) query.Constant {
	return query.Constant{Name: query.Name{Text: t.String(), ID: uint32(e), ByID: true, Pos: at}}
}

// triple maps a triple. The order of the terms in errors is that of the text.
func (m *mapper) triple(t syntax.Triple) (pattern, error) {
	p := newPattern()
	for _, r := range []syntax.Ref{t.Subject, t.Object} {
		if r.Of != nil || r.Term.Kind == term.Triple {
			return p, syntax.Errorf(t.Pos, "triple terms cannot be predicted: mode=exact answers what the graph says of them")
		}
		if r.Var != "" {
			p.certain.add(r.Var)
			p.possible.add(r.Var)
		}
	}
	if term.IsLabel(m.vocabulary, syntax.Predicate(t.Path)) {
		return m.label(t)
	}
	if step, ok := t.Path.(syntax.Step); ok && step.Var != "" {
		return p, syntax.Errorf(t.Pos, "the variable ?%s as a predicate cannot be predicted: mode=exact answers it", step.Var)
	}
	from, err := m.term(t.Subject)
	if err != nil {
		return p, err
	}
	to, err := m.term(t.Object)
	if err != nil {
		return p, err
	}
	p.formula, err = m.path(from, t.Path, to)
	return p, err
}

func (m *mapper) term(r syntax.Ref) (query.Term, error) {
	if r.Var != "" {
		return query.Variable{Name: r.Var, Pos: r.Pos}, nil
	}
	e, known := term.FindEntity(m.vocabulary, r.Term)
	if !known {
		return nil, Unknown(m.vocabulary, r, false)
	}
	return constant(e, r.Term, r.Pos), nil
}

// Unknown refuses a name that the graph lacks, of an entity or a relation: nothing could be predicted of it.
func Unknown(v *kg.Vocabulary, r syntax.Ref, relation bool) error {
	kind, in, termOf := "entity", v.Entities, term.OfEntity
	if relation {
		kind, in, termOf = "relation", v.Relations, term.OfRelation
	}
	var near []string
	for _, name := range query.Suggest(in, r.Term.PlainName()) {
		for _, id := range in.Find(name) {
			near = append(near, termOf(in.Names.At(id)).String())
		}
	}
	hint := ""
	if len(near) > 0 {
		hint = fmt.Sprintf(" (did you mean %s?)", strings.Join(near[:min(3, len(near))], " or "))
	}
	return kg.ErrorAt(kg.NotFound, syntax.Place(r.Pos), "no %s %v in the graph%s", kind, r.Term, hint)
}

// path maps a property path between two terms; what lies between is a variable of its own.
func (m *mapper) path(from query.Term, path syntax.Path, to query.Term) (query.Formula, error) {
	switch path := path.(type) {
	case syntax.Inverse:
		return m.path(to, path.Of, from)
	case syntax.Alternative:
		of := make([]query.Formula, len(path.Of))
		for i, part := range path.Of {
			var err error
			if of[i], err = m.path(from, part, to); err != nil {
				return nil, err
			}
		}
		return query.Or{Of: of}, nil
	case syntax.Sequence:
		return m.sequence(from, path.Of, to)
	}
	step, single := path.(syntax.Step)
	if !single {
		return nil, kg.Errorf(kg.Invalid, "sparql", "the path %s has no fixed length, and cannot be predicted: mode=exact answers it", syntax.FormatPath(path))
	}
	if term.IsLabel(m.vocabulary, step.Term) {
		return nil, syntax.ErrLabelInPath(step)
	}
	base, known := term.FindRelation(m.vocabulary, step.Term)
	if !known {
		return nil, Unknown(m.vocabulary, step.Ref, true)
	}
	name := query.Name{Text: step.Term.String(), ID: uint32(kg.Forward(base)), ByID: true, Pos: step.Pos}
	return query.Atom{Relation: query.RelationName{Name: name}, From: from, To: to, Pos: step.Pos}, nil
}

func (m *mapper) sequence(from query.Term, of []syntax.Path, to query.Term) (query.Formula, error) {
	if len(of) == 1 {
		return m.path(from, of[0], to)
	}
	m.fresh++
	between := query.Variable{Name: fmt.Sprintf("(path %d)", m.fresh)} // a name that no query can have
	first, err := m.path(from, of[0], between)
	if err != nil {
		return nil, err
	}
	rest, err := m.sequence(between, of[1:], to)
	return query.Exists{Vars: []query.Variable{between}, Body: query.And{Of: []query.Formula{first, rest}}}, err
}
