package read

import (
	"bytes"

	"github.com/lacuna-kg/lacuna/internal/rdf"
)

// The form in which the terms of N-Triples and Turtle become names of entities and relations.

const (
	rdfsLabel  = rdf.RDFS + "label"
	stringType = "^^<" + rdf.XSD + "string>"
)

// state takes a statement of RDF. A label of something is not a fact about the
// world but its readable name, so that it becomes that and no triple.
func (l *loader) state(part split, subject, predicate, object []byte) {
	if string(predicate) == rdfsLabel && object[0] == '"' {
		l.report.LabelTriples++
		l.labels.add(subject, lexicalForm(object))
		return
	}
	l.fact(part, subject, predicate, object)
}

// lexicalForm is the text within a literal's quotes.
func lexicalForm(literal []byte) []byte {
	var text []byte
	for i := 1; i < len(literal) && literal[i] != '"'; i++ {
		char := literal[i]
		if char == '\\' {
			i++
			char = literal[i]
			switch char {
			case 'n':
				char = '\n'
			case 'r':
				char = '\r'
			}
		}
		text = append(text, char)
	}
	return text
}

// dropStringType leaves out the type that a literal without one has anyway.
func dropStringType(literal []byte) []byte { return bytes.TrimSuffix(literal, []byte(stringType)) }
