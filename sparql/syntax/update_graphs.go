package syntax

import "fmt"

// The operations on whole graphs (section 3.2 of the recommendation of Update) are spelt out as templates and patterns: to clear a graph
// is to delete every triple that it has. A graph is there as long as something is in it.

// clear reads CLEAR or DROP and what to empty.
func (p *parser) clear(o *Operation, word string) (err error) {
	silent := p.word("SILENT")
	switch {
	case p.word("DEFAULT"):
		o.empties("")
		o.Managed = word + " DEFAULT"
	case p.word("ALL"):
		o.emptiesNamed()
		o.Delete = append(o.Delete, everyTriple("", "d"))
		o.Where = &Group{Of: []Pattern{Union{[]*Group{o.Where, groupOf(o.Delete[1:], o.Pos)}}}, Pos: o.Pos}
		o.Managed = word + " ALL"
	case p.word("NAMED"):
		o.emptiesNamed()
		o.Managed = word + " NAMED"
	case p.isWord("GRAPH"):
		iri, err := p.graph()
		if err != nil {
			return err
		}
		o.empties(iri)
		o.Managed = word + " " + silently(silent) + "GRAPH " + graphText(iri)
		o.needs(iri, silent)
	default:
		err = p.expected("DEFAULT, NAMED, ALL or GRAPH after " + word)
	}
	return err
}

func silently(silent bool) string { return map[bool]string{true: "SILENT "}[silent] }

// graphText is a graph as an operation names it.
func graphText(iri string) string {
	if iri == "" {
		return "<urn:x-arq:DefaultGraph>"
	}
	return fmt.Sprintf("<%s>", iri)
}

// needs has an operation fail where there is no such graph or, if it is silent, do nothing.
func (o *Operation) needs(iri string, silent bool) { o.Needed, o.Silent = iri, silent }

// everyTriple is the template of all triples of a graph, by variables of some names.
func everyTriple(graph, names string) Triple {
	variable := func(name string) Ref { return Ref{Var: names + name} }
	return Triple{Subject: variable("s"), Path: Step{variable("p")}, Object: variable("o"), Graph: graphRef(graph)}
}

// empties makes an operation that deletes all triples of a graph.
func (o *Operation) empties(graph string) {
	o.Delete = []Triple{everyTriple(graph, "")}
	o.Where = groupOf(o.Delete, o.Pos)
}

// emptiesNamed makes one that does so of all named graphs.
func (o *Operation) emptiesNamed() {
	all := everyTriple("", "")
	all.Graph = Ref{Var: "g"}
	o.Delete = []Triple{all}
	o.Where = groupOf(o.Delete, o.Pos)
}

// load reads LOAD <iri> INTO GRAPH <iri>.
func (p *parser) load(o *Operation) error {
	silent := p.word("SILENT")
	iri, err := p.graphName("after LOAD")
	if err != nil {
		return err
	}
	o.Load, o.Silent = iri, silent
	o.Managed = "LOAD " + silently(silent) + graphText(iri)
	if p.word("INTO") {
		if o.Into, err = p.graph(); err != nil {
			return err
		}
		o.Managed += " INTO GRAPH " + graphText(o.Into)
	}
	o.nothing()
	return nil
}

// create reads CREATE GRAPH <iri>: a graph comes with its first triple.
func (p *parser) create(o *Operation) error {
	silent := p.word("SILENT")
	iri, err := p.graph()
	if err != nil {
		return err
	}
	if !silent {
		o.New = iri
	}
	o.Managed = "CREATE " + silently(silent) + "GRAPH " + graphText(iri)
	o.nothing()
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
	o.Managed = fmt.Sprintf("%s %s%s TO %s", word, silently(silent), graphText(from), graphText(to))
	o.needs(from, silent)
	if from == to {
		o.nothing()
		return nil
	}
	source := everyTriple(from, "")
	o.Insert = []Triple{source}
	o.Insert[0].Graph = graphRef(to)
	sides := []*Group{groupOf([]Triple{source}, o.Pos)}
	if word != "ADD" {
		o.Delete = []Triple{everyTriple(to, "d")}
		sides = append(sides, groupOf(o.Delete, o.Pos))
	}
	if word == "MOVE" {
		o.Delete = append(o.Delete, source)
	}
	o.Where = &Group{Of: []Pattern{Union{sides}}, Pos: o.Pos}
	if len(sides) == 1 {
		o.Where = sides[0]
	}
	return nil
}

// defaultOrGraph is the name of a graph, "" for the one without.
func (p *parser) defaultOrGraph(after string) (iri string, err error) {
	if p.word("DEFAULT") {
		return "", nil
	}
	p.word("GRAPH")
	return p.graphName("or DEFAULT after " + after)
}

// graph reads GRAPH <iri>.
func (p *parser) graph() (iri string, err error) {
	if !p.word("GRAPH") {
		return "", p.expected("GRAPH and its IRI")
	}
	return p.graphName("after GRAPH")
}

// nothing makes an operation that changes nothing.
func (o *Operation) nothing() { o.Insert = []Triple{} }
