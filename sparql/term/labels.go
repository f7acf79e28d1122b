package term

import "github.com/lacuna-kg/lacuna/kg"

// IsLabel tells whether a predicate is rdfs:label and the graph has labels that are no facts,
// which it must be matched with.
func IsLabel(v *kg.Vocabulary, predicate Term) bool {
	return predicate.Kind == IRI && predicate.Value == kg.RDFSLabel && v.LabelTriples() != nil
}
