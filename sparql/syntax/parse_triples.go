package syntax

import (
	"fmt"
	"strings"

	"github.com/lacuna-kg/lacuna/internal/rdf"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// triplesOfSubject reads a subject with all that is said of it.
func (p *parser) triplesOfSubject() ([]Pattern, error) {
	var triples []Pattern
	nested := p.atSymbol("[") || p.atSymbol("(") || p.atSymbol("<<")
	subject, err := p.node(&triples)
	if err != nil {
		return nil, err
	}
	// [ :p :o ] and ( 1 2 ) may stand alone, as they say something already; a bare [] may not.
	if nested && len(triples) > 0 && !p.startsVerb() {
		return triples, nil
	}
	return triples, p.properties(subject, &triples)
}

func (p *parser) startsVerb() bool {
	t := p.peek()
	switch t.kind {
	case iriToken, prefixedToken, variableToken:
		return true
	case wordToken:
		return t.text == "a"
	}
	return t.kind == symbolToken && (t.text == "^" || t.text == "(" || t.text == "!")
}

// properties reads predicates and objects: "p a, b; q c".
func (p *parser) properties(subject Ref, triples *[]Pattern) error {
	for {
		start := p.peek().pos
		path, err := p.verb()
		if err != nil {
			return err
		}
		for {
			object, err := p.node(triples)
			if err != nil {
				return err
			}
			stated := Triple{Subject: subject, Path: path, Object: object, Pos: start}
			*triples = append(*triples, stated)
			if err := p.annotations(stated, triples); err != nil {
				return err
			}
			if !p.symbol(",") {
				break
			}
		}
		if !p.symbol(";") {
			return nil
		}
		for p.symbol(";") {
		}
		if !p.startsVerb() {
			return nil
		}
	}
}

// node reads a subject or object; what stands in its brackets is added to the triples.
func (p *parser) node(triples *[]Pattern) (Ref, error) {
	t := p.peek()
	switch {
	case t.kind == variableToken:
		p.next()
		return Ref{Var: t.text, Pos: t.pos}, nil
	case t.kind == blankToken:
		p.next()
		return p.blank(t)
	case p.symbol("["):
		return p.bracketed(t.pos, triples)
	case p.symbol("("):
		return p.collection(t.pos, triples)
	case p.symbol("<<("):
		return p.tripleTerm(t.pos, p.inTriple(triples))
	case p.symbol("<<"):
		return p.reifiedTriple(t.pos, triples)
	}
	return p.term("a variable, an IRI, a literal or a blank node")
}

func (p *parser) blank(t token) (Ref, error) {
	name := "_:" + t.text
	if at, seen := p.blanks[name]; seen && at != p.pattern {
		return Ref{}, Errorf(t.pos, "the blank node %s stands in two basic graph patterns: use a variable", name)
	}
	p.blanks[name] = p.pattern
	return Ref{Var: name, Pos: t.pos}, nil
}

// bracketed reads the rest of [ ] or [ p o; q r ].
func (p *parser) bracketed(at Pos, triples *[]Pattern) (Ref, error) {
	if err := p.enter(); err != nil {
		return Ref{}, err
	}
	defer p.leave()
	ref := Ref{Var: p.freshBlank(), Pos: at}
	if p.symbol("]") {
		return ref, nil
	}
	if err := p.properties(ref, triples); err != nil {
		return Ref{}, err
	}
	return ref, p.require("]", "to close the blank node")
}

// collection reads the rest of ( a b c ): a chain of blank nodes that ends in rdf:nil.
func (p *parser) collection(at Pos, triples *[]Pattern) (Ref, error) {
	if err := p.enter(); err != nil {
		return Ref{}, err
	}
	defer p.leave()
	iri := func(local string) Ref {
		return Ref{Term: term.Term{Kind: term.IRI, Value: rdf.Namespace + local}, Pos: at}
	}
	head, last := iri("nil"), Ref{}
	for !p.symbol(")") {
		member, err := p.node(triples)
		if err != nil {
			return Ref{}, err
		}
		cell := Ref{Var: p.freshBlank(), Pos: at}
		if last.Var == "" {
			head = cell
		} else {
			*triples = append(*triples, Triple{Subject: last, Path: Step{iri("rest")}, Object: cell, Pos: at})
		}
		*triples = append(*triples, Triple{Subject: cell, Path: Step{iri("first")}, Object: member, Pos: at})
		last = cell
	}
	if last.Var != "" {
		*triples = append(*triples, Triple{Subject: last, Path: Step{iri("rest")}, Object: iri("nil"), Pos: at})
	}
	return head, nil
}

// freshBlank makes a label that the query does not use, and one that can be printed and read again.
func (p *parser) freshBlank() string {
	for {
		p.made++
		if label := fmt.Sprintf("b%d", p.made); !p.labels[label] {
			p.blanks["_:"+label] = p.pattern
			return "_:" + label
		}
	}
}

// verb reads a predicate: a variable or a path.
func (p *parser) verb() (Path, error) {
	if t := p.peek(); t.kind == variableToken {
		p.next()
		return Step{Ref{Var: t.text, Pos: t.pos}}, nil
	}
	if !p.startsVerb() {
		return nil, p.expected("a predicate")
	}
	return p.path()
}

// path reads alternatives of sequences.
func (p *parser) path() (Path, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	of, err := p.pathList("|", func() (Path, error) {
		of, err := p.pathList("/", p.pathStep)
		if err != nil || len(of) == 1 {
			return first(of), err
		}
		return Sequence{of}, nil
	})
	if err != nil || len(of) == 1 {
		return first(of), err
	}
	return Alternative{of}, nil
}

// first is the first of a list, nothing of an empty one.
func first[T any](of []T) (none T) {
	if len(of) == 0 {
		return none
	}
	return of[0]
}

func (p *parser) pathList(separator string, part func() (Path, error)) ([]Path, error) {
	var of []Path
	for {
		path, err := part()
		if err != nil {
			return nil, err
		}
		of = append(of, path)
		if !p.symbol(separator) {
			return of, nil
		}
	}
}

// pathStep reads an IRI, a path in parentheses, or the inverse of either.
func (p *parser) pathStep() (Path, error) {
	if p.symbol("^") {
		of, err := p.pathPrimary()
		return Inverse{of}, err
	}
	return p.pathPrimary()
}

func (p *parser) pathPrimary() (path Path, err error) {
	switch {
	case p.symbol("("):
		if path, err = p.path(); err == nil {
			err = p.require(")", "to close the path")
		}
	case p.symbol("!"):
		path, err = p.negatedSet()
	default:
		path, err = p.pathIRI()
	}
	if mark := p.peek(); err == nil && mark.kind == symbolToken && strings.Contains("?*+", mark.text) {
		p.next()
		return Repeated{path, mark.text}, nil
	}
	return path, err
}

// pathIRI reads one predicate.
func (p *parser) pathIRI() (Step, error) {
	t := p.peek()
	switch {
	case t.kind == wordToken && t.text == "a":
		p.next()
		return Step{Ref{Term: term.Term{Kind: term.IRI, Value: rdf.Namespace + "type"}, Pos: t.pos}}, nil
	case t.kind == iriToken || t.kind == prefixedToken:
		ref, err := p.term("")
		return Step{ref}, err
	}
	return Step{}, p.expected("an IRI in a path")
}

// negatedSet reads what follows "!": a predicate, or several in parentheses.
func (p *parser) negatedSet() (Path, error) {
	several := p.symbol("(")
	var of []NegatedStep
	for !several || !p.atSymbol(")") {
		if len(of) > 0 {
			if err := p.require("|", "between the predicates of a negated set"); err != nil {
				return nil, err
			}
		}
		inverse := p.symbol("^")
		step, err := p.pathIRI()
		if err != nil {
			return nil, err
		}
		of = append(of, NegatedStep{step, inverse})
		if !several {
			return Negated{of}, nil
		}
	}
	return Negated{of}, p.require(")", "to close the negated set")
}
