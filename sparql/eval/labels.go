package eval

import (
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/sparql/syntax"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// The readers of RDF take rdfs:label for the readable name of an entity and not
// for a fact. So that queries find labels where they look for them, a triple with
// that predicate is matched with the graph's labels, as strings without a language.

// refuseLabel stops a query that has rdfs:label within a longer path.
func (e *evaluator) refuseLabel(step syntax.Step) {
	if term.IsLabel(e.graph.Vocabulary, step.Term) && e.err == nil {
		e.err = syntax.ErrLabelInPath(step)
	}
}

func (m *matcher) labelCost(s step) int {
	if s.subject.of(m.r) != unbound || s.object.of(m.r) != unbound {
		return 1
	}
	return m.graph.NumEntities() + 1
}

// matchLabel matches a triple whose predicate is rdfs:label.
func (m *matcher) matchLabel(s step, depth int) bool {
	labelled := func(e kg.Entity) bool {
		label := m.graph.Entities.Labels.At(uint32(e))
		if label == "" {
			return true
		}
		before := len(m.extra)
		value := m.number(term.Typed(label, ""))
		const words = 8 // of a term that only this query has
		return m.spend(1) && m.keep(words*(len(m.extra)-before)) && m.bound(s.subject, entityNode(e), func() bool {
			return m.bound(s.object, value, func() bool { return m.extend(depth + 1) })
		})
	}
	if subject := s.subject.of(m.r); subject != unbound {
		e, ok := subject.entity()
		return !ok || labelled(e)
	}
	if object := s.object.of(m.r); object != unbound {
		t := m.term(object)
		if t.Kind != term.Literal || t.Datatype != "" || t.Language != "" {
			return true
		}
		for _, id := range m.graph.Entities.Labels.Find(t.Value) { // in any case of letters; bound compares
			if !labelled(kg.Entity(id)) {
				return false
			}
		}
		return true
	}
	for e := range m.graph.NumEntities() {
		if !m.spend(1) || !labelled(kg.Entity(e)) {
			return false
		}
	}
	return true
}
