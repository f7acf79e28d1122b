package read

import "strings"

// gexf reads GEXF, the XML of Gephi.
type gexf struct {
	graphML
	undirected bool // edges that do not say otherwise
	titles     map[string]graphMLKey
}

func (l *loader) readGEXF(in *input, part split) error {
	p := &gexf{graphML: graphML{xmlText: newXMLText(in, ""), into: l, part: part}, undirected: true, titles: map[string]graphMLKey{}}
	return p.document("gexf", p.top)
}

// top reads what stands in <gexf>, in its graph and in the lists there.
func (p *gexf) top(e *element) error {
	switch e.local {
	case "graph":
		p.undirected = e.attr("defaultedgetype") != "directed" && e.attr("defaultedgetype") != "mutual"
		return p.within(p.top)
	case "nodes", "edges":
		return p.within(p.top)
	case "attributes":
		class := e.attr("class")
		return p.within(func(a *element) error {
			p.titles[class+" "+a.attr("id")] = graphMLKey{a.attr("title"), map[string]string{"integer": "int"}[a.attr("type")] + strings.TrimPrefix(a.attr("type"), "integer")}
			return p.skip(a)
		})
	case "node":
		return p.node(e)
	case "edge":
		return p.edge(e)
	}
	return p.skip(e)
}

func (p *gexf) node(e *element) error {
	id, label := e.attr("id"), e.attr("label")
	if id == "" {
		return p.errorf("a node without id")
	}
	properties, err := p.values("node")
	if err != nil {
		return err
	}
	if label != "" {
		p.into.labels.addText([]byte(id), []byte(label))
	}
	p.into.node(p.part, id, nil, properties)
	return nil
}

func (p *gexf) edge(e *element) error {
	source, target, relation := e.attr("source"), e.attr("target"), e.attr("label")
	if source == "" || target == "" {
		return p.errorf("an edge without source or target")
	}
	if kind := e.attr("kind"); relation == "" {
		relation = kind
	}
	undirected := p.undirected
	switch e.attr("type") {
	case "directed", "mutual":
		undirected = false
	case "undirected":
		undirected = true
	}
	properties, err := p.values("edge")
	if err != nil {
		return err
	}
	for _, name := range []string{"weight", "start", "end"} { // which the format itself has
		if text := e.attr(name); text != "" && properties[name] == nil {
			properties[name] = typedText{text, literalType([]byte(text))}
		}
	}
	mutual := e.attr("type") == "mutual"
	p.into.edge(p.part, source, relation, target, properties, undirected || mutual)
	return nil
}

// values reads the properties in a node or an edge, to its end; nodes may nest.
func (p *gexf) values(class string) (map[string]any, error) {
	properties := map[string]any{}
	err := p.within(func(e *element) error {
		switch e.local {
		case "attvalues":
			return p.within(func(v *element) error {
				key, known := p.titles[class+" "+v.attr("for")]
				if !known || key.name == "" {
					key.name = v.attr("for")
				}
				if text := strings.TrimSpace(v.attr("value")); text != "" && key.name != "" {
					properties[key.name] = key.value(text)
				}
				return p.skip(v)
			})
		case "nodes", "edges":
			return p.within(p.top)
		}
		return p.skip(e)
	})
	return properties, err
}

// edge states an edge; its relation is what it or its properties say.
func (l *loader) edge(part split, source, relation, target string, properties map[string]any, undirected bool) {
	for _, name := range edgeNames {
		if text, ok := properties[name].(string); ok && text != "" {
			if relation == "" {
				relation = text
			}
			delete(properties, name)
			break
		}
	}
	if relation == "" {
		relation = plainEdge
	}
	said := l.edgeProperties(properties)
	l.fact(part, []byte(source), []byte(relation), []byte(target))
	l.annotate(part, said)
	if undirected && source != target {
		l.fact(part, []byte(target), []byte(relation), []byte(source))
		l.annotate(part, said)
		l.report.BothWays++
	}
}
