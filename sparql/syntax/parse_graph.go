package syntax

// construct reads the template that follows CONSTRUCT; it stays nil where the pattern is the template.
func (p *parser) construct(q *Query) error {
	q.Form = ConstructForm
	if !p.atSymbol("{") {
		return nil
	}
	p.next()
	q.Template = []Triple{}
	for !p.symbol("}") {
		triples, err := p.triplesOfSubject()
		if err != nil {
			return err
		}
		for _, t := range triples {
			if err := q.addTemplate(t); err != nil {
				return err
			}
		}
		if !p.symbol(".") && !p.atSymbol("}") {
			return p.expected("'.' or '}' after a triple")
		}
	}
	clear(p.blanks) // those of the template are others than those of the pattern
	return nil
}

// templateOfPattern makes the template of CONSTRUCT WHERE { … }.
func (p *parser) templateOfPattern(q *Query) error {
	q.Template = []Triple{}
	for _, t := range q.Where.Of {
		if err := q.addTemplate(t); err != nil {
			return err
		}
	}
	return nil
}

func (q *Query) addTemplate(pattern Pattern) error {
	t, ok := pattern.(Triple)
	if !ok {
		return Errorf(q.Where.Pos, "CONSTRUCT WHERE takes plain triples: expected a template before WHERE")
	}
	if _, step := t.Path.(Step); !step {
		return Errorf(t.Pos, "a path in the triples that CONSTRUCT makes")
	}
	q.Template = append(q.Template, t)
	return nil
}

// describe reads what follows DESCRIBE: *, or variables and IRIs.
func (p *parser) describe(q *Query) error {
	q.Form = DescribeForm
	if p.symbol("*") {
		q.Star = true
		return nil
	}
	for {
		t := p.peek()
		switch t.kind {
		case variableToken:
			p.next()
			q.Describe = append(q.Describe, Ref{Var: t.text, Pos: t.pos})
		case iriToken, prefixedToken:
			ref, err := p.term("")
			if err != nil {
				return err
			}
			q.Describe = append(q.Describe, ref)
		default:
			if len(q.Describe) == 0 {
				return p.expected("variables, IRIs or * after DESCRIBE")
			}
			return nil
		}
	}
}

// dataset reads FROM and FROM NAMED.
func (p *parser) dataset(q *Query) error {
	for p.isWord("FROM") {
		f := From{Pos: p.next().pos}
		f.Named = p.word("NAMED")
		t := p.peek()
		if t.kind != iriToken && t.kind != prefixedToken {
			return p.expected("an IRI after FROM")
		}
		ref, err := p.term("")
		if err != nil {
			return err
		}
		if f.IRI = ref.Term.Value; f.Named || !IsDefaultGraph(f.IRI) {
			q.From = append(q.From, f)
		}
	}
	return nil
}
