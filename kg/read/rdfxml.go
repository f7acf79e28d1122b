package read

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/lacuna-kg/lacuna/internal/rdf"
)

// rdfXML reads RDF 1.1 XML. The names of its methods are those of the grammar's productions.
type rdfXML struct {
	*xmlText
	into *loader
	part split
	ids  map[string]bool // IRIs that rdf:ID has named
}

// readRDFXML reads RDF/XML.
func (l *loader) readRDFXML(in *input, part split) error {
	p := &rdfXML{xmlText: newXMLText(in, l.opts.Base), into: l, part: part, ids: map[string]bool{}}
	for {
		token, err := p.token()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		if text, isText := token.(string); isText {
			if strings.TrimSpace(text) != "" {
				return p.errorf("expected an element, found text")
			}
			continue
		}
		if err := p.document(token.(*element)); err != nil {
			return err
		}
	}
}

func (p *rdfXML) document(e *element) error {
	for _, name := range slices.Sorted(maps.Keys(e.namespaces)) {
		if iri := e.namespaces[name]; iri != "" && iri != xmlSpace {
			p.into.declare(name, iri)
		}
	}
	if e.iri() != rdf.Namespace+"RDF" {
		_, err := p.nodeElement(e)
		return err
	}
	for i := range e.attributes {
		if a := &e.attributes[i]; a.space != xmlSpace {
			return p.errorf("attribute %s of rdf:RDF, which has none but declarations", a.local)
		}
	}
	return p.children(func(child *element) error {
		_, err := p.nodeElement(child)
		return err
	})
}

// children calls visit with each element up to the end of the one that is open; only white space may stand between.
func (p *rdfXML) children(visit func(*element) error) error {
	for {
		token, err := p.token()
		if err != nil {
			return p.unfinished(err)
		}
		switch t := token.(type) {
		case nil:
			return nil
		case string:
			if strings.TrimSpace(t) != "" {
				return p.errorf("expected an element, found text")
			}
		case *element:
			if err := visit(t); err != nil {
				return err
			}
		}
	}
}

// The terms of RDF that are syntax, and where they may not be names.
var (
	syntaxTerms = []string{"RDF", "ID", "about", "parseType", "resource", "nodeID", "datatype", "aboutEach", "aboutEachPrefix", "bagID"}
	noNode      = append([]string{"li"}, syntaxTerms...)
	noProperty  = append([]string{"Description"}, syntaxTerms...)
	noAttribute = append([]string{"Description", "li"}, syntaxTerms...)
)

// allowed tells whether a name may be used for what it is.
func allowed(iri string, not []string) bool {
	term, ours := strings.CutPrefix(iri, rdf.Namespace)
	return !ours || !slices.Contains(not, term)
}

// syntax takes the attributes that are syntax out of an element, by their terms.
// Those without a prefix, from before 2004, count as RDF's.
func (p *rdfXML) syntax(e *element) (terms map[string]string, properties []attribute, err error) {
	terms = map[string]string{}
	for _, a := range e.attributes {
		term, ours := strings.CutPrefix(a.iri(), rdf.Namespace)
		if a.space == "" {
			term, ours = a.local, slices.Contains([]string{"ID", "about", "resource", "parseType", "type", "datatype", "nodeID"}, a.local)
			if ours && a.local == "type" {
				a.space = rdf.Namespace
			}
		}
		switch {
		case a.space == xmlSpace || a.space == "" && strings.HasPrefix(strings.ToLower(a.local), "xml"):
		case ours && slices.Contains([]string{"ID", "about", "parseType", "resource", "nodeID", "datatype"}, term):
			if _, twice := terms[term]; twice {
				return nil, nil, p.errorf("a second rdf:%s", term)
			}
			terms[term] = a.value
		case a.space == "":
			return nil, nil, p.errorf("attribute %s has no namespace", a.local)
		case !allowed(a.iri(), noAttribute):
			return nil, nil, p.errorf("rdf:%s cannot be an attribute here", a.local)
		default:
			properties = append(properties, a)
		}
	}
	return terms, properties, nil
}

// nodeElement reads an element that stands for a node, and all that is said within it.
func (p *rdfXML) nodeElement(e *element) (subject string, err error) {
	if !allowed(e.iri(), noNode) || e.space == "" {
		return "", p.errorf("<%s> cannot be a node", e.written)
	}
	terms, properties, err := p.syntax(e)
	if err != nil {
		return "", err
	}
	if subject, err = p.subject(e, terms); err != nil {
		return "", err
	}
	if e.iri() != rdf.Namespace+"Description" {
		p.state(subject, rdf.Namespace+"type", e.iri())
	}
	if err := p.propertyAttributes(e, subject, properties); err != nil {
		return "", err
	}
	members := 0
	return subject, p.children(func(child *element) error { return p.propertyElement(subject, child, &members) })
}

