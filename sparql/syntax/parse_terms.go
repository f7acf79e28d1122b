package syntax

import (
	"strings"

	"github.com/lacuna-kg/lacuna/sparql/term"
)

// term reads an IRI or a literal.
func (p *parser) term(expected string) (Ref, error) {
	t := p.peek()
	switch {
	case t.kind == iriToken || t.kind == prefixedToken:
		p.next()
		iri, err := p.iri(t)
		return Ref{Term: term.Term{Kind: term.IRI, Value: iri}, Pos: t.pos}, err
	case t.kind == stringToken:
		p.next()
		literal, err := p.literal(t.text)
		return Ref{Term: literal, Pos: t.pos}, err
	case t.kind == numberToken:
		p.next()
		return Ref{Term: number(t.text, ""), Pos: t.pos}, nil
	case p.isWord("true", "false"):
		p.next()
		return Ref{Term: term.Typed(strings.ToLower(t.text), term.XSDBoolean), Pos: t.pos}, nil
	case t.kind == symbolToken && (t.text == "+" || t.text == "-"):
		if p.signedNumber() {
			p.next()
			return Ref{Term: number(p.next().text, t.text), Pos: t.pos}, nil
		}
	}
	return Ref{}, p.expected(expected)
}

// iri makes an IRI whole.
func (p *parser) iri(t token) (string, error) {
	if t.kind == iriToken {
		return term.CanonicalIRI(p.absolute(t.text)), nil
	}
	namespace, known := p.prefixes[t.text]
	if !known {
		return "", Errorf(t.pos, "the prefix %s: is not declared; expected PREFIX %s: <…> at the beginning", t.text, t.text)
	}
	return term.CanonicalIRI(namespace + t.local), nil
}

// literal reads the language or type after a string.
func (p *parser) literal(text string) (term.Term, error) {
	if t := p.peek(); t.kind == languageToken {
		p.next()
		return term.Term{Kind: term.Literal, Value: text, Language: t.text}, nil
	}
	if !p.symbol("^^") {
		return term.Term{Kind: term.Literal, Value: text}, nil
	}
	t := p.peek()
	if t.kind != iriToken && t.kind != prefixedToken {
		return term.Term{}, p.expected("a type after ^^, an IRI or a prefixed name")
	}
	p.next()
	iri, err := p.iri(t)
	return term.Typed(text, iri), err
}

// number is the literal that a number without quotes stands for.
func number(text, sign string) term.Term {
	switch {
	case strings.ContainsAny(text, "eE"):
		return term.Typed(sign+text, term.XSDDouble)
	case strings.Contains(text, "."):
		return term.Typed(sign+text, term.XSDDecimal)
	}
	return term.Typed(sign+text, term.XSDInteger)
}
