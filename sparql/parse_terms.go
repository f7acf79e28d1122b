package sparql

import (
	"strings"
)

// term reads an IRI or a literal.
func (p *parser) term(expected string) (Ref, error) {
	t := p.peek()
	switch {
	case t.kind == iriToken || t.kind == prefixedToken:
		p.next()
		iri, err := p.iri(t)
		return Ref{Term: Term{Kind: IRI, Value: iri}, Pos: t.pos}, err
	case t.kind == stringToken:
		p.next()
		literal, err := p.literal(t.text)
		return Ref{Term: literal, Pos: t.pos}, err
	case t.kind == numberToken:
		p.next()
		return Ref{Term: number(t.text, ""), Pos: t.pos}, nil
	case p.isWord("true", "false"):
		p.next()
		return Ref{Term: typed(strings.ToLower(t.text), xsdBoolean), Pos: t.pos}, nil
	case t.kind == symbolToken && (t.text == "+" || t.text == "-"):
		if p.tokens[p.at+1].kind == numberToken {
			p.next()
			return Ref{Term: number(p.next().text, t.text), Pos: t.pos}, nil
		}
	}
	return Ref{}, p.expected(expected)
}

// iri makes an IRI whole.
func (p *parser) iri(t token) (string, error) {
	if t.kind == iriToken {
		return canonicalIRI(p.absolute(t.text)), nil
	}
	namespace, known := p.prefixes[t.text]
	if !known {
		return "", fail(t.pos, "the prefix %s: is not declared; expected PREFIX %s: <…> at the beginning", t.text, t.text)
	}
	return canonicalIRI(namespace + t.local), nil
}

// literal reads the language or type after a string.
func (p *parser) literal(text string) (Term, error) {
	if t := p.peek(); t.kind == languageToken {
		p.next()
		return Term{Kind: Literal, Value: text, Language: t.text}, nil
	}
	if !p.symbol("^^") {
		return Term{Kind: Literal, Value: text}, nil
	}
	t := p.peek()
	if t.kind != iriToken && t.kind != prefixedToken {
		return Term{}, p.expected("a type after ^^, an IRI or a prefixed name")
	}
	p.next()
	iri, err := p.iri(t)
	return typed(text, iri), err
}

// number is the literal that a number without quotes stands for.
func number(text, sign string) Term {
	switch {
	case strings.ContainsAny(text, "eE"):
		return typed(sign+text, xsdDouble)
	case strings.Contains(text, "."):
		return typed(sign+text, xsdDecimal)
	}
	return typed(sign+text, xsdInteger)
}
