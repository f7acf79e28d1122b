package syntax

// defaultGraphs are the names that clients have for the graph without a name, and send unasked: those of
// rdflib, Jena and RDF4J.
var defaultGraphs = map[string]bool{
	"urn:x-rdflib:default":                     true,
	"urn:x-arq:DefaultGraph":                   true,
	"http://rdf4j.org/schema/rdf4j#nil":        true,
	"http://www.openrdf.org/schema/sesame#nil": true,
}

// IsDefaultGraph tells whether an IRI means the graph without a name.
func IsDefaultGraph(iri string) bool { return defaultGraphs[iri] }

// graphName reads the IRI of a graph; it is "" where that means the one without a name.
func (p *parser) graphName(where string) (iri string, err error) {
	if t := p.peek(); t.kind != iriToken && t.kind != prefixedToken {
		return "", p.expected("an IRI " + where)
	}
	ref, err := p.term("")
	if IsDefaultGraph(ref.Term.Value) {
		return "", err
	}
	return ref.Term.Value, err
}
