package read

import (
	"bytes"
	"slices"

	"github.com/lacuna-kg/lacuna/internal/rdf"
	"github.com/lacuna-kg/lacuna/kg"
)

// The form in which the terms of N-Triples and Turtle become names of entities and relations.

const stringType = "^^<" + rdf.XSD + "string>"

// state takes a statement of RDF. A label of something is not a fact about the
// world but its readable name, so that it stands beside the facts.
func (l *loader) state(part split, subject, predicate, object []byte) {
	if kg.IsLabelFact(string(predicate), string(object[:1])) {
		l.report.LabelTriples++
		l.labels.add(subject, object)
		return
	}
	l.fact(part, subject, predicate, object)
}

// declare notes a prefix of the data for those who ask. The first of a name counts, as the
// files of a folder may not agree.
func (l *loader) declare(name, iri string) {
	known := slices.ContainsFunc(l.prefixes, func(p kg.Prefix) bool { return p.Name == name })
	if !known && len(l.prefixes) < maxPrefixes {
		l.prefixes = append(l.prefixes, kg.Prefix{Name: name, IRI: iri})
	}
}

// maxPrefixes is far more than people can remember.
const maxPrefixes = 1000

// dropStringType leaves out the type that a literal without one has anyway.
func dropStringType(literal []byte) []byte { return bytes.TrimSuffix(literal, []byte(stringType)) }
