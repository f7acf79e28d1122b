package query

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"sync"

	"github.com/lacuna-kg/lacuna/kg"
)

// Template is an expression without its ids: what the queries of a benchmark, of which
// there are millions, have in common. Split takes an expression apart into
// its template and ids, in prefix order, and Fill puts them together again. A
// template is not changed after it was made, nor are the templates under it.
type Template struct {
	Kind  Kind
	Of    []*Template // the operands
	Slots int         // ids of it and of all under it; the first is its own, if it is an anchor or a projection

	code         string
	nodes, depth int // operations, and the most that contain each other
	naming       sync.Once
	shape        string
}

// Kind is the operation at the top of a template.
type Kind uint8

// The kinds, one for each kind of Expr.
const (
	AnchorKind Kind = iota
	UniverseKind
	ProjectionKind
	IntersectionKind
	UnionKind
	ComplementKind
)

// kindCodes are the letters of the kinds in the code of a template.
const kindCodes = "eapiun"

// hasID tells whether an id belongs to an operation of this kind.
func (k Kind) hasID() bool { return k == AnchorKind || k == ProjectionKind }

// Split takes an expression apart; the variables that it names are lost.
func Split(e Expr) (*Template, []uint32) {
	code, ids := appendSplit(nil, nil, e)
	return unchecked(string(code)), ids
}

// appendSplit adds the code of e's template to code, and the ids of e to ids.
func appendSplit(code []byte, ids []uint32, e Expr) ([]byte, []uint32) {
	switch e := e.(type) {
	case Anchor:
		return append(code, 'e'), append(ids, uint32(e.Entity))
	case Universe:
		return append(code, 'a'), ids
	case Projection:
		return appendSplit(append(code, 'p'), append(ids, uint32(e.Relation)), e.Of)
	case Complement:
		return appendSplit(append(code, 'n'), ids, e.Of)
	case Intersection:
		return appendSplits(append(code, 'i'), ids, e.Of)
	case Union:
		return appendSplits(append(code, 'u'), ids, e.Of)
	}
	panic("query: an expression lacks an operand")
}

func appendSplits(code []byte, ids []uint32, of []Expr) ([]byte, []uint32) {
	code = strconv.AppendInt(code, int64(len(of)), 10)
	for _, e := range of {
		code, ids = appendSplit(code, ids, e)
	}
	return code, ids
}

// Fill is the expression of the template with the given ids, one for each slot.
func (t *Template) Fill(ids []uint32) Expr {
	switch t.Kind {
	case AnchorKind:
		return Anchor{kg.Entity(ids[0])}
	case ProjectionKind:
		return Projection{Relation: kg.Relation(ids[0]), Of: t.Of[0].Fill(ids[1:])}
	case ComplementKind:
		return Complement{t.Of[0].Fill(ids)}
	case IntersectionKind:
		return Intersection{t.fillOperands(ids)}
	case UnionKind:
		return Union{t.fillOperands(ids)}
	}
	return Universe{}
}

func (t *Template) fillOperands(ids []uint32) []Expr {
	of := make([]Expr, len(t.Of))
	for i, operand := range t.Of {
		of[i] = operand.Fill(ids)
		ids = ids[operand.Slots:]
	}
	return of
}

// String is the shape: see ShapeOf. ParseShape reads it back, but for what the shape
// leaves aside, the order of operands and double negation.
func (t *Template) String() string {
	t.naming.Do(func() { t.shape = shapeName(Canonical(t.Fill(make([]uint32, t.Slots)))) })
	return t.shape
}

// Code is the template in prefix order, which ParseTemplate reads back to the letter: e is an
// anchor, a all entities, p a projection, n a complement, i and u an intersection and a
// union followed by the number of their operands. 2in is "i2penpe". Equal templates have equal codes.
func (t *Template) Code() string { return t.code }

// Size is the number of operations, and the most of them that contain each other.
func (t *Template) Size() (nodes, depth int) { return t.nodes, t.depth }

// Negates tells whether a complement occurs.
func (t *Template) Negates() bool { return strings.Contains(t.code, "n") }

