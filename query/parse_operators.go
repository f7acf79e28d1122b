package query

import "strings"

// The operator notation: P[relation](set), C(set, set, …), D(set, set, …), N(set),
// {entity} and {*} for all entities, the letters also in script as in the paper.

var operatorLetters = map[string]Kind{
	"P": ProjectionKind, "C": IntersectionKind, "D": UnionKind, "N": ComplementKind,
}

func looksLikeOperators(start string) bool {
	start = scriptLetters.Replace(start[:min(len(start), 4)]) + start[min(len(start), 4):]
	if strings.HasPrefix(start, "{") {
		return true
	}
	if start == "" || !strings.Contains("PCDN", start[:1]) {
		return false
	}
	rest := strings.TrimSpace(start[1:])
	return strings.HasPrefix(rest, "[") || strings.HasPrefix(rest, "(")
}

func parseOperators(text string) (*Query, error) {
	s := newScanner(Source, text)
	o, err := s.operation()
	if err != nil {
		return nil, err
	}
	if err := s.end("the end of the query"); err != nil {
		return nil, err
	}
	return compose(o), nil
}

// operation reads a set.
func (s *scanner) operation() (operation, error) {
	if err := s.enter(); err != nil {
		return operation{}, err
	}
	defer s.leave()
	s.skipSpace()
	start := s.pos
	if s.accept("{") {
		return s.entities()
	}
	letter := scriptLetters.Replace(string(s.next()))
	o := operation{kind: operatorLetters[letter]}
	if o.kind == AnchorKind {
		return operation{}, s.fail(start, "expected {an entity}, {*}, P[a relation](…), C(…), D(…) or N(…)")
	}
	if o.kind == ProjectionKind {
		if err := s.bracketed(&o); err != nil {
			return operation{}, err
		}
	}
	if err := s.require("(", "after the operator"); err != nil {
		return operation{}, err
	}
	return s.operationOperands(o, letter, start)
}

// bracketed reads the relation of a projection.
func (s *scanner) bracketed(o *operation) (err error) {
	if err := s.require("[", "and a relation after P"); err != nil {
		return err
	}
	if o.relation, err = s.relationName(endsOutside('[', ']', func(*scanner) bool { return false })); err != nil {
		return err
	}
	return s.require("]", "after the relation")
}

func (s *scanner) operationOperands(o operation, letter string, start Pos) (operation, error) {
	for {
		operand, err := s.operation()
		if err != nil {
			return operation{}, err
		}
		o.of = append(o.of, operand)
		if !s.symbol(",") {
			break
		}
	}
	if err := s.require(")", "after the operands"); err != nil {
		return operation{}, err
	}
	unary := o.kind == ProjectionKind || o.kind == ComplementKind
	switch {
	case unary && len(o.of) != 1:
		return operation{}, s.fail(start, "expected one operand of %s, found %d", letter, len(o.of))
	case !unary && len(o.of) == 1:
		return operation{}, s.fail(start, "expected two or more operands of %s, found one", letter)
	}
	return o, nil
}

// entities reads {*}, {an entity} or {several, entities}, which is their union.
func (s *scanner) entities() (operation, error) {
	if ahead := *s; ahead.symbol("*") && ahead.symbol("}") {
		*s = ahead
		return operation{kind: UniverseKind}, nil
	}
	union := operation{kind: UnionKind}
	for {
		anchor, err := s.anchor()
		if err != nil {
			return operation{}, err
		}
		union.of = append(union.of, anchor)
		if !s.symbol(",") {
			break
		}
	}
	if err := s.require("}", "after the entity (a name with a comma needs quotes)"); err != nil {
		return operation{}, err
	}
	if len(union.of) == 1 {
		return union.of[0], nil
	}
	return union, nil
}

func (s *scanner) anchor() (operation, error) {
	if err := s.enter(); err != nil {
		return operation{}, err
	}
	defer s.leave()
	s.skipSpace()
	start := s.pos
	if text, quoted, err := s.quotedName(); quoted {
		return operation{entity: Name{Text: text, Pos: start}}, err
	}
	text := s.unquotedName(endsOutside('{', '}', atComma))
	if text == "" {
		return operation{}, s.fail(start, "expected the name of an entity, found %s", s.found())
	}
	return operation{entity: nameOf(text, start)}, nil
}
