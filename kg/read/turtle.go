package read

import (
	"strconv"
	"strings"

	"github.com/lacuna-kg/lacuna/internal/rdf"
)

// maxNesting bounds how deep brackets and parentheses of Turtle nest.
const maxNesting = 1000

// turtle parses Turtle 1.2 by recursive descent. Terms are slices of one growing
// memory that is cut back after each of them, so that statements of any length
// cost no memory a term.
type turtle struct {
	*cursor
	into     *loader
	part     split
	base     string
	prefixes map[string]string
	text     []byte
	depth    int
	graphs   bool   // TriG: statements may stand in graphs
	within   []byte // the name of the graph that statements stand in; nil without
}

// readTurtle reads Turtle or, with graphs, TriG.
func (l *loader) readTurtle(in *input, part split, graphs bool) error {
	p := &turtle{cursor: newCursor(in), into: l, part: part, base: l.opts.Base, prefixes: map[string]string{}, graphs: graphs}
	for {
		p.space()
		if p.peek() == endOfText {
			return p.err
		}
		p.text = p.text[:0]
		if err := p.statement(); err != nil {
			return err
		}
	}
}

func (p *turtle) statement() error {
	switch {
	case p.peek() == '@':
		p.next()
		return p.directive(false)
	case p.word("prefix", true), p.word("base", true), p.word("version", true):
		return p.directive(true)
	}
	if p.graphs {
		return p.block()
	}
	if err := p.triples(); err != nil {
		return err
	}
	return p.expect('.', "at the end of the statement")
}

// directive reads what follows @, or the form of SPARQL, which has no dot at its end.
func (p *turtle) directive(sparql bool) error {
	var err error
	switch {
	case p.word("prefix", sparql), !sparql && p.word("prefix:", false): // @prefix:<x> is that of the empty prefix
		p.skip(len("prefix"))
		err = p.prefix()
	case p.word("base", sparql):
		p.skip(len("base"))
		p.base, err = p.reference("after base")
	case p.word("version", sparql):
		p.skip(len("version"))
		err = p.version()
	default:
		return p.errorf("expected prefix, base or version after '@'")
	}
	if err != nil || sparql {
		return err
	}
	return p.expect('.', "at the end of the directive")
}

func (p *turtle) prefix() error {
	p.space()
	from := len(p.text)
	if err := p.prefixName(); err != nil {
		return err
	}
	name := string(p.text[from:])
	iri, err := p.reference("after the prefix")
	if err != nil {
		return err
	}
	p.prefixes[name] = iri
	p.into.declare(name, iri)
	return nil
}

// reference reads an IRI in brackets that a directive needs.
func (p *turtle) reference(where string) (string, error) {
	p.space()
	if p.peek() != '<' {
		return "", p.errorf("expected an IRI in <> %s", where)
	}
	iri, err := p.bracketed()
	return string(iri), err
}

func (p *turtle) triples() error {
	var subject []byte
	var err error
	needed := true
	switch char := p.peek(); {
	case p.comes("<<"):
		subject, err = p.reifiedTriple()
		needed = false
	case char == '[':
		subject, needed, err = p.properties()
	case char == '(':
		subject, err = p.collection()
	case char == '_':
		subject, err = p.blank()
	default:
		subject, err = p.iri("the subject, an IRI, a prefixed name, a blank node, '[' or '('")
	}
	if err != nil {
		return err
	}
	if p.space(); !needed && (p.peek() == '.' || p.graphs && p.peek() == '}') {
		return nil
	}
	return p.predicates(subject)
}

// predicates reads a list of predicates with their objects, parted by ';'.
func (p *turtle) predicates(subject []byte) error {
	for {
		mark := len(p.text)
		predicate, err := p.verb()
		if err != nil {
			return err
		}
		if err := p.objects(subject, predicate); err != nil {
			return err
		}
		p.text = p.text[:mark]
		if p.peek() != ';' {
			return nil
		}
		for p.peek() == ';' { // a ';' may be repeated, and may stand before the end
			p.next()
			p.space()
		}
		if end := p.peek(); end == '.' || end == ']' || end == '|' || p.graphs && end == '}' {
			return nil
		}
	}
}

func (p *turtle) verb() ([]byte, error) {
	p.space()
	if p.word("a", false) {
		p.next()
		return []byte(rdf.Namespace + "type"), nil
	}
	return p.iri("a predicate")
}

