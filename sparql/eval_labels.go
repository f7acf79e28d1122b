package sparql

import (
	"github.com/lacuna-kg/lacuna/internal/rdf"
	"github.com/lacuna-kg/lacuna/kg"
)

// The readers of RDF take rdfs:label for the readable name of an entity and not
// for a fact. So that queries find labels where they look for them, a triple with
// that predicate is matched with the graph's labels, as strings without a language.

const rdfsLabel = rdf.RDFS + "label"

// isLabel tells whether a path is rdfs:label, and labels are what it must be matched with.
func isLabel(path Path, v *kg.Vocabulary) bool {
	step, ok := path.(Step)
	return ok && step.Term.Value == rdfsLabel && step.Term.Kind == IRI && hasLabels(v)
}

// hasLabels is false where a graph has none, or states them as facts.
func hasLabels(v *kg.Vocabulary) bool {
	_, stated := findRelation(v, Term{Kind: IRI, Value: rdfsLabel})
	return !stated && v.Entities.Labels != nil
}

// errLabelInPath refuses rdfs:label within a longer path: the answer would be wrong, as a
// label is no node that a path could pass.
func errLabelInPath(step Step) error { return outside(step.Pos, "rdfs:label within a longer path") }

// refuseLabel stops a query that has rdfs:label within a longer path.
func (c *compiler) refuseLabel(step Step) {
	if isLabel(step, c.graph.Vocabulary) && c.err == nil {
		c.err = errLabelInPath(step)
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
		value := m.number(typed(label, ""))
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
		if t.Kind != Literal || t.Datatype != "" || t.Language != "" {
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
