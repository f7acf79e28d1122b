package read

import "bytes"

// TriG is Turtle whose statements may stand in graphs, { … }, with a name or without.

// block reads a graph or statements outside of any.
func (p *turtle) block() error {
	if p.word("graph", true) {
		p.skip(len("graph"))
		p.space()
		name, err := p.graphName()
		if err != nil {
			return err
		}
		p.space()
		return p.graph(name)
	}
	switch char := p.peek(); {
	case char == '{':
		return p.graph(nil)
	case char == '(':
		return p.blockOf(p.collection, true)
	case p.comes("<<"):
		return p.blockOf(p.reifiedTriple, false)
	case char == '[':
		if p.emptyBrackets() {
			return p.blockOrGraph()
		}
		return p.blockOf(func() ([]byte, error) { node, _, err := p.properties(); return node, err }, false)
	}
	return p.blockOrGraph()
}

// blockOrGraph reads what begins with a name: a graph of that name, or statements about it.
func (p *turtle) blockOrGraph() error {
	name, err := p.graphName()
	if err != nil {
		return err
	}
	if p.space(); p.peek() == '{' {
		return p.graph(name)
	}
	if err := p.predicates(name); err != nil {
		return err
	}
	return p.expect('.', "at the end of the statement")
}

// blockOf reads statements about a subject that cannot name a graph; properties alone are a statement.
func (p *turtle) blockOf(subject func() ([]byte, error), needed bool) error {
	node, err := subject()
	if err != nil {
		return err
	}
	if p.space(); needed || p.peek() != '.' {
		if err := p.predicates(node); err != nil {
			return err
		}
	}
	return p.expect('.', "at the end of the statement")
}

// graphName reads an IRI or a blank node, which [] is too.
func (p *turtle) graphName() ([]byte, error) {
	switch p.peek() {
	case '_':
		return p.blank()
	case '[':
		if p.emptyBrackets() {
			node, _, err := p.properties()
			return node, err
		}
	}
	return p.iri("the subject or the name of a graph, an IRI, a prefixed name or a blank node")
}

// emptyBrackets tells whether [] comes next, with nothing but white space within. What
// is further on than the text at hand counts as filled, which only long comments are.
func (p *turtle) emptyBrackets() bool {
	for at := 1; ; at++ {
		switch p.peekAfter(at) {
		case ' ', '\t', '\r', '\n':
		case ']':
			return true
		default:
			return false
		}
	}
}

// graph reads { … }; the last '.' may be left out.
func (p *turtle) graph(name []byte) error {
	if err := p.expect('{', "before the statements of a graph"); err != nil {
		return err
	}
	outer := p.within
	p.within = bytes.Clone(name)
	defer func() { p.within = outer }()
	for {
		if p.space(); p.peek() == '}' {
			p.next()
			return nil
		}
		mark := len(p.text)
		if err := p.triples(); err != nil {
			return err
		}
		p.text = p.text[:mark]
		if p.space(); p.peek() == '.' {
			p.next()
		} else if p.peek() != '}' {
			return p.errorf("expected '.' or '}' after the statement")
		}
	}
}