func (p *rdfXML) subject(e *element, terms map[string]string) (string, error) {
	if err := p.only(terms, "ID", "about", "nodeID"); err != nil {
		return "", err
	}
	if len(terms) > 1 {
		return "", p.errorf("expected one of rdf:ID, rdf:about and rdf:nodeID")
	}
	if id, ok := terms["ID"]; ok {
		return p.identified(e, id)
	}
	if about, ok := terms["about"]; ok {
		return p.resolve(e, about)
	}
	if label, ok := terms["nodeID"]; ok {
		return p.labelled(label)
	}
	return p.into.freshNode(), nil
}

// only refuses terms of RDF other than those expected.
func (p *rdfXML) only(terms map[string]string, expected ...string) error {
	for term := range terms {
		if !slices.Contains(expected, term) {
			return p.errorf("rdf:%s cannot stand here", term)
		}
	}
	return nil
}

// identified is the IRI of an rdf:ID, which no other element may have.
func (p *rdfXML) identified(e *element, id string) (string, error) {
	if !isNCName(id) {
		return "", p.errorf("%q is no name for rdf:ID", id)
	}
	iri, err := p.resolve(e, "#"+id)
	if err == nil && p.ids[iri] {
		return "", p.errorf("a second rdf:ID %q", id)
	}
	p.ids[iri] = true
	return iri, err
}

func (p *rdfXML) resolve(e *element, reference string) (string, error) {
	iri := rdf.ResolveIRI(e.base, reference)
	if iri == "" || strings.HasPrefix(iri, "_:") || strings.ContainsFunc(iri, func(char rune) bool { return !rdf.InIRI(char) }) {
		return "", p.errorf("%q is no IRI; an empty one needs a base", reference)
	}
	return iri, nil
}

func (p *rdfXML) labelled(label string) (string, error) {
	if !isNCName(label) {
		return "", p.errorf("%q is no name for rdf:nodeID", label)
	}
	if name := "_:" + label; p.into.nodes.state(name) {
		return name, nil
	}
	return "", p.errorf("the label %s is taken by a node without label; use another", label)
}

// isNCName tells a name of XML without colon.
func isNCName(name string) bool {
	for i, char := range name {
		if i == 0 && !rdf.NameBase(char) && char != '_' || !rdf.NameChar(char) && char != '.' {
			return false
		}
	}
	return name != ""
}

func (p *rdfXML) propertyAttributes(e *element, subject string, properties []attribute) error {
	for _, a := range properties {
		if a.iri() == rdf.Namespace+"type" {
			class, err := p.resolve(e, a.value)
			if err != nil {
				return err
			}
			p.state(subject, a.iri(), class)
			continue
		}
		value, err := p.literal(a.value, e.language, "")
		if err != nil {
			return err
		}
		p.state(subject, a.iri(), value)
	}
	return nil
}

// propertyElement reads an element that stands for a predicate, and its object.
func (p *rdfXML) propertyElement(subject string, e *element, members *int) error {
	predicate := e.iri()
	if predicate == rdf.Namespace+"li" {
		*members++
		predicate = fmt.Sprintf("%s_%d", rdf.Namespace, *members)
	}
	if !allowed(predicate, noProperty) || e.space == "" {
		return p.errorf("<%s> cannot be a property", e.written)
	}
	terms, properties, err := p.syntax(e)
	if err != nil {
		return err
	}
	object, err := p.object(e, terms, properties)
	if err != nil {
		return err
	}
	p.state(subject, predicate, object)
	if id, named := terms["ID"]; named {
		return p.reify(e, id, [3]string{subject, predicate, object})
	}
	return nil
}

// reify states a statement as the thing that rdf:ID names.
func (p *rdfXML) reify(e *element, id string, statement [3]string) error {
	name, err := p.identified(e, id)
	if err != nil {
		return err
	}
	for i, role := range []string{"subject", "predicate", "object"} {
		p.state(name, rdf.Namespace+role, statement[i])
	}
	p.state(name, rdf.Namespace+"type", rdf.Namespace+"Statement")
	return nil
}

