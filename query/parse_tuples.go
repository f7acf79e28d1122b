package query

import (
	"strconv"

	"github.com/lacuna-kg/lacuna/kg"
)

// tuple is a leaf or a list of tuples.
type tuple struct {
	leaf string
	of   []tuple
	pos  Pos
}

func (t tuple) isLeaf() bool { return t.leaf != "" }

// tupleText reads tuples from a text: a TupleReader that keeps the names it meets, as they
// know their place in the text, and gives their numbers as ids.
type tupleText struct {
	*scanner
	marks            map[int]string
	entity, relation func(s *scanner, leaf tuple) (Name, error)
	names            keptNames
}

// numberTuples reads queries such as ((12, (3, 4)), (45, (6, -2))). Their numbers are
// dense ids: of entities, and of relations as kg.Relation counts them.
func numberTuples(s *scanner) *tupleText {
	marks := map[int]string{tupleUnion: strconv.Itoa(tupleUnion), tupleComplement: strconv.Itoa(tupleComplement)}
	return &tupleText{scanner: s, marks: marks, entity: (*scanner).numberedName, relation: (*scanner).numberedName}
}

// structureTuples reads structures such as (('e',('r',)),('e',('r','n'))).
func structureTuples(s *scanner) *tupleText {
	return &tupleText{
		scanner: s, marks: map[int]string{tupleUnion: "u", tupleComplement: "n"},
		entity:   func(s *scanner, leaf tuple) (Name, error) { return s.structureName("e", leaf) },
		relation: func(s *scanner, leaf tuple) (Name, error) { return s.structureName("r", leaf) },
	}
}

// Items implements TupleReader.
func (x *tupleText) Items(t tuple) ([]tuple, bool) { return t.of, !t.isLeaf() }

// IsMark implements TupleReader.
func (x *tupleText) IsMark(leaf tuple, mark int) bool {
	return leaf.leaf == x.marks[mark]
}

// Entity implements TupleReader.
func (x *tupleText) Entity(leaf tuple) (kg.Entity, error) {
	n, err := x.keep(x.entity(x.scanner, leaf))
	return kg.Entity(n), err
}

// Relation implements TupleReader.
func (x *tupleText) Relation(leaf tuple) (kg.Relation, error) {
	n, err := x.keep(x.relation(x.scanner, leaf))
	return kg.Relation(n), err
}

func (x *tupleText) keep(name Name, err error) (int, error) {
	x.names = append(x.names, name)
	return len(x.names) - 1, err
}

// Wrong implements TupleReader.
func (x *tupleText) Wrong(t tuple, expected string) error { return x.fail(t.pos, "%s", expected) }

// expr reads an expression over the numbers of the names it kept.
func (x *tupleText) expr() (Expr, error) {
	t, err := x.tuple()
	if err != nil {
		return nil, err
	}
	e, err := TupleExpr[tuple](x, t)
	if err != nil {
		return nil, err
	}
	if template, _ := Split(e); template.depth > maxDepth { // a path nests deeper than its parentheses
		return nil, tooDeep(x.place(t.pos))
	}
	return e, nil
}

// keptNames are the names of a text; the ids of its expression are their numbers.
type keptNames []Name

func (k keptNames) entity(e kg.Entity) Name { return k[e] }

func (k keptNames) relation(r kg.Relation) RelationName { return RelationName{Name: k[r]} }

func parseTuples(text string) (operation, error) {
	if err := checkText(Source, text); err != nil {
		return operation{}, err
	}
	x := numberTuples(newScanner(Source, text))
	e, err := x.expr()
	if err != nil {
		return operation{}, err
	}
	return operationOf(e, x.names), x.end("the end of the query")
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
