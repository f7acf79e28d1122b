package read

import (
	"errors"
	"io"
	"slices"
	"strings"
)

// graphML reads GraphML, the XML of NetworkX, Gephi, yEd, igraph and APOC.
type graphML struct {
	*xmlText
	into *loader
	part split
	keys map[string]graphMLKey
	both bool // edges are undirected that do not say otherwise
}

// graphMLKey is a declared property.
type graphMLKey struct{ name, kind string }

func (l *loader) readGraphML(in *input, part split) error {
	p := &graphML{xmlText: newXMLText(in, ""), into: l, part: part, keys: map[string]graphMLKey{}}
	return p.document("graphml", p.top)
}

// document reads a whole text, whose outermost element has this name; top is called with each element in it.
func (p *graphML) document(root string, top func(*element) error) error {
	for {
		token, err := p.token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if e, ok := token.(*element); ok {
			if e.local != root {
				return p.errorf("<%s>, expected <%s>", e.written, root)
			}
			if err := p.within(top); err != nil {
				return err
			}
		}
	}
}

// within calls visit with each element up to the end of the one that is open; visit must read it to its end.
func (p *graphML) within(visit func(*element) error) error {
	for {
		token, err := p.token()
		if err != nil {
			return p.unfinished(err)
		}
		switch t := token.(type) {
		case nil:
			return nil
		case *element:
			if err := visit(t); err != nil {
				return err
			}
		}
	}
}

func (p *graphML) skip(*element) error { return p.within(p.skip) }

// attr is an attribute's value, "" where there is none.
func (e *element) attr(name string) string {
	for _, a := range e.attributes {
		if a.local == name {
			return a.value
		}
	}
	return ""
}

// top reads what stands in <graphml> or in a <graph>, which may nest.
func (p *graphML) top(e *element) error {
	switch e.local {
	case "key":
		name := e.attr("attr.name")
		if name == "" {
			name = e.attr("id")
		}
		p.keys[e.attr("id")] = graphMLKey{name, e.attr("attr.type")}
	case "graph":
		if kind := e.attr("edgedefault"); kind != "" {
			p.both = kind == "undirected"
		}
		return p.within(p.top)
	case "node":
		return p.node(e)
	case "edge":
		return p.edge(e)
	case "hyperedge":
		return p.errorf("a hyperedge, expected edges between two nodes")
	}
	return p.skip(e)
}

func (p *graphML) node(e *element) error {
	id := e.attr("id")
	if id == "" {
		return p.errorf("a node without id")
	}
	properties, err := p.data()
	if err != nil {
		return err
	}
	kinds := e.attr("labels") // as APOC has it: ":Person:Actor"
	if stated, ok := properties["labels"].(string); ok && kinds == "" && strings.HasPrefix(stated, ":") {
		kinds = stated
	}
	if kinds != "" {
		delete(properties, "labels")
	}
	p.into.node(p.part, id, strings.FieldsFunc(kinds, func(char rune) bool { return char == ':' }), properties)
	return nil
}

// edgeNames are the properties that say what an edge is, the first that it has.
var edgeNames = []string{"relation", "predicate", "label", "type", "relationship", "edgelabel", "interaction", "kind", "name"}

func (p *graphML) edge(e *element) error {
	source, target, relation := e.attr("source"), e.attr("target"), e.attr("label")
	if source == "" || target == "" {
		return p.errorf("an edge without source or target")
	}
	properties, err := p.data()
	if err != nil {
		return err
	}
	undirected := p.both
	if stated := e.attr("directed"); stated != "" {
		undirected = stated == "false"
	}
	p.into.edge(p.part, source, relation, target, properties, undirected)
	return nil
}

// data reads the properties in a node or an edge, to its end.
func (p *graphML) data() (map[string]any, error) {
	properties := map[string]any{}
	err := p.within(func(e *element) error {
		if e.local == "graph" {
			return p.within(p.top)
		}
		if e.local != "data" {
			return p.skip(e)
		}
		key, known := p.keys[e.attr("key")]
		if !known {
			key = graphMLKey{name: e.attr("key")}
		}
		text, err := p.text()
		if text = strings.TrimSpace(text); text != "" {
			properties[key.name] = key.value(text)
		}
		return err
	})
	return properties, err
}

// text gives the text of the open element, to its end; elements within, such as yEd's drawings, are passed over.
func (p *graphML) text() (string, error) {
	var b strings.Builder
	for {
		token, err := p.token()
		if err != nil {
			return "", p.unfinished(err)
		}
		switch t := token.(type) {
		case nil:
			return b.String(), nil
		case string:
			b.WriteString(t)
		case *element:
			if err := p.skip(t); err != nil {
				return "", err
			}
		}
	}
}

// value is a property's text with the type that its key declares.
func (k graphMLKey) value(text string) any {
	kind := literalType([]byte(text))
	switch k.kind {
	case "boolean":
		if kind == "boolean" {
			return typedText{text, kind}
		}
	case "int", "long", "float", "double":
		if slices.Contains([]string{"integer", "decimal", "double"}, kind) {
			return typedText{text, kind}
		}
	}
	return text
}
