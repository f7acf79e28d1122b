package term

import (
	"github.com/lacuna-kg/lacuna/internal/rdf"
	"github.com/lacuna-kg/lacuna/kg"
)

// RDFSLabel is the predicate of readable names.
const RDFSLabel = rdf.RDFS + "label"

// IsLabel tells whether a predicate is rdfs:label, and the labels of the graph are
// what it must be matched with: the readers of RDF take it for the readable name of
// an entity and not for a fact. It is false where a graph has no labels, or states
// them as facts.
func IsLabel(v *kg.Vocabulary, predicate Term) bool {
	if predicate.Kind != IRI || predicate.Value != RDFSLabel {
		return false
	}
	_, stated := FindRelation(v, predicate)
	return !stated && v.Entities.Labels != nil
}