// object reads what a property element holds.
func (p *rdfXML) object(e *element, terms map[string]string, properties []attribute) (string, error) {
	if kind, stated := terms["parseType"]; stated {
		if err := p.only(terms, "parseType", "ID"); err != nil {
			return "", err
		}
		if len(properties) > 0 {
			return "", p.errorf("attribute %s beside rdf:parseType", properties[0].local)
		}
		return p.parsed(e, kind)
	}
	_, isResource := terms["resource"]
	_, isNode := terms["nodeID"]
	if isResource || isNode || len(properties) > 0 {
		return p.emptyObject(e, terms, properties)
	}
	return p.nodeOrLiteral(e, terms["datatype"])
}

// parsed reads content that rdf:parseType says the meaning of; unknown ones mean literals.
func (p *rdfXML) parsed(e *element, kind string) (string, error) {
	switch kind {
	case "Resource":
		node, members := p.into.freshNode(), 0
		return node, p.children(func(child *element) error { return p.propertyElement(node, child, &members) })
	case "Collection":
		return p.collection()
	}
	text, err := p.innerXML()
	return `"` + escaped(text) + `"^^<` + rdf.Namespace + "XMLLiteral>", err
}

// collection reads nodes as the linked list of RDF.
func (p *rdfXML) collection() (string, error) {
	var nodes []string
	err := p.children(func(child *element) error {
		node, err := p.nodeElement(child)
		nodes = append(nodes, node)
		return err
	})
	list := rdf.Namespace + "nil"
	for _, node := range slices.Backward(nodes) {
		item := p.into.freshNode()
		p.state(item, rdf.Namespace+"first", node)
		p.state(item, rdf.Namespace+"rest", list)
		list = item
	}
	return list, err
}

// emptyObject reads a property whose object is all in its attributes.
func (p *rdfXML) emptyObject(e *element, terms map[string]string, properties []attribute) (object string, err error) {
	if err := p.only(terms, "ID", "resource", "nodeID"); err != nil {
		return "", err
	}
	resource, isResource := terms["resource"]
	label, isNode := terms["nodeID"]
	switch {
	case isResource && isNode:
		return "", p.errorf("rdf:resource beside rdf:nodeID")
	case isResource:
		object, err = p.resolve(e, resource)
	case isNode:
		object, err = p.labelled(label)
	default:
		object = p.into.freshNode()
	}
	if err != nil {
		return "", err
	}
	if err := p.propertyAttributes(e, object, properties); err != nil {
		return "", err
	}
	return object, p.children(func(*element) error {
		return p.errorf("an element within <%s>, whose object is in its attributes", e.written)
	})
}

// nodeOrLiteral reads a property that holds one node or text.
func (p *rdfXML) nodeOrLiteral(e *element, datatype string) (string, error) {
	var text strings.Builder
	node := ""
	for {
		token, err := p.token()
		if err != nil {
			return "", p.unfinished(err)
		}
		switch t := token.(type) {
		case string:
			text.WriteString(t)
		case *element:
			if node != "" || datatype != "" {
				return "", p.errorf("<%s> within a property that has its object, or a type of text", t.written)
			}
			if node, err = p.nodeElement(t); err != nil {
				return "", err
			}
		case nil:
			switch {
			case node == "":
				return p.typedLiteral(e, text.String(), datatype)
			case strings.TrimSpace(text.String()) != "":
				return "", p.errorf("text beside a node in <%s>", e.written)
			}
			return node, nil
		}
	}
}

func (p *rdfXML) typedLiteral(e *element, text, datatype string) (string, error) {
	if datatype == "" {
		return p.literal(text, e.language, "")
	}
	kind, err := p.resolve(e, datatype)
	if err != nil {
		return "", err
	}
	return p.literal(text, "", kind)
}

func (p *rdfXML) literal(text, language, kind string) (string, error) {
	switch {
	case language != "" && languageLength([]byte(language)) != len(language):
		return "", p.errorf("%q is no language", language)
	case language != "":
		return `"` + escaped(text) + `"@` + language, nil
	case kind != "":
		return string(dropStringType([]byte(`"` + escaped(text) + `"^^<` + kind + ">"))), nil
	}
	return `"` + escaped(text) + `"`, nil
}

func escaped(text string) string {
	var name []byte
	for _, char := range text {
		name = rdf.AppendEscaped(name, char)
	}
	return string(name)
}

func (p *rdfXML) state(subject, predicate, object string) {
	p.into.state(p.part, []byte(subject), []byte(predicate), []byte(object))
}
