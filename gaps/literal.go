package gaps

import (
	"strings"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// literals tells which entities are numbers, dates or truth values.
func literals(g *kg.Graph) []bool {
	marks := make([]bool, g.NumEntities())
	for e := range marks {
		marks[e] = IsValue(g.Entities.Names.At(uint32(e)))
	}
	return marks
}

// IsValue tells whether a name is a number, a date or a truth value: something measured, not something that has facts of its own.
func IsValue(name string) bool {
	if !strings.HasPrefix(name, `"`) { // nearly all names
		return false
	}
	t := term.OfEntity(name)
	if t.Kind != term.Literal || t.Language != "" {
		return false
	}
	kind, isStandard := strings.CutPrefix(t.Datatype, "http://www.w3.org/2001/XMLSchema#")
	return isStandard && kind != "string"
}

// leadsToValues tells whether most that a relation leads to are values.
func (f *Finder) leadsToValues(r kg.Relation) bool {
	isLiteral, values, all := f.isLiteral(), 0, 0
	for t := range f.graph.Triples() {
		if t.Relation != kg.Forward(r.Base()) {
			continue
		}
		end := t.Tail
		if r.IsInverse() {
			end = t.Head
		}
		if all++; isLiteral[end] {
			values++
		}
	}
	return 2*values > all
}

// checkPredictable refuses a relation that leads to values, unless they are wanted.
func (f *Finder) checkPredictable(r kg.Relation, o Options) error {
	if o.Literals || !f.leadsToValues(r) {
		return nil
	}
	return kg.Errorf(kg.Invalid, "", "%s leads to numbers or dates, which are not predicted as entities are: a network tells them apart by chance only (--literals predicts them all the same)", f.graph.Relation(r))
}
