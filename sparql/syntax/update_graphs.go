package syntax

// The operations on whole graphs (section 3.2 of the recommendation of Update). One graph
// without a name is all there is here, so that some of them have nothing to do, and others
// cannot be done: those are refused by name, unless SILENT asks for success in any case.

// clear reads CLEAR or DROP and what to empty.
func (p *parser) clear(o *Operation, word string) (err error) {
	silent := p.word("SILENT")
	t := p.peek()
	switch {
	case p.word("DEFAULT"), p.word("ALL"):
		o.everything()
	case p.word("NAMED"): // there are none
		o.nothing()
	case p.isWord("GRAPH"):
		isDefault, err := p.graph()
		switch {
		case err != nil:
			return err
		case isDefault:
			o.everything()
			return nil
		}
		p.impossible(o, silent, t.pos, word+" GRAPH")
	default:
		err = p.expected("DEFAULT, NAMED, ALL or GRAPH after " + word)
	}
	return err
}

// load reads LOAD <iri> INTO GRAPH <iri>.
func (p *parser) load(o *Operation) error {
	silent := p.word("SILENT")
	if _, err := p.graphName("after LOAD"); err != nil {
		return err
	}
	if p.word("INTO") {
		if _, err := p.graph(); err != nil {
			return err
		}
	}
	p.impossible(o, silent, o.Pos, "LOAD")
	return nil
}

// create reads CREATE GRAPH <iri>.
func (p *parser) create(o *Operation) error {
	silent := p.word("SILENT")
	if _, err := p.graph(); err != nil {
		return err
	}
	p.impossible(o, silent, o.Pos, "CREATE")
	return nil
}

// transfer reads ADD, MOVE or COPY of one graph to another; of a graph to itself there is nothing to do.
func (p *parser) transfer(o *Operation, word string) error {
	silent := p.word("SILENT")
	from, err := p.defaultOrGraph(word)
	if err != nil {
		return err
	}
	if !p.word("TO") {
		return p.expected("TO and a graph")
	}
	to, err := p.defaultOrGraph("TO")
	if err != nil {
		return err
	}
	if from && to {
		o.nothing()
		return nil
	}
	p.impossible(o, silent, o.Pos, word)
	return nil
}

// defaultOrGraph tells the graph here from those with a name, whose name it reads.
func (p *parser) defaultOrGraph(after string) (isDefault bool, err error) {
	if p.word("DEFAULT") {
		return true, nil
	}
	p.word("GRAPH")
	return p.graphName("or DEFAULT after " + after)
}

// graph reads GRAPH <iri>.
func (p *parser) graph() (isDefault bool, err error) {
	if !p.word("GRAPH") {
		return false, p.expected("GRAPH and its IRI")
	}
	return p.graphName("after GRAPH")
}

// everything makes an operation that deletes all triples.
func (o *Operation) everything() {
	variable := func(name string) Ref { return Ref{Var: name, Pos: o.Pos} }
	o.Delete = []Triple{{variable("s"), Step{variable("p")}, variable("o"), o.Pos}}
	o.Where = groupOf(o.Delete, o.Pos)
}

// nothing makes an operation that changes nothing.
func (o *Operation) nothing() { o.Insert = []Triple{} }

// impossible refuses an operation, or lets it change nothing where it is silent.
func (p *parser) impossible(o *Operation, silent bool, at Pos, what string) {
	o.nothing()
	if silent {
		return
	}
	fetched := ""
	if what == "LOAD" {
		fetched = ", and nothing is fetched"
	}
	p.refuse(at, "%s: there is one graph here, without a name%s", what, fetched)
}