// objects reads the objects of a predicate, parted by ','.
func (p *turtle) objects(subject, predicate []byte) error {
	for {
		mark := len(p.text)
		p.space()
		object, err := p.object()
		if err != nil {
			return err
		}
		p.state(subject, predicate, object)
		if err := p.annotations(subject, predicate, object); err != nil {
			return err
		}
		p.text = p.text[:mark]
		if p.space(); p.peek() != ',' {
			return nil
		}
		p.next()
	}
}

func (p *turtle) object() ([]byte, error) {
	switch char := p.peek(); {
	case p.comes("<<("):
		return p.tripleTerm()
	case p.comes("<<"):
		return p.reifiedTriple()
	case char == '[':
		node, _, err := p.properties()
		return node, err
	case char == '(':
		return p.collection()
	case char == '_':
		return p.blank()
	case char == '"' || char == '\'':
		return p.literal()
	case rdf.IsDigit(char) || char == '+' || char == '-' || char == '.' && rdf.IsDigit(p.peekAfter(1)):
		return p.number()
	case p.word("true", false), p.word("false", false):
		return p.boolean()
	}
	return p.iri("an object")
}

// nested runs a part that may hold itself, to a limit.
func (p *turtle) nested(parse func() error) error {
	if p.depth++; p.depth > maxNesting {
		return p.errorf("brackets nest deeper than %d", maxNesting)
	}
	err := parse()
	p.depth--
	return err
}

// properties reads [ … ]: a node without label, and statements about it. Needed
// tells that it had none, so that some must follow where it is a subject.
func (p *turtle) properties() (node []byte, needed bool, err error) {
	p.next()
	node = p.fresh()
	if p.space(); p.peek() == ']' {
		p.next()
		return node, true, nil
	}
	err = p.nested(func() error {
		if err := p.predicates(node); err != nil {
			return err
		}
		return p.expect(']', "after the properties")
	})
	return node, false, err
}

// collection reads ( … ) as the linked list of RDF, and gives its first node.
func (p *turtle) collection() (first []byte, err error) {
	p.next()
	err = p.nested(func() error {
		first, err = p.items()
		return err
	})
	return first, err
}

func (p *turtle) items() (first []byte, err error) {
	const listFirst, listRest, listNil = rdf.Namespace + "first", rdf.Namespace + "rest", rdf.Namespace + "nil"
	var node []byte
	for {
		if p.space(); p.peek() == ')' {
			p.next()
			break
		}
		next := p.fresh()
		if node == nil {
			first = next
		} else {
			p.state(node, []byte(listRest), next)
		}
		node = next
		mark := len(p.text)
		item, err := p.object()
		if err != nil {
			return nil, err
		}
		p.state(node, []byte(listFirst), item)
		p.text = p.text[:mark]
	}
	if node == nil {
		return []byte(listNil), nil
	}
	p.state(node, []byte(listRest), []byte(listNil))
	return first, nil
}

// state hands a statement on.
func (p *turtle) state(subject, predicate, object []byte) {
	p.into.stateIn(p.within, p.part, subject, predicate, object)
}

// keep copies a name into the memory of terms.
func (p *turtle) keep(name string) []byte {
	from := len(p.text)
	p.text = append(p.text, name...)
	return p.text[from:len(p.text):len(p.text)]
}

// fresh names a node without label.
func (p *turtle) fresh() []byte { return p.keep(p.into.freshNode()) }

// freshNode is a label for a node without one, which is not in use.
func (l *loader) freshNode() string {
	for {
		name := l.nodes.next()
		if _, used := l.entities.Find(name); !used {
			return name
		}
	}
}

// blankNodes keeps the labels that nodes without one are given apart from those in
// the text. Files of one folder share it, as they share their blank nodes.
type blankNodes struct {
	given  int             // the last number given
	stated map[string]bool // labels in the text that look like given ones
}

const givenPrefix = "_:anon."

func (b *blankNodes) next() string {
	for {
		b.given++
		if name := givenPrefix + strconv.Itoa(b.given); !b.stated[name] {
			return name
		}
	}
}

// state notes a label of the text and tells whether it is free for it.
func (b *blankNodes) state(label string) bool {
	number, ok := strings.CutPrefix(label, givenPrefix)
	if !ok || b.stated[label] {
		return true
	}
	id, err := strconv.Atoi(number)
	if err == nil && id > 0 && id <= b.given && strconv.Itoa(id) == number {
		return false
	}
	if b.stated == nil {
		b.stated = map[string]bool{}
	}
	b.stated[label] = true
	return true
}
