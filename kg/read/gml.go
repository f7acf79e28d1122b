package read

import (
	"html"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/lacuna-kg/lacuna/kg"
)

// gml reads GML, the graph modelling language of NetworkX, igraph and yEd: graph [ node [ id 1 label "x" ] edge [ … ] ].
type gml struct {
	name string
	text string
	line int
	into *loader
	part split
	both bool // edges are undirected
}

// gmlList is what stands in brackets: names with values, each a list, a number or a text.
type gmlList []gmlPair

type gmlPair struct {
	name string
	list gmlList
	text string
	kind string // of the text: "" for a string, integer or double
}

func (l *loader) readGML(in *input, part split) error {
	data, err := io.ReadAll(io.LimitReader(in, containerLimit+1))
	if err != nil {
		return err
	}
	if len(data) > containerLimit {
		return tooLong(in.name, containerLimit)
	}
	text := strings.TrimPrefix(string(data), utf8Mark)
	if !utf8.ValidString(text) {
		return kg.Errorf(kg.Invalid, in.name, notUTF8)
	}
	p := &gml{name: in.name, text: text, line: 1, into: l, part: part}
	top, err := p.list(0)
	if err != nil {
		return err
	}
	found := false
	for _, pair := range top {
		if strings.EqualFold(pair.name, "graph") && pair.list != nil {
			found = true
			if err := p.graph(pair.list); err != nil {
				return err
			}
		}
	}
	if !found {
		return kg.Errorf(kg.Invalid, in.name, "no graph [ … ], which GML has")
	}
	return nil
}

// graph states the nodes and then the edges of a graph.
func (p *gml) graph(graph gmlList) error {
	p.both = true
	for _, pair := range graph {
		if strings.EqualFold(pair.name, "directed") {
			p.both = pair.text != "1"
		}
	}
	for _, pair := range graph {
		if !strings.EqualFold(pair.name, "node") {
			continue
		}
		id, properties := pair.list.take("id")
		if id == "" {
			return kg.Errorf(kg.Invalid, p.name, "a node without id")
		}
		delete(properties, "graphics")
		p.into.node(p.part, id, nil, properties)
	}
	for _, pair := range graph {
		if !strings.EqualFold(pair.name, "edge") {
			continue
		}
		source, _ := pair.list.take("source")
		target, properties := pair.list.take("target")
		if source == "" || target == "" {
			return kg.Errorf(kg.Invalid, p.name, "an edge without source or target")
		}
		delete(properties, "source")
		delete(properties, "id")
		p.into.edge(p.part, source, "", target, properties, p.both)
	}
	return nil
}

// take gives the value of a name, and the others as properties.
func (l gmlList) take(name string) (text string, properties map[string]any) {
	properties = map[string]any{}
	for _, pair := range l {
		switch {
		case strings.EqualFold(pair.name, name):
			text = pair.text
		case pair.list != nil:
		case pair.kind != "":
			properties[pair.name] = typedText{pair.text, pair.kind}
		case pair.text != "":
			properties[pair.name] = pair.text
		}
	}
	return text, properties
}

func (p *gml) errorf(format string, args ...any) error {
	return kg.ErrorAt(kg.Invalid, kg.Place{Name: p.name, Line: p.line}, format, args...)
}

// list reads names and values up to the bracket that closes it, or to the end of the text.
func (p *gml) list(depth int) (gmlList, error) {
	list := gmlList{}
	for {
		name := p.word()
		switch {
		case name == "" && depth == 0 || name == "]" && depth > 0:
			return list, nil
		case name == "":
			return nil, p.errorf("the text ends within [ … ]")
		case name == "[" || name == "]" || name[0] == '"' || depth > maxNesting:
			return nil, p.errorf("%.20q, expected a name", name)
		}
		value := p.word()
		pair := gmlPair{name: name, text: value}
		switch {
		case value == "" || value == "]":
			return nil, p.errorf("no value of %.40s", name)
		case value == "[":
			var err error
			if pair.list, err = p.list(depth + 1); err != nil {
				return nil, err
			}
		case value[0] == '"':
			pair.text = html.UnescapeString(strings.Trim(value, `"`))
			if strings.ContainsRune(pair.text, 0) {
				return nil, p.errorf("a NUL character, expected text")
			}
		default:
			if pair.kind = numberType([]byte(value)); strings.ContainsRune(value, 0) {
				return nil, p.errorf("a NUL character, expected text")
			}
		}
		list = append(list, pair)
	}
}

// word is the next name, number, bracket or text in quotes; "" at the end. Lines that begin with # are remarks.
func (p *gml) word() string {
	for p.text != "" {
		switch first := p.text[0]; {
		case first == '\n':
			p.line++
			fallthrough
		case first == ' ' || first == '\t' || first == '\r':
			p.text = p.text[1:]
		case first == '#':
			at := strings.IndexByte(p.text, '\n')
			if at < 0 {
				at = len(p.text)
			}
			p.text = p.text[at:]
		case first == '[' || first == ']':
			return p.cut(1)
		case first == '"':
			end := strings.IndexByte(p.text[1:], '"')
			if end < 0 {
				return p.cut(len(p.text))
			}
			return p.cut(end + 2)
		default:
			end := strings.IndexAny(p.text, " \t\r\n[]\"")
			if end < 0 {
				end = len(p.text)
			}
			return p.cut(end)
		}
	}
	return ""
}

func (p *gml) cut(length int) string {
	word := p.text[:length]
	p.line += strings.Count(word, "\n")
	p.text = p.text[length:]
	return word
}
