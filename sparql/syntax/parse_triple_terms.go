package syntax

import (
	"github.com/lacuna-kg/lacuna/internal/rdf"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// tripleRef is a triple term: a constant where it has no variable.
func tripleRef(of [3]Ref, at Pos) Ref {
	if t, ok := term.TripleOf(of[0].Term, of[1].Term, of[2].Term); ok {
		return Ref{Term: t, Pos: at}
	}
	return Ref{Of: &of, Pos: at}
}

// Leaves are the variables and terms that a node of a pattern is made of: itself, unless it is a triple term.
func (r Ref) Leaves() []Ref {
	if r.Of == nil {
		return []Ref{r}
	}
	var all []Ref
	for _, part := range r.Of {
		all = append(all, part.Leaves()...)
	}
	return all
}

// tripleTerm reads the rest of <<( s p o )>>; part reads its subject and object.
func (p *parser) tripleTerm(at Pos, part func(object bool) (Ref, error)) (Ref, error) {
	of, err := p.threeParts(part)
	if err != nil {
		return Ref{}, err
	}
	return tripleRef(of, at), p.require(")>>", "to close the triple term")
}

// threeParts reads subject, predicate and object; a predicate is a variable or an IRI.
func (p *parser) threeParts(part func(object bool) (Ref, error)) (of [3]Ref, err error) {
	if err := p.enter(); err != nil {
		return of, err
	}
	defer p.leave()
	if of[0], err = part(false); err != nil {
		return of, err
	}
	if t := p.peek(); t.kind == variableToken {
		p.next()
		of[1] = Ref{Var: t.text, Pos: t.pos}
	} else {
		step, err := p.pathIRI()
		if err != nil {
			return of, err
		}
		of[1] = step.Ref
	}
	of[2], err = part(true)
	return of, err
}

// inTriple reads a subject or object within a triple term or a reified triple of a pattern: a collection is none, and brackets are empty.
func (p *parser) inTriple(triples *[]Pattern) func(object bool) (Ref, error) {
	return func(bool) (Ref, error) {
		switch {
		case p.atSymbol("("):
			return Ref{}, p.expected("a variable, an IRI, a literal or a blank node within a triple")
		case p.atSymbol("[") && p.tokens[p.at+1].raw != "]":
			return Ref{}, p.expected("an empty [] within a triple")
		}
		return p.node(triples)
	}
}

// inData is the same without variables, and inExpression without blank nodes.
func (p *parser) inData(object bool) (Ref, error) {
	t := p.peek()
	if object && p.symbol("<<(") {
		return p.tripleTerm(t.pos, p.inData)
	}
	if !object && t.kind != iriToken && t.kind != prefixedToken {
		return Ref{}, p.expected("an IRI as the subject of a triple term")
	}
	return p.term("an IRI, a literal or a triple term")
}

// tripleExpression reads the rest of <<( s p o )>> in an expression: the function TRIPLE.
func (p *parser) tripleExpression(at Pos) (Expr, error) {
	nested := map[Pos]Expr{}
	of, err := p.threeParts(func(object bool) (Ref, error) {
		t := p.peek()
		switch {
		case t.kind == variableToken:
			p.next()
			return Ref{Var: t.text, Pos: t.pos}, nil
		case object && p.symbol("<<("):
			e, err := p.tripleExpression(t.pos)
			nested[t.pos] = e
			return Ref{Pos: t.pos}, err
		}
		return p.inData(object)
	})
	if err != nil {
		return nil, err
	}
	args := []Expr{of[0], of[1], of[2]}
	if e, is := nested[of[2].Pos]; is {
		args[2] = e
	}
	return Call{"TRIPLE", args, at}, p.require(")>>", "to close the triple term")
}

// reifiedTriple reads the rest of << s p o ~ r >>, which stands for r.
func (p *parser) reifiedTriple(at Pos, triples *[]Pattern) (Ref, error) {
	of, err := p.threeParts(p.inTriple(triples))
	if err != nil {
		return Ref{}, err
	}
	reifier := Ref{}
	if p.symbol("~") {
		if reifier, err = p.reifier(); err != nil {
			return Ref{}, err
		}
	}
	if reifier == (Ref{}) {
		reifier = Ref{Var: p.freshBlank(), Pos: at}
	}
	*triples = append(*triples, reifies(reifier, of, at))
	return reifier, p.require(">>", "to close the reified triple")
}

// reifies is the triple that says what a reifier stands for.
func reifies(reifier Ref, of [3]Ref, at Pos) Triple {
	predicate := Ref{Term: term.Term{Kind: term.IRI, Value: rdf.Namespace + "reifies"}, Pos: at}
	return Triple{Subject: reifier, Path: Step{predicate}, Object: tripleRef(of, at), Pos: at}
}

// reifier reads what follows ~: a variable, an IRI or a blank node, or nothing.
func (p *parser) reifier() (Ref, error) {
	t := p.peek()
	switch {
	case t.kind == variableToken:
		p.next()
		return Ref{Var: t.text, Pos: t.pos}, nil
	case t.kind == blankToken:
		p.next()
		return p.blank(t)
	case p.atSymbol("[") && p.tokens[p.at+1].raw == "]":
		p.next()
		p.next()
		return Ref{Var: p.freshBlank(), Pos: t.pos}, nil
	case t.kind == iriToken || t.kind == prefixedToken:
		return p.term("")
	}
	return Ref{Var: p.freshBlank(), Pos: t.pos}, nil
}

// annotations reads what follows an object: reifiers ~ r of the triple, and what is said of them between {| and |}.
func (p *parser) annotations(of Triple, triples *[]Pattern) error {
	reifier := Ref{}
	for p.atSymbol("~") || p.atSymbol("{|") {
		at := p.next()
		step, plain := of.Path.(Step)
		if !plain {
			return Errorf(at.pos, "an annotation of a path: expected one of a triple whose predicate is a variable or an IRI")
		}
		three := [3]Ref{of.Subject, step.Ref, of.Object}
		var err error
		if at.text == "~" {
			if reifier, err = p.reifier(); err != nil {
				return err
			}
			*triples = append(*triples, reifies(reifier, three, at.pos))
			continue
		}
		if reifier == (Ref{}) {
			reifier = Ref{Var: p.freshBlank(), Pos: at.pos}
			*triples = append(*triples, reifies(reifier, three, at.pos))
		}
		if err := p.annotation(reifier, triples); err != nil {
			return err
		}
		reifier = Ref{}
	}
	return nil
}

// annotation reads the rest of {| p o |}.
func (p *parser) annotation(reifier Ref, triples *[]Pattern) error {
	if err := p.enter(); err != nil {
		return err
	}
	defer p.leave()
	if err := p.properties(reifier, triples); err != nil {
		return err
	}
	return p.require("|}", "to close the annotation")
}
