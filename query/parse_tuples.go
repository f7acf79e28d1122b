package query

import (
	"strconv"

	"github.com/lacuna-kg/lacuna/kg"
)

// BetaE writes a query as nested Python tuples and its structure as the same with
// letters. (e, (r, r, n)) is a path of relations from an entity, n a complement on
// the way; a tuple of two or more tuples is their intersection, or their union if
// the last is (u,). In queries e and r are numbers, n is -2 and u is -1. These
// numbers are given a meaning here and go no further.

// tuple is a leaf or a list of tuples.
type tuple struct {
	leaf string
	of   []tuple
	pos  Pos
}

func (t tuple) isLeaf() bool { return t.leaf != "" }

// isPath tells a tuple of leaves, which is never an operand: a path or the mark of a union.
func (t tuple) isPath() bool {
	for _, item := range t.of {
		if !item.isLeaf() {
			return false
		}
	}
	return !t.isLeaf()
}

// tupleLetters gives leaves their meaning.
type tupleLetters struct {
	negation, union  string
	entity, relation func(s *scanner, leaf tuple) (Name, error)
}

var numberLetters = tupleLetters{"-2", "-1", (*scanner).numberedName, (*scanner).numberedName}

var structureLetters = tupleLetters{"n", "u",
	func(s *scanner, leaf tuple) (Name, error) { return s.structureName("e", leaf) },
	func(s *scanner, leaf tuple) (Name, error) { return s.structureName("r", leaf) },
}

// ParseTuples reads a query in BetaE's notation, such as ((12, (3, 4)), (45, (6, -2))).
// Its numbers are dense ids: of entities, and of relations as kg.Relation counts them.
func ParseTuples(text string) (Expr, error) {
	o, err := parseTuples(text)
	if err != nil {
		return nil, err
	}
	return exprOf(o), nil
}

func parseTuples(text string) (operation, error) {
	if err := checkText(Source, text); err != nil {
		return operation{}, err
	}
	s := newScanner(Source, text)
	o, err := s.tupleOperation(numberLetters)
	if err != nil {
		return operation{}, err
	}
	return o, s.end("the end of the query")
}

// shapeTuple reads one of BetaE's structures, such as (('e',('r',)),('e',('r','n'))).
func (s *scanner) shapeTuple() (Expr, error) {
	o, err := s.tupleOperation(structureLetters)
	if err != nil {
		return nil, err
	}
	return exprOf(o), nil
}

func (s *scanner) tupleOperation(letters tupleLetters) (operation, error) {
	t, err := s.tuple()
	if err != nil {
		return operation{}, err
	}
	o, err := s.operand(t, letters)
	if err == nil && o.depth() > MaxDepth { // a path nests deeper than its parentheses
		return operation{}, tooDeep(s.place(t.pos))
	}
	return o, err
}

// tuple reads a tuple or a leaf, quoted or not.
func (s *scanner) tuple() (tuple, error) {
	if err := s.enter(); err != nil {
		return tuple{}, err
	}
	defer s.leave()
	s.skipSpace()
	t := tuple{pos: s.pos}
	if s.accept("(") {
		return s.tupleItems(t)
	}
	quote := s.peek()
	quoted := quote == '\'' || quote == '"'
	if quoted {
		s.next()
	}
	from := s.at
	s.accept("-")
	for r := s.peek(); r != '\'' && isWordRune(r); r = s.peek() {
		s.next()
	}
	t.leaf = s.text[from:s.at]
	if t.leaf == "" || quoted && s.peek() != quote {
		return tuple{}, s.fail(s.pos, "expected '(', an entity or a relation of a tuple, found %s", s.found())
	}
	if quoted {
		s.next()
	}
	return t, nil
}

func (s *scanner) tupleItems(t tuple) (tuple, error) {
	for !s.symbol(")") {
		item, err := s.tuple()
		if err != nil {
			return tuple{}, err
		}
		t.of = append(t.of, item)
		if !s.symbol(",") {
			return t, s.require(")", "after the items of the tuple")
		}
	}
	return t, nil
}

