package dataset

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
)

// A template is an expression without its numbers, in prefix order: e an anchor,
// a all entities, p a projection, n a complement, i and u an intersection and a
// union followed by the number of their operands. 2in is "i2penpe". The numbers
// of an expression are the relations and entities in the same order. A file
// stores a template once and the numbers of its queries as columns.
//
// The limits are far beyond what anyone asks and keep a crafted file from
// exhausting the stack.
const (
	maxTemplateNodes = 10_000
	maxTemplateDepth = 1_000
)

// appendTemplate adds the template of e to template and the numbers of e to numbers.
func appendTemplate(template []byte, numbers []uint32, e query.Expr) ([]byte, []uint32, error) {
	t := templater{template: template, numbers: numbers}
	err := t.add(e, 0)
	return t.template, t.numbers, err
}

type templater struct {
	template []byte
	numbers  []uint32
	nodes    int
}

func (t *templater) add(e query.Expr, depth int) error {
	t.nodes++
	if t.nodes > maxTemplateNodes || depth > maxTemplateDepth {
		return errTemplateSize
	}
	switch e := e.(type) {
	case query.Anchor:
		t.template, t.numbers = append(t.template, 'e'), append(t.numbers, uint32(e.Entity))
		return nil
	case query.Universe:
		t.template = append(t.template, 'a')
		return nil
	case query.Projection:
		t.template, t.numbers = append(t.template, 'p'), append(t.numbers, uint32(e.Relation))
		return t.add(e.Of, depth+1)
	case query.Complement:
		t.template = append(t.template, 'n')
		return t.add(e.Of, depth+1)
	case query.Intersection:
		return t.addMany('i', e.Of, depth)
	case query.Union:
		return t.addMany('u', e.Of, depth)
	}
	return fmt.Errorf("expected a query expression, found %T", e)
}

func (t *templater) addMany(kind byte, operands []query.Expr, depth int) error {
	if len(operands) < 2 {
		return fmt.Errorf("expected two or more operands of an intersection or union, found %d", len(operands))
	}
	t.template = strconv.AppendInt(append(t.template, kind), int64(len(operands)), 10)
	for _, operand := range operands {
		if err := t.add(operand, depth+1); err != nil {
			return err
		}
	}
	return nil
}

var (
	errTemplateSize = fmt.Errorf("the query has over %d operations or is nested over %d deep", maxTemplateNodes, maxTemplateDepth)
	errTemplate     = errors.New("malformed query template")
)

// template is a checked template, ready to be filled with numbers.
type template struct {
	nodes []templateNode // in prefix order
	// relations tells for each number of the template whether it is a relation, else an entity.
	relations []bool
}

type templateNode struct {
	kind     byte
	operands int // of i and u
}

// parseTemplate checks that text is the template of exactly one expression.
func parseTemplate(text string) (*template, error) {
	t := &template{}
	open := []int{1} // operands still missing at each level: the expression itself first
	for at := 0; at < len(text); {
		for len(open) > 0 && open[len(open)-1] == 0 {
			open = open[:len(open)-1]
		}
		if len(open) == 0 {
			return nil, errTemplate // text after the end of the expression
		}
		open[len(open)-1]--
		node, length := parseTemplateNode(text[at:])
		if length == 0 {
			return nil, errTemplate
		}
		at += length
		open = append(open, node.operands)
		t.add(node)
		if len(t.nodes) > maxTemplateNodes || len(open) > maxTemplateDepth+2 {
			return nil, errTemplateSize
		}
	}
	for _, missing := range open {
		if missing > 0 {
			return nil, errTemplate
		}
	}
	return t, nil
}

func (t *template) add(node templateNode) {
	t.nodes = append(t.nodes, node)
	switch node.kind {
	case 'e':
		t.relations = append(t.relations, false)
	case 'p':
		t.relations = append(t.relations, true)
	}
}

// parseTemplateNode reads one node and gives the length of its text, 0 if it is malformed.
func parseTemplateNode(text string) (templateNode, int) {
	switch kind := text[0]; kind {
	case 'e', 'a':
		return templateNode{kind, 0}, 1
	case 'p', 'n':
		return templateNode{kind, 1}, 1
	case 'i', 'u':
		end := 1
		for end < len(text) && '0' <= text[end] && text[end] <= '9' {
			end++
		}
		operands, err := strconv.Atoi(text[1:end])
		// One text a template: no leading zero.
		if err != nil || text[1] == '0' || operands < 2 || operands > maxTemplateNodes {
			return templateNode{}, 0
		}
		return templateNode{kind, operands}, end
	}
	return templateNode{}, 0
}

// fill makes the expression of the template with the given numbers, one for each of t.relations.
func (t *template) fill(numbers []uint32) query.Expr {
	f := filler{t.nodes, numbers}
	return f.next()
}

type filler struct {
	nodes   []templateNode
	numbers []uint32
}

func (f *filler) next() query.Expr {
	node := f.nodes[0]
	f.nodes = f.nodes[1:]
	switch node.kind {
	case 'e':
		return query.Anchor{Entity: kg.Entity(f.number())}
	case 'p':
		relation := kg.Relation(f.number())
		return query.Projection{Relation: relation, Of: f.next()}
	case 'n':
		return query.Complement{Of: f.next()}
	case 'i':
		return query.Intersection{Of: f.several(node.operands)}
	case 'u':
		return query.Union{Of: f.several(node.operands)}
	}
	return query.Universe{}
}

func (f *filler) several(count int) []query.Expr {
	operands := make([]query.Expr, count)
	for i := range operands {
		operands[i] = f.next()
	}
	return operands
}

func (f *filler) number() uint32 {
	number := f.numbers[0]
	f.numbers = f.numbers[1:]
	return number
}

// shapeNames gives the shapes of expressions. It remembers those of the templates it
// met, of which a set has few, as to find one takes longer than to answer a simple query.
type shapeNames struct {
	byTemplate map[string]string
	template   []byte   // scratch
	numbers    []uint32 // scratch
}

func (s *shapeNames) of(e query.Expr) string {
	var err error
	s.template, s.numbers, err = appendTemplate(s.template[:0], s.numbers[:0], e)
	if err != nil {
		return query.ShapeOf(e) // beyond the limits of files
	}
	shape, ok := s.byTemplate[string(s.template)]
	if !ok {
		shape = query.ShapeOf(e)
		if s.byTemplate == nil {
			s.byTemplate = map[string]string{}
		}
		s.byTemplate[string(s.template)] = shape
	}
	return shape
}
