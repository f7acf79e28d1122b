package predict

import (
	"fmt"
	"maps"
	"slices"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
	"github.com/lacuna-kg/lacuna/sparql/syntax"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// Labels in the predict mode are no links that could be missing. ?x rdfs:label "Rome"
// says which entity is meant; ?x rdfs:label ?l beside the pattern adds a column to the
// results and asks nothing of the model.

// labelColumns are the variables of labels, each with the variable of what bears it.
type labelColumns map[string]string

// takeLabels gives a query without the triples of its pattern that add labels to the results, or to what is computed for them.
func takeLabels(q *syntax.Query, needed []string, v *kg.Vocabulary) (*syntax.Query, labelColumns, error) {
	rest, columns := *q, labelColumns{}
	rest.Where = &syntax.Group{Pos: q.Where.Pos}
	for _, element := range q.Where.Of {
		t, ok := element.(syntax.Triple)
		if !ok || !term.IsLabel(v, syntax.Predicate(t.Path)) || t.Object.Var == "" {
			rest.Where.Of = append(rest.Where.Of, element)
			continue
		}
		if err := columns.add(needed, t); err != nil {
			return nil, nil, err
		}
	}
	var err error
	refuse := func(name string) {
		if _, isLabel := columns[name]; isLabel {
			err = kg.Errorf(kg.Invalid, "sparql", "?%s is a label: mode=predict can select it, and nothing else; mode=exact has no such limit", name)
		}
	}
	syntax.EachVar(rest.Where, refuse)
	if q.Values != nil {
		syntax.EachVar(&syntax.Group{Of: []syntax.Pattern{q.Values}}, refuse)
	}
	return &rest, columns, err
}

// add takes a triple whose object is to be a column.
func (c labelColumns) add(needed []string, t syntax.Triple) error {
	name := t.Object.Var
	switch {
	case !slices.Contains(needed, name):
		return syntax.Errorf(t.Pos, "the label ?%s is not selected: mode=predict needs that; mode=exact has no such limit", name)
	case t.Subject.Var == "" || c[name] != "":
		return syntax.Errorf(t.Pos, "expected one variable that ?%s is the label of; mode=exact has no such limit", name)
	}
	c[name] = t.Subject.Var
	return nil
}

// apart refuses a label of what may be unbound.
func (c labelColumns) apart(optionals []optional) error {
	for _, name := range slices.Sorted(maps.Keys(c)) {
		for _, o := range optionals {
			if o.adds[c[name]] {
				return syntax.Errorf(o.pos, "?%s is the label of ?%s, which OPTIONAL may leave unbound; that cannot be predicted: mode=exact answers it", name, c[name])
			}
		}
	}
	return nil
}

// bearers puts those who bear a label in the place of the label, each once.
func (c labelColumns) bearers(columns []string) []string {
	var names []string
	for _, name := range columns {
		if bearer, isLabel := c[name]; isLabel {
			name = bearer
		}
		names = appendNew(names, name)
	}
	return names
}

// labelled gives every assignment the labels that the query wants of its entities: one
// for each of them, and none where an entity has none.
func (p *prediction) labelled(all []assignment) []assignment {
	stated := p.graph.LabelTriples()
	for _, column := range slices.Sorted(maps.Keys(p.labels)) {
		var more []assignment
		for _, a := range all {
			for _, literal := range stated.Of(a.values[p.labels[column]]) {
				with := maps.Clone(a.values)
				with[column] = literal
				more = append(more, assignment{with, a.degree, a.known, a.rules})
			}
		}
		all = more
	}
	return all
}

// label maps a triple that says what something is called: the entities of that label.
func (m *mapper) label(t syntax.Triple) (pattern, error) {
	p := newPattern()
	if t.Object.Var != "" {
		return p, syntax.Errorf(t.Pos, "the label ?%s can only be selected by mode=predict: expected its triple among those of the outermost group; mode=exact has no such limit", t.Object.Var)
	}
	bearers := m.bearers(t.Object.Term)
	if len(bearers) == 0 {
		return p, m.unknownLabel(t.Object)
	}
	if t.Subject.Var == "" {
		e, _ := term.FindEntity(m.vocabulary, t.Subject.Term)
		if !slices.Contains(bearers, e) {
			p.formula = query.Or{} // false
			return p, nil
		}
		p.formula = query.And{}
		return p, nil
	}
	p.certain.add(t.Subject.Var)
	p.possible.add(t.Subject.Var)
	of := make([]query.Formula, len(bearers))
	for i, e := range bearers {
		of[i] = query.Equals{Left: query.Variable{Name: t.Subject.Var, Pos: t.Subject.Pos}, Right: constant(e, t.Object.Term, t.Object.Pos)}
	}
	p.formula = query.Or{Of: of}
	return p, nil
}

// bearers are the entities that a literal is the label of.
func (m *mapper) bearers(t term.Term) (all []kg.Entity) {
	stated := m.vocabulary.LabelTriples()
	literal, known := term.FindEntity(m.vocabulary, t)
	if !known {
		id, isLabel := term.FindName(stated.Extra(), t)
		literal, known = kg.FirstExtra+kg.Entity(id), isLabel
	}
	if !known {
		return nil
	}
	for _, bearer := range stated.Bearers(literal) {
		if bearer < kg.FirstExtra { // others have no facts that could be asked for
			all = append(all, bearer)
		}
	}
	return all
}

func (m *mapper) unknownLabel(r syntax.Ref) error {
	hint := ""
	if near := query.Suggest(m.vocabulary.Entities, r.Term.Value); len(near) > 0 {
		hint = fmt.Sprintf(" (did you mean %s?)", m.asStated(near[0]))
	}
	return kg.ErrorAt(kg.NotFound, syntax.Place(r.Pos), "no entity has the label %v%s", r.Term, hint)
}

// asStated is a readable name with the language in which it is stated.
func (m *mapper) asStated(label string) string {
	stated := m.vocabulary.LabelTriples()
	for _, id := range m.vocabulary.Entities.Find(label) {
		for _, literal := range stated.Of(kg.Entity(id)) {
			if name := stated.Name(m.vocabulary.Entities.Names, literal); term.OfEntity(name).Value == label {
				return name
			}
		}
	}
	return fmt.Sprintf("%q", label)
}