// operand gives a tuple its meaning as a set.
func (s *scanner) operand(t tuple, letters tupleLetters) (operation, error) {
	if t.isLeaf() || len(t.of) < 2 {
		return operation{}, s.fail(t.pos, "expected a tuple of an entity and its relations, or of two or more tuples")
	}
	last := t.of[len(t.of)-1]
	switch {
	case !last.isPath() || len(last.of) == 0:
		return s.branch(t.of, IntersectionKind, letters)
	case len(last.of) == 1 && last.of[0].leaf == letters.union:
		return s.branch(t.of[:len(t.of)-1], UnionKind, letters)
	case len(t.of) == 2:
		return s.path(t.of[0], last.of, letters)
	}
	return operation{}, s.fail(last.pos, "expected a single tuple or entity before the relations")
}

func (s *scanner) branch(of []tuple, kind Kind, letters tupleLetters) (operation, error) {
	if len(of) < 2 {
		return operation{}, s.fail(of[0].pos, "expected two or more tuples to unite")
	}
	o := operation{kind: kind, of: make([]operation, len(of))}
	for i, item := range of {
		var err error
		if o.of[i], err = s.operand(item, letters); err != nil {
			return operation{}, err
		}
	}
	return o, nil
}

// path applies relations and negations, from left to right, to an entity or a tuple.
func (s *scanner) path(start tuple, steps []tuple, letters tupleLetters) (o operation, err error) {
	if start.isLeaf() {
		o.entity, err = letters.entity(s, start)
	} else {
		o, err = s.operand(start, letters)
	}
	for _, step := range steps {
		if err != nil {
			return operation{}, err
		}
		if step.leaf == letters.negation {
			o = operation{kind: ComplementKind, of: []operation{o}}
			continue
		}
		var name Name
		name, err = letters.relation(s, step)
		o = operation{kind: ProjectionKind, relation: RelationName{Name: name}, of: []operation{o}}
	}
	return o, err
}

func (s *scanner) numberedName(leaf tuple) (Name, error) {
	id, err := strconv.ParseUint(leaf.leaf, 10, 32)
	if err != nil {
		return Name{}, s.fail(leaf.pos, "expected an id, found %q", leaf.leaf)
	}
	return Name{ID: uint32(id), ByID: true, Pos: leaf.pos}, nil
}

func (s *scanner) structureName(letter string, leaf tuple) (Name, error) {
	if leaf.leaf != letter {
		return Name{}, s.fail(leaf.pos, "expected '%s', found %q", letter, leaf.leaf)
	}
	return Name{ByID: true, Pos: leaf.pos}, nil
}

// FormatTuples writes e in BetaE's notation, which ParseTuples reads back. It has
// no way to write a bare entity or the universe.
func FormatTuples(e Expr) (string, error) {
	text, err := appendTuple(nil, e)
	return string(text), err
}

func appendTuple(to []byte, e Expr) ([]byte, error) {
	switch e := e.(type) {
	case Intersection:
		return appendTuples(to, e.Of, "")
	case Union:
		return appendTuples(to, e.Of, ", (-1,)")
	case Projection, Complement:
		return appendPath(to, e)
	}
	return nil, kg.Errorf(kg.Invalid, "", "BetaE's tuples can not express an entity or the universe without a relation: %s", ShapeOf(e))
}

func appendTuples(to []byte, of []Expr, mark string) (_ []byte, err error) {
	to = append(to, '(')
	for i, operand := range of {
		if i > 0 {
			to = append(to, ", "...)
		}
		if to, err = appendTuple(to, operand); err != nil {
			return nil, err
		}
	}
	return append(append(to, mark...), ')'), nil
}

// appendPath writes the projections and complements down to the next branch or entity as one path.
func appendPath(to []byte, e Expr) (_ []byte, err error) {
	var steps []string // outermost first
	for descending := true; descending; {
		switch step := e.(type) {
		case Projection:
			steps, e = append(steps, strconv.Itoa(int(step.Relation))), step.Of
		case Complement:
			steps, e = append(steps, numberLetters.negation), step.Of
		default:
			descending = false
		}
	}
	to = append(to, '(')
	if anchor, ok := e.(Anchor); ok {
		to = strconv.AppendUint(to, uint64(anchor.Entity), 10)
	} else if to, err = appendTuple(to, e); err != nil {
		return nil, err
	}
	to = append(to, ", ("...)
	for i := len(steps) - 1; i >= 0; i-- {
		to = append(to, steps[i]...)
		if i > 0 || len(steps) == 1 {
			to = append(to, ',')
		}
		if i > 0 {
			to = append(to, ' ')
		}
	}
	return append(to, "))"...), nil
}