// Relations tells for each slot whether it holds a relation, else an entity.
func (t *Template) Relations() []bool {
	relations := make([]bool, 0, t.Slots)
	for i := range len(t.code) {
		switch t.code[i] {
		case 'e':
			relations = append(relations, false)
		case 'p':
			relations = append(relations, true)
		}
	}
	return relations
}

// ParseTemplate reads the code of exactly one template.
func ParseTemplate(code string) (*Template, error) {
	p := templateParser{code: code, maxNodes: maxNodes, maxDepth: maxDepth}
	t := p.template(1)
	switch {
	case p.tooLarge:
		return nil, kg.Errorf(kg.TooLarge, "", "a query template of over %d operations or nested over %d deep", maxNodes, maxDepth)
	case t == nil || p.at < len(code):
		return nil, errTemplate
	}
	return t, nil
}

var errTemplate = errors.New("malformed query template")

// unchecked is the template of a code that Split made, however large.
func unchecked(code string) *Template {
	t := (&templateParser{code: code, maxNodes: math.MaxInt, maxDepth: math.MaxInt}).template(1)
	if t == nil {
		panic("query: an intersection or union of fewer than two operands")
	}
	return t
}

type templateParser struct {
	code               string
	at, nodes          int
	maxNodes, maxDepth int
	tooLarge           bool
}

// template reads the next template; nil means that it is malformed.
func (p *templateParser) template(depth int) *Template {
	p.nodes++
	if p.nodes > p.maxNodes || depth-1 > p.maxDepth { // what stands at the bottom contains nothing
		p.tooLarge = true
		return nil
	}
	before, start := p.nodes, p.at
	kind, operands, ok := p.operation()
	if !ok {
		return nil
	}
	t := &Template{Kind: kind}
	if kind.hasID() {
		t.Slots = 1
	}
	for range operands {
		operand := p.template(depth + 1)
		if operand == nil {
			return nil
		}
		t.Of = append(t.Of, operand)
		t.Slots += operand.Slots
		t.depth = max(t.depth, operand.depth)
	}
	t.depth++
	t.nodes = p.nodes - before + 1
	t.code = p.code[start:p.at]
	return t
}

// operation reads the letter of an operation and the number of its operands.
func (p *templateParser) operation() (kind Kind, operands int, ok bool) {
	if p.at == len(p.code) {
		return 0, 0, false
	}
	letter := strings.IndexByte(kindCodes, p.code[p.at])
	if letter < 0 {
		return 0, 0, false
	}
	p.at++
	switch kind = Kind(letter); kind {
	case ProjectionKind, ComplementKind:
		operands = 1
	case IntersectionKind, UnionKind:
		operands = p.number()
		return kind, operands, operands >= 2
	}
	return kind, operands, true
}

// number reads the number of operands, 0 if it is none; there is one way to write it, without leading zeros.
func (p *templateParser) number() int {
	from := p.at
	for p.at < len(p.code) && '0' <= p.code[p.at] && p.code[p.at] <= '9' {
		p.at++
	}
	digits := p.code[from:p.at]
	if strings.HasPrefix(digits, "0") {
		return 0
	}
	n, _ := strconv.Atoi(digits)
	return n
}

// Templates splits many expressions and makes each template once, so that its shape, too,
// is found once: to find one takes longer than to answer a simple query. The zero value
// is ready for use, by one goroutine at a time.
type Templates struct {
	byCode map[string]*Template
	code   []byte   // scratch
	ids    []uint32 // scratch
}

// Split is Split, with the same template for all expressions that have it in common. The
// ids are good until the next call.
func (s *Templates) Split(e Expr) (*Template, []uint32) {
	s.code, s.ids = appendSplit(s.code[:0], s.ids[:0], e)
	t := s.byCode[string(s.code)]
	if t == nil {
		if s.byCode == nil {
			s.byCode = map[string]*Template{}
		}
		t = unchecked(string(s.code))
		s.byCode[t.code] = t
	}
	return t, s.ids
}

// ShapeOf is ShapeOf, remembered.
func (s *Templates) ShapeOf(e Expr) string {
	t, _ := s.Split(e)
	return t.String()
}
