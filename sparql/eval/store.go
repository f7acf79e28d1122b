package eval

import (
	"iter"
	"slices"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// store is the graph as queries see it: its facts and, as triples of rdfs:label, the labels
// that its data states, which are no facts. Names that only labels have go by numbers from
// kg.FirstExtra on and are entities to all of this package.
type store struct {
	graph    *kg.Graph
	view     *kg.View         // of some of its named graphs, labels included; nil for all that is stated
	labels   *kg.LabelTriples // nil without
	label    kg.Relation      // rdfs:label, which a graph may have facts of, too
	labelled [2][]kg.Entity   // see heads, once somebody asks
}

func newStore(g *kg.Graph, labels *kg.LabelTriples) *store {
	return &store{graph: g, labels: labels, label: g.LabelsAs()}
}

// of is the store with the statements of a view only.
func (s *store) of(view *kg.View) *store {
	return &store{graph: s.graph, view: view, labels: s.labels, label: s.label}
}

// listed tells whether labels count as triples where nobody names rdfs:label: those that
// came beside the data, in a file of labels, do not.
func (s *store) listed() bool { return s.labels != nil && !s.labels.Derived() }

// isEntity tells whether facts may be about a number.
func isEntity(e kg.Entity) bool { return e < kg.FirstExtra }

// Tails gives what a relation leads to.
func (s *store) Tails(from kg.Entity, r kg.Relation) []kg.Entity {
	if s.view != nil {
		return s.view.Tails(from, r)
	}
	var facts, labels []kg.Entity
	if isEntity(from) {
		facts = s.graph.Tails(from, r)
	}
	if s.labels == nil || r.Base() != s.label.Base() {
		return facts
	}
	if r.IsInverse() {
		labels = s.labels.Bearers(from)
	} else {
		labels = s.labels.Of(from)
	}
	if len(facts) == 0 || len(labels) == 0 {
		return append(facts, labels...)
	}
	both := slices.Concat(facts, labels)
	slices.Sort(both)
	return both
}

// heads gives the nodes that have an edge of a relation, sorted.
func (s *store) heads(r kg.Relation) []kg.Entity {
	if s.view != nil {
		return s.view.Heads(r)
	}
	facts := s.graph.ByRelation().Heads(r)
	if s.labels == nil || r.Base() != s.label.Base() {
		return facts
	}
	way := r - s.label
	if s.labelled[way] == nil {
		all := slices.Clone(facts)
		for l := range s.labels.All() {
			all = append(all, []kg.Entity{l.Subject, l.Literal}[way])
		}
		slices.Sort(all)
		s.labelled[way] = slices.Compact(all)
	}
	return s.labelled[way]
}

// count is the number of edges of a relation.
func (s *store) count(r kg.Relation) int {
	if s.view != nil {
		return s.view.Count(r)
	}
	facts := s.graph.ByRelation().Edges(r)
	if r.Base() == s.label.Base() {
		facts += s.labels.Len()
	}
	return facts
}

// edges runs over all triples of a node, those that lead to it by the inverse relation.
func (s *store) edges(at kg.Entity) iter.Seq2[kg.Relation, kg.Entity] {
	return func(yield func(kg.Relation, kg.Entity) bool) {
		if isEntity(at) || s.view != nil {
			relations, tails := s.row(at)
			for i, r := range relations {
				if !yield(r, tails[i]) {
					return
				}
			}
		}
		if s.view != nil || !s.listed() {
			return
		}
		for _, literal := range s.labels.Of(at) {
			if !yield(s.label, literal) {
				return
			}
		}
		for _, bearer := range s.labels.Bearers(at) {
			if !yield(s.label.Inverse(), bearer) {
				return
			}
		}
	}
}

// row is that of a node, without labels that are no facts unless it is one of a view.
func (s *store) row(at kg.Entity) ([]kg.Relation, []kg.Entity) {
	if s.view != nil {
		return s.view.Edges(at)
	}
	return s.graph.Edges(at)
}

// degree is the number of triples of a node.
func (s *store) degree(at kg.Entity) int {
	if s.view != nil {
		relations, _ := s.view.Edges(at)
		return len(relations)
	}
	facts := 0
	if isEntity(at) {
		relations, _ := s.graph.Edges(at)
		facts = len(relations)
	}
	if !s.listed() {
		return facts
	}
	return facts + len(s.labels.Of(at)) + len(s.labels.Bearers(at))
}

// numEdges counts every triple in both directions.
func (s *store) numEdges() int {
	if s.view != nil {
		return s.view.NumEdges()
	}
	return s.graph.NumEdges() + 2*s.labels.Len()
}

// nodes runs over all that facts and labels may be about.
func (s *store) nodes() iter.Seq[kg.Entity] {
	if s.view != nil {
		return slices.Values(s.view.Nodes())
	}
	return func(yield func(kg.Entity) bool) {
		for e := range s.graph.NumEntities() {
			if !yield(kg.Entity(e)) {
				return
			}
		}
		if s.labels == nil {
			return
		}
		for e := range s.labels.Extra().Len() {
			if !yield(kg.FirstExtra + kg.Entity(e)) {
				return
			}
		}
	}
}

// name is that of a node.
func (s *store) name(e kg.Entity) string {
	if isEntity(e) {
		return s.graph.Entities.Names.At(uint32(e))
	}
	return s.labels.Extra().At(uint32(e - kg.FirstExtra))
}

// find gives the node of a term.
func (s *store) find(t term.Term) (kg.Entity, bool) {
	if e, ok := term.FindEntity(s.graph.Vocabulary, t); ok || s.labels == nil {
		return e, ok
	}
	id, ok := term.FindName(s.labels.Extra(), t)
	return kg.FirstExtra + kg.Entity(id), ok
}

// relation gives the relation of a term.
func (s *store) relation(t term.Term) (base uint32, ok bool) {
	if s.labels != nil && t.Kind == term.IRI && t.Value == kg.RDFSLabel {
		return s.label.Base(), true
	}
	return term.FindRelation(s.graph.Vocabulary, t)
}

// relationName is the way back.
func (s *store) relationName(base uint32) string {
	if base == s.label.Base() {
		return kg.RDFSLabel
	}
	return s.graph.Relations.Names.At(base)
}

// numNodes counts what facts and labels may be about.
func (s *store) numNodes() int {
	if s.view != nil {
		return len(s.view.Nodes())
	}
	if s.labels == nil {
		return s.graph.NumEntities()
	}
	return s.graph.NumEntities() + s.labels.Extra().Len()
}
