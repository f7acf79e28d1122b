package read

import (
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strings"

	"github.com/lacuna-kg/lacuna/internal/rdf"
	"github.com/lacuna-kg/lacuna/kg"
)

// xmlText walks through XML with what holds at each element: namespaces, base and
// language. It reads raw tokens, as literals of XML keep their prefixes.
type xmlText struct {
	*xml.Decoder
	name string
	open []element
}

// element is a start tag with what it inherits.
type element struct {
	prefix, space, local string
	written              string // the name as it stands in the text
	attributes           []attribute
	namespaces           map[string]string // by prefix; shared with the parent where it declares none
	base, language       string
}

type attribute struct {
	prefix, space, local, value string
}

func (e *element) iri() string   { return e.space + e.local }
func (a *attribute) iri() string { return a.space + a.local }

const (
	xmlSpace = "http://www.w3.org/XML/1998/namespace"
	// maxEntity bounds what an entity of a document type may stand for, as entities of entities grow fast.
	maxEntity  = 64 << 10
	maxElement = 1000 // how deep elements nest
)

func newXMLText(in *input, base string) *xmlText {
	x := &xmlText{Decoder: xml.NewDecoder(in.Reader), name: in.name}
	x.Entity = map[string]string{}
	x.CharsetReader = func(charset string, text io.Reader) (io.Reader, error) {
		declared, err := encodingOf(strings.ToLower(charset))
		switch {
		case err != nil:
			return nil, x.errorf("unknown encoding %s", charset)
		case in.isDecoded(), declared == utf16: // it is UTF-8 by now
			return text, nil
		}
		return declared.NewDecoder().Reader(text), nil
	}
	x.open = []element{{namespaces: map[string]string{"xml": xmlSpace}, base: base}}
	return x
}

func (x *xmlText) errorf(format string, args ...any) error {
	line, column := x.InputPos()
	return kg.ErrorAt(kg.Invalid, kg.Place{Name: x.name, Line: line, Column: column}, format, args...)
}

// unfinished is the error of a text that ends where an element is open.
func (x *xmlText) unfinished(err error) error {
	if errors.Is(err, io.EOF) {
		return x.errorf("the text ends within an element")
	}
	return err
}

// token gives the next start tag (*element), end tag (nil) or text (string); io.EOF at the end.
func (x *xmlText) token() (any, error) {
	for {
		token, err := x.RawToken()
		if err != nil {
			return nil, x.explain(err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			return x.start(t)
		case xml.EndElement:
			return nil, x.end(t)
		case xml.CharData:
			if strings.ContainsRune(string(t), 0) {
				return nil, x.errorf("a NUL character, expected text")
			}
			return string(t), nil
		case xml.Directive:
			if err := x.entities(string(t)); err != nil {
				return nil, err
			}
		}
	}
}

func (x *xmlText) explain(err error) error {
	var user *kg.Error
	var syntax *xml.SyntaxError
	switch {
	case errors.As(err, &user):
		return user
	case errors.Is(err, io.EOF) && len(x.open) > 1:
		return x.errorf("the text ends within <%s>", x.open[len(x.open)-1].written)
	case errors.Is(err, io.EOF):
		return io.EOF
	case errors.As(err, &syntax):
		return x.errorf("no XML: %s", strings.ReplaceAll(syntax.Msg, "\n", " "))
	}
	return x.errorf("no XML: %s", strings.ReplaceAll(err.Error(), "\n", " "))
}

var entityDeclaration = regexp.MustCompile(`<!ENTITY\s+([^\s%]+)\s+(?:"([^"]*)"|'([^']*)')\s*>`)

// entities takes those that a document type declares, as ontologies do for their namespaces.
func (x *xmlText) entities(directive string) error {
	for _, found := range entityDeclaration.FindAllStringSubmatch(directive, -1) {
		value := found[2] + found[3]
		for name, known := range x.Entity {
			value = strings.ReplaceAll(value, "&"+name+";", known)
			if len(value) > maxEntity {
				return x.errorf("entity %s is longer than %d KiB", found[1], maxEntity>>10)
			}
		}
		x.Entity[found[1]] = value
	}
	return nil
}

// start works out the names of a start tag.
func (x *xmlText) start(t xml.StartElement) (*element, error) {
	if len(x.open) > maxElement {
		return nil, x.errorf("elements nest deeper than %d", maxElement)
	}
	parent := &x.open[len(x.open)-1]
	e := element{prefix: t.Name.Space, local: t.Name.Local, written: writtenName(t.Name), namespaces: declared(parent.namespaces, t.Attr), base: parent.base, language: parent.language}
	var err error
	if e.space, err = x.namespace(&e, e.prefix, true); err != nil {
		return nil, err
	}
	for _, a := range t.Attr {
		if a.Name.Space == "xmlns" || a.Name.Space == "" && a.Name.Local == "xmlns" {
			continue
		}
		space, err := x.namespace(&e, a.Name.Space, false)
		if err != nil {
			return nil, err
		}
		if strings.ContainsRune(a.Value, 0) {
			return nil, x.errorf("a NUL character, expected text")
		}
		e.attributes = append(e.attributes, attribute{a.Name.Space, space, a.Name.Local, a.Value})
		if space == xmlSpace && a.Name.Local == "lang" {
			e.language = a.Value
		}
		if space == xmlSpace && a.Name.Local == "base" {
			e.base = rdf.ResolveIRI(parent.base, a.Value)
		}
	}
	x.open = append(x.open, e)
	return &e, nil
}

func writtenName(name xml.Name) string {
	if name.Space == "" {
		return name.Local
	}
	return name.Space + ":" + name.Local
}

// declared gives the namespaces within an element.
func declared(outer map[string]string, attributes []xml.Attr) map[string]string {
	inner := outer
	for _, a := range attributes {
		prefix := ""
		switch {
		case a.Name.Space == "xmlns":
			prefix = a.Name.Local
		case a.Name.Space != "" || a.Name.Local != "xmlns":
			continue
		}
		if len(inner) == len(outer) {
			inner = map[string]string{}
			for p, space := range outer {
				inner[p] = space
			}
		}
		inner[prefix] = a.Value
	}
	return inner
}

// namespace is that of a prefix; attributes without one have none.
func (x *xmlText) namespace(e *element, prefix string, isElement bool) (string, error) {
	if prefix == "" && !isElement {
		return "", nil
	}
	space, known := e.namespaces[prefix]
	if !known && prefix != "" {
		return "", x.errorf("prefix %q is not declared", prefix+":")
	}
	return space, nil
}

func (x *xmlText) end(t xml.EndElement) error {
	last := x.open[len(x.open)-1]
	if len(x.open) == 1 || writtenName(t.Name) != last.written {
		return x.errorf("</%s>, expected </%s>", writtenName(t.Name), last.written)
	}
	x.open = x.open[:len(x.open)-1]
	return nil
}
