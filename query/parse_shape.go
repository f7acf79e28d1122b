package query

import (
	"strconv"
	"strings"
)

// publicTrees are the trees of the names that do not follow from the grammar of
// systematic names, operands in BetaE's order.
var publicTrees = map[string]string{
	"pi":  "i(2p,1p)",
	"pin": "i(2p,n(1p))",
	"pni": "i(n(2p),1p)",
	"ip":  "p(2i)",
	"inp": "p(2in)",
	"up":  "p(2u)",
}

// ParseShape gives a template of the named shape. It reads every name that ShapeOf gives,
// trees in the letters of the paper such as P(C(P(e), N(P(e)))), and BetaE's
// structures such as (('e',('r',)),('e',('r','n'))).
func ParseShape(name string) (*Template, error) {
	e, err := parseShape(name)
	if err != nil {
		return nil, err
	}
	t, _ := Split(e)
	if t.depth > maxDepth { // 900p(900p(e)) is short to write
		return nil, tooDeep(Pos{}.in("shape"))
	}
	return t, nil
}

// parseShape gives an expression of the named shape, all its ids zero.
func parseShape(name string) (Expr, error) {
	if err := checkText("shape", name); err != nil {
		return nil, err
	}
	s := newScanner("shape", name)
	s.skipSpace()
	read := s.shape
	if s.peek() == '(' {
		read = structureTuples(s).expr
	}
	e, err := read()
	if err != nil {
		return nil, err
	}
	return e, s.end("the end of the shape")
}

// shape reads a leaf, a name, or an operator with its operands.
func (s *scanner) shape() (Expr, error) {
	if err := s.enter(); err != nil {
		return nil, err
	}
	defer s.leave()
	s.skipSpace()
	start := s.pos
	switch {
	case s.accept("{*}", "*"):
		return Universe{}, nil
	case s.accept("{e}"):
		return Anchor{}, nil
	}
	word := s.shapeWord()
	if s.symbol("(") {
		return s.shapeOperator(word, start)
	}
	return s.namedShape(word, start)
}

// shapeWord reads a name or operator, in small ASCII letters.
func (s *scanner) shapeWord() string {
	word := wordAt(s.text[s.at:])
	s.skip(len(word))
	return strings.ToLower(scriptLetters.Replace(word))
}

// scriptLetters maps the operators of the paper's notation to plain letters.
var scriptLetters = strings.NewReplacer("𝒫", "P", "𝒞", "C", "𝒟", "D", "𝒩", "N")

// shapeOperator reads the operands of "p", "3p", "n", "i" or "c", "u" or "d", after their parenthesis.
func (s *scanner) shapeOperator(word string, start Pos) (Expr, error) {
	of, err := s.shapeOperands()
	if err != nil {
		return nil, err
	}
	count, letter := splitCount(word)
	single := len(of) == 1
	switch {
	case letter == "p" && single && count != 0:
		return s.projections(max(count, 1), of[0], start)
	case count >= 0:
	case letter == "n" && single:
		return Complement{of[0]}, nil
	case (letter == "i" || letter == "c") && !single:
		return Intersection{of}, nil
	case (letter == "u" || letter == "d") && !single:
		return Union{of}, nil
	}
	return nil, s.fail(start, "expected p or n with one operand, or i or u with two or more, found %q with %d", word, len(of))
}

func (s *scanner) shapeOperands() ([]Expr, error) {
	var of []Expr
	for {
		e, err := s.shape()
		if err != nil {
			return nil, err
		}
		of = append(of, e)
		if !s.symbol(",") {
			return of, s.require(")", "after the operands")
		}
	}
}

// namedShape gives the tree of a name without operands.
func (s *scanner) namedShape(word string, start Pos) (Expr, error) {
	switch word {
	case "e":
		return Anchor{}, nil
	case "all":
		return Universe{}, nil
	}
	if tree, ok := publicTrees[word]; ok {
		return parseShape(tree)
	}
	count, letter := splitCount(word)
	switch {
	case letter == "p" && count >= 1:
		return s.projections(count, Anchor{}, start)
	case letter == "i" && count >= 2:
		of, err := s.singles(count, start)
		return Intersection{of}, err
	case letter == "u" && count >= 2:
		of, err := s.singles(count, start)
		return Union{of}, err
	case letter == "in" && count >= 2:
		of, err := s.singles(count, start)
		if err == nil {
			of[count-1] = Complement{of[count-1]}
		}
		return Intersection{of}, err
	}
	if word == "" {
		return nil, s.fail(start, "expected a shape, found %s", s.found())
	}
	return nil, s.fail(start, "no shape is named %q: give one of %s, or a tree such as p(i(1p,n(2p)))", word, strings.Join(Shapes, " "))
}

// splitCount splits "12p" into 12 and "p"; without digits the count is -1, and one beyond all limits stays so.
func splitCount(word string) (count int, letter string) {
	letter = strings.TrimLeft(word, "0123456789")
	digits := word[:len(word)-len(letter)]
	if digits == "" {
		return -1, letter
	}
	count, err := strconv.Atoi(digits)
	if err != nil {
		return maxNodes + 1, letter
	}
	return count, letter
}

// projections is a chain of the given length.
func (s *scanner) projections(count int, of Expr, start Pos) (Expr, error) {
	if s.depth+count > maxDepth {
		return nil, tooDeep(s.place(start))
	}
	if *s.nodes += count; *s.nodes > maxNodes {
		return nil, tooMany(s.place(start))
	}
	for range count {
		of = Projection{Of: of}
	}
	return of, nil
}

// singles are the given number of single projections.
func (s *scanner) singles(count int, start Pos) ([]Expr, error) {
	if *s.nodes += count; *s.nodes > maxNodes {
		return nil, tooMany(s.place(start))
	}
	of := make([]Expr, count)
	for i := range of {
		of[i] = Projection{Of: Anchor{}}
	}
	return of, nil
}

// SplitShapes splits lists of shapes at the commas that stand outside parentheses, as shapes may hold some.
func SplitShapes(lists ...string) []string {
	var parts []string
	for _, list := range lists {
		depth, from := 0, 0
		for i, c := range list {
			switch {
			case c == '(':
				depth++
			case c == ')':
				depth--
			case c == ',' && depth == 0:
				parts = append(parts, list[from:i])
				from = i + 1
			}
		}
		parts = append(parts, list[from:])
	}
	return parts
}
