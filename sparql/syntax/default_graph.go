package syntax

// defaultGraphs are the names that clients have for the graph without a name, and send unasked: those of
// rdflib, Jena and RDF4J.
var defaultGraphs = map[string]bool{
	"urn:x-rdflib:default":                     true,
	"urn:x-arq:DefaultGraph":                   true,
	"http://rdf4j.org/schema/rdf4j#nil":        true,
	"http://www.openrdf.org/schema/sesame#nil": true,
}

// IsDefaultGraph tells whether an IRI means the graph without a name, which is all there is here.
func IsDefaultGraph(iri string) bool { return defaultGraphs[iri] }

// graphName reads the IRI of a graph, and tells whether it means the one without a name.
func (p *parser) graphName(where string) (isDefault bool, err error) {
	if t := p.peek(); t.kind != iriToken && t.kind != prefixedToken {
		return false, p.expected("an IRI " + where)
	}
	ref, err := p.term("")
	return IsDefaultGraph(ref.Term.Value), err
}

// onlyDefault reads the IRI after a word of an update; one that does not mean the graph here is refused.
func (p *parser) onlyDefault(word string) error {
	at := p.tokens[p.at-1].pos // of the word
	isDefault, err := p.graphName("after " + word)
	if err == nil && !isDefault {
		p.refuse(at, "%s: there is one graph here, without a name; leave it out", word)
	}
	return err
}

// refuse notes why an operation cannot be done; it is read to its end all the same, as it may be malformed besides.
func (p *parser) refuse(at Pos, format string, args ...any) {
	if p.refused == nil {
		p.refused = Errorf(at, format, args...)
	}
}
