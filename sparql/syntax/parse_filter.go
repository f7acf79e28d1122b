package syntax

import (
	"slices"
	"strings"

	"github.com/lacuna-kg/lacuna/sparql/term"
)

// constraint reads what follows FILTER.
func (p *parser) constraint() (Condition, error) {
	t := p.peek()
	switch {
	case t.kind == symbolToken && t.text == "(", p.isWord("EXISTS", "NOT"):
		return p.condition(p.primary)
	case t.kind == wordToken || t.kind == iriToken || t.kind == prefixedToken:
		return nil, p.function()
	}
	return nil, p.expected("'(', EXISTS or NOT EXISTS after FILTER")
}

// operand is a part of an expression: a condition, or a variable or term to compare.
type operand struct {
	condition Condition
	ref       Ref
	pos       Pos
}

// condition reads a part that must be true or false by itself.
func (p *parser) condition(read func() (operand, error)) (Condition, error) {
	o, err := read()
	if err != nil {
		return nil, err
	}
	if o.condition == nil {
		return nil, outside(o.pos, "a variable or term as a condition, without = or !=,")
	}
	return o.condition, nil
}

// expression reads conditions joined by || and, tighter, by &&.
func (p *parser) expression() (operand, error) {
	return p.chain("||", func() (operand, error) {
		return p.chain("&&", p.relation, func(of []Condition) Condition { return And{of} })
	}, func(of []Condition) Condition { return Or{of} })
}

// chain reads parts joined by one sign; a single one stays as it is.
func (p *parser) chain(sign string, part func() (operand, error), join func([]Condition) Condition) (operand, error) {
	first, err := part()
	if err != nil || !p.atSymbol(sign) {
		return first, err
	}
	var of []Condition
	for c, err := p.condition(func() (operand, error) { return first, nil }); ; c, err = p.condition(part) {
		if err != nil {
			return operand{}, err
		}
		of = append(of, c)
		if !p.symbol(sign) {
			return operand{condition: join(of), pos: first.pos}, nil
		}
	}
}

func (p *parser) atSymbol(text string) bool {
	return p.peek().kind == symbolToken && p.peek().text == text
}

// relation reads a comparison, or whatever stands without one.
func (p *parser) relation() (operand, error) {
	left, err := p.primary()
	if err != nil {
		return operand{}, err
	}
	t := p.peek()
	switch {
	case t.kind == symbolToken && slices.Contains([]string{"<", ">", "<=", ">=", "+", "-", "*", "/"}, t.text):
		return operand{}, outside(t.pos, "the operator "+t.text+" in FILTER")
	case t.kind == symbolToken && (t.text == "=" || t.text == "!="), p.isWord("IN", "NOT"):
		if left.condition != nil {
			return operand{}, outside(t.pos, "a comparison of truth values")
		}
		p.next()
		return p.comparison(left.ref, t)
	case t.kind == numberToken:
		return operand{}, outside(t.pos, "arithmetic in FILTER")
	}
	return left, nil
}

// comparison reads the right side of =, !=, IN and NOT IN, the sign being read.
func (p *parser) comparison(left Ref, sign token) (operand, error) {
	negated := strings.EqualFold(sign.text, "NOT")
	if negated && !p.word("IN") {
		return operand{}, p.expected("IN after NOT")
	}
	if negated || sign.kind == wordToken {
		list, err := p.list()
		return operand{condition: In{left, list, negated, sign.pos}, pos: sign.pos}, err
	}
	right, err := p.comparand()
	if t := p.peek(); err == nil && t.kind == symbolToken && slices.Contains([]string{"+", "-", "*", "/"}, t.text) {
		return operand{}, outside(t.pos, "the operator "+t.text+" in FILTER")
	}
	return operand{condition: Compare{left, right, sign.text == "!=", sign.pos}, pos: sign.pos}, err
}

// comparand reads a variable or term, in parentheses perhaps.
func (p *parser) comparand() (Ref, error) {
	o, err := p.primary()
	if err != nil {
		return Ref{}, err
	}
	if o.condition != nil {
		return Ref{}, outside(o.pos, "a comparison of truth values")
	}
	return o.ref, nil
}

func (p *parser) list() ([]Ref, error) {
	if err := p.require("(", "before the list of IN"); err != nil {
		return nil, err
	}
	var list []Ref
	for !p.symbol(")") {
		if len(list) > 0 {
			if err := p.require(",", "between the members of a list"); err != nil {
				return nil, err
			}
		}
		ref, err := p.comparand()
		if err != nil {
			return nil, err
		}
		list = append(list, ref)
	}
	return list, nil
}

// primary reads a negation, parentheses, EXISTS, a variable or a term.
func (p *parser) primary() (operand, error) {
	if err := p.enter(); err != nil {
		return operand{}, err
	}
	defer p.leave()
	t := p.peek()
	switch {
	case p.symbol("!"):
		of, err := p.condition(p.primary)
		return operand{condition: Not{of}, pos: t.pos}, err
	case p.symbol("("):
		inside, err := p.expression()
		if err != nil {
			return operand{}, err
		}
		return inside, p.require(")", "to close the parenthesis")
	case p.isWord("EXISTS", "NOT"):
		return p.exists()
	case t.kind == variableToken:
		p.next()
		return operand{ref: Ref{Var: t.text, Pos: t.pos}, pos: t.pos}, nil
	case t.kind == wordToken && !p.isWord("true", "false"):
		return operand{}, p.function()
	}
	ref, err := p.term("a variable, an IRI or a literal to compare")
	if p.atSymbol("(") && ref.Term.Kind == term.IRI {
		return operand{}, outside(t.pos, "a call of the function "+t.raw)
	}
	return operand{ref: ref, pos: t.pos}, err
}

// exists reads EXISTS {…} and NOT EXISTS {…}.
func (p *parser) exists() (operand, error) {
	t := p.next()
	not := strings.EqualFold(t.text, "NOT")
	if not && !p.word("EXISTS") {
		return operand{}, p.expected("EXISTS after NOT")
	}
	of, err := p.group()
	return operand{condition: Exists{of, not, t.pos}, pos: t.pos}, err
}

// function refuses a call by its name.
func (p *parser) function() error {
	t := p.peek()
	if after := p.tokens[min(p.at+1, len(p.tokens)-1)]; after.kind == symbolToken && after.text == "(" {
		return outside(t.pos, "the function "+strings.ToUpper(t.raw))
	}
	return p.expected("a variable, an IRI or a literal to compare")
}
