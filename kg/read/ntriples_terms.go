package read

import (
	"bytes"
	"errors"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// What N-Triples and N-Quads 1.2 have beside 1.1: triple terms as objects, and a line that says the version. RDF-star, from
// which they come, has quoted triples instead, which stand for a node that names the statement.

const (
	tripleTermMark = "<<( " // begins the name of a triple term
	quotedMark     = "<< "  // begins a quoted triple until unquote has read it
)

// tripleName is the name of a triple term as an entity, by the names of its parts.
func tripleName(subject, predicate, object []byte) ([]byte, error) {
	t, ok := term.TripleOf(termOf(subject), termOf(predicate), termOf(object))
	if !ok {
		return nil, errors.New("triple terms nest too deep")
	}
	return []byte(t.String()), nil
}

// termOf is the term of a name as a file has it: an IRI of our own namespace is not yet the name that it stands for.
func termOf(name []byte) term.Term {
	if bytes.HasPrefix(name, []byte(term.Namespace)) {
		return term.Term{Kind: term.IRI, Value: term.CanonicalIRI(string(name))}
	}
	return term.OfEntity(string(name))
}

// version tells whether a line says its version.
func (s *statement) version() bool {
	return len(s.rest) > len("VERSION") && bytes.EqualFold(s.rest[:len("VERSION")], []byte("VERSION"))
}

func (s *statement) versionLine() error {
	s.rest = s.rest[len("VERSION"):]
	s.space()
	if s.first() != '"' {
		return errors.New("expected a version such as \"1.2\"")
	}
	if _, err := s.literal(); err != nil {
		return err
	}
	if s.space(); !s.over() {
		return errors.New("expected the end of the line after the version")
	}
	return nil
}

// node takes a subject or an object.
func (s *statement) node(expected string, object bool) ([]byte, error) {
	switch {
	case bytes.HasPrefix(s.rest, []byte("<<(")):
		if !object {
			return nil, errors.New("a triple term is no subject, expected " + expected)
		}
		return s.triple("<<(", ")>>", maxTripleTerms)
	case bytes.HasPrefix(s.rest, []byte("<<")):
		name, err := s.triple("<<", ">>", 1)
		return append([]byte(quotedMark), name...), err
	case object && s.first() == '"':
		return s.literal()
	}
	return s.resource(expected)
}

// maxTripleTerms bounds how deep triple terms nest.
const maxTripleTerms = 100

// triple takes a triple between marks and gives its name; triple terms may be objects within it, so deep.
func (s *statement) triple(opening, closing string, depth int) ([]byte, error) {
	if depth == 0 {
		return nil, errors.New("triple terms nest too deep")
	}
	s.rest = s.rest[len(opening):]
	s.space()
	subject, err := s.resource("the subject of a triple, an IRI in <> or a blank node _:x")
	if err != nil {
		return nil, err
	}
	if s.space(); s.first() != '<' {
		return nil, errors.New("expected the predicate of a triple, an IRI in <>")
	}
	predicate, err := s.iri()
	if err != nil {
		return nil, err
	}
	s.space()
	var object []byte
	switch {
	case bytes.HasPrefix(s.rest, []byte("<<(")):
		object, err = s.triple("<<(", ")>>", min(depth, maxTripleTerms)-1)
	case s.first() == '"':
		object, err = s.literal()
	default:
		object, err = s.resource("the object of a triple")
	}
	if err != nil {
		return nil, err
	}
	if s.space(); !bytes.HasPrefix(s.rest, []byte(closing)) {
		return nil, errors.New("expected '" + closing + "' after the object of a triple")
	}
	s.rest = s.rest[len(closing):]
	return tripleName(subject, predicate, object)
}

// unquote gives the node that a quoted triple stands for, any other term as it is. RDF-star has one node of each triple.
func (l *loader) unquote(nodes map[string]string, s *statement, part split, node []byte) []byte {
	triple, quoted := bytes.CutPrefix(node, []byte(quotedMark))
	if !quoted {
		return node
	}
	name, known := nodes[string(triple)]
	if !known {
		name = l.freshNode()
		nodes[string(triple)] = name
		l.stateIn(s.graph, part, []byte(name), []byte(kg.Reifies), triple)
	}
	return []byte(name)
}
