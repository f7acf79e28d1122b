package read

import (
	"github.com/lacuna-kg/lacuna/internal/rdf"
	"github.com/lacuna-kg/lacuna/kg"
)

// Triples about triples, as RDF 1.2 writes them in Turtle and TriG.

// version reads the version of RDF that a text says it needs: a string in one pair of quotes.
func (p *turtle) version() error {
	p.space()
	quote := p.peek()
	if quote != '"' && quote != '\'' || p.peekAfter(1) == quote {
		return p.errorf("expected a version such as \"1.2\"")
	}
	mark := len(p.text)
	err := p.quoted()
	p.text = p.text[:mark]
	return err
}

// tripleTerm reads <<( s p o )>>, the name of a triple.
func (p *turtle) tripleTerm() (name []byte, err error) {
	p.skip(len("<<("))
	err = p.nested(func() error {
		subject, predicate, object, err := p.three(p.termPart)
		if err != nil {
			return err
		}
		if p.space(); !p.comes(")>>") {
			return p.errorf("expected ')>>' after the object of a triple term")
		}
		p.skip(len(")>>"))
		if name, err = tripleName(subject, predicate, object); err != nil {
			return p.errorf("%v", err)
		}
		return nil
	})
	return name, err
}

// reifiedTriple reads << s p o ~ r >>, which stands for r, a new node where it is left out.
func (p *turtle) reifiedTriple() (reifier []byte, err error) {
	if p.comes("<<(") {
		return nil, p.errorf("a triple term is no subject, expected << s p o >>")
	}
	p.skip(len("<<"))
	err = p.nested(func() error {
		subject, predicate, object, err := p.three(p.reifiedPart)
		if err != nil {
			return err
		}
		if p.space(); p.peek() == '~' {
			reifier, err = p.reifier()
		} else {
			reifier = p.fresh()
		}
		if err != nil {
			return err
		}
		if p.space(); !p.comes(">>") {
			return p.errorf("expected '>>' after the object of a reified triple")
		}
		p.skip(len(">>"))
		return p.reify(reifier, subject, predicate, object)
	})
	return reifier, err
}

// reify states what a reifier stands for.
func (p *turtle) reify(reifier, subject, predicate, object []byte) error {
	triple, err := tripleName(subject, predicate, object)
	if err != nil {
		return p.errorf("%v", err)
	}
	p.state(reifier, []byte(kg.Reifies), triple)
	return nil
}

// three reads subject, predicate and object of a triple within another.
func (p *turtle) three(part func(object bool) ([]byte, error)) (subject, predicate, object []byte, err error) {
	p.space()
	if subject, err = part(false); err != nil {
		return nil, nil, nil, err
	}
	if predicate, err = p.verb(); err != nil {
		return nil, nil, nil, err
	}
	p.space()
	object, err = part(true)
	return subject, predicate, object, err
}

// termPart reads a subject or object of a triple term; brackets are empty.
func (p *turtle) termPart(object bool) ([]byte, error) {
	switch char := p.peek(); {
	case char == '[' && p.emptyBrackets():
		node, _, err := p.properties()
		return node, err
	case char == '_':
		return p.blank()
	case object && p.comes("<<("):
		return p.tripleTerm()
	case object && (char == '"' || char == '\'' || rdf.IsDigit(char) || char == '+' || char == '-' || char == '.' || p.word("true", false) || p.word("false", false)):
		return p.object()
	}
	return p.iri("an IRI, a blank node or, as an object, a literal within a triple")
}

// reifiedPart reads the same of a reified triple, which may be another.
func (p *turtle) reifiedPart(object bool) ([]byte, error) {
	if p.comes("<<") && !p.comes("<<(") {
		return p.reifiedTriple()
	}
	return p.termPart(object)
}

// reifier reads ~ and the node that names a statement, a new one where it is left out.
func (p *turtle) reifier() ([]byte, error) {
	p.next()
	p.space()
	switch char := p.peek(); {
	case char == '_':
		return p.blank()
	case char == '[' && p.emptyBrackets():
		node, _, err := p.properties()
		return node, err
	case char == '<' || char == ':' || rdf.NameBase(char):
		return p.iri("the name of the statement")
	}
	return p.fresh(), nil
}

// annotations reads what follows an object: reifiers ~ r of the statement, and what is said of them between {| and |}.
func (p *turtle) annotations(subject, predicate, object []byte) error {
	var reifier []byte
	for {
		p.space()
		switch {
		case p.peek() == '~':
			var err error
			if reifier, err = p.reifier(); err != nil {
				return err
			}
			if err := p.reify(reifier, subject, predicate, object); err != nil {
				return err
			}
		case p.comes("{|"):
			if reifier == nil {
				reifier = p.fresh()
				if err := p.reify(reifier, subject, predicate, object); err != nil {
					return err
				}
			}
			if err := p.annotation(reifier); err != nil {
				return err
			}
			reifier = nil
		default:
			return nil
		}
	}
}

// annotation reads {| p o |}, which is about a reifier.
func (p *turtle) annotation(reifier []byte) error {
	p.skip(len("{|"))
	return p.nested(func() error {
		if err := p.predicates(reifier); err != nil {
			return err
		}
		if p.space(); !p.comes("|}") {
			return p.errorf("expected '|}' after the annotation")
		}
		p.skip(len("|}"))
		return nil
	})
}
