package syntax

import (
	"slices"
	"strings"
)

// constraint reads what follows FILTER and HAVING: an expression in parentheses or a call.
func (p *parser) constraint() (Expr, error) {
	t := p.peek()
	switch {
	case p.atSymbol("("):
		return p.parenthesised()
	case t.kind == wordToken:
		return p.builtin()
	case t.kind == iriToken || t.kind == prefixedToken:
		e, err := p.iriOrCall()
		if _, call := e.(FunctionCall); err == nil && !call {
			return nil, p.expected("'(' after the name of a function")
		}
		return e, err
	}
	return nil, p.expected("'(' or a function after FILTER")
}

func (p *parser) atSymbol(text string) bool {
	return p.peek().kind == symbolToken && p.peek().text == text
}

// parenthesised reads ( expression ).
func (p *parser) parenthesised() (Expr, error) {
	if err := p.require("(", "before an expression"); err != nil {
		return nil, err
	}
	e, err := p.expression()
	if err != nil {
		return nil, err
	}
	return e, p.require(")", "to close the parenthesis")
}

// expression reads parts joined by || and, tighter, by &&.
func (p *parser) expression() (Expr, error) {
	return p.chain("||", func() (Expr, error) {
		return p.chain("&&", p.relation, func(of []Expr) Expr { return And{of} })
	}, func(of []Expr) Expr { return Or{of} })
}

// chain reads parts joined by one sign; a single one stays as it is.
func (p *parser) chain(sign string, part func() (Expr, error), join func([]Expr) Expr) (Expr, error) {
	var of []Expr
	for {
		e, err := part()
		if err != nil {
			return nil, err
		}
		of = append(of, e)
		if !p.symbol(sign) {
			break
		}
	}
	if len(of) == 1 {
		return of[0], nil
	}
	return join(of), nil
}

// relation reads a comparison, or whatever stands without one.
func (p *parser) relation() (Expr, error) {
	left, err := p.sum()
	if err != nil {
		return nil, err
	}
	t := p.peek()
	switch {
	case t.kind == symbolToken && slices.Contains([]string{"=", "!=", "<", ">", "<=", ">="}, t.text):
		p.next()
		right, err := p.sum()
		return Compare{left, right, t.text, t.pos}, err
	case p.word("IN"):
		list, err := p.arguments("IN")
		return In{left, list, false, t.pos}, err
	case p.word("NOT"):
		if !p.word("IN") {
			return nil, p.expected("IN after NOT")
		}
		list, err := p.arguments("NOT IN")
		return In{left, list, true, t.pos}, err
	}
	return left, nil
}

// sum reads terms joined by + and -. The sign of a number that follows without one is such a sign.
func (p *parser) sum() (Expr, error) {
	left, err := p.product()
	for err == nil && (p.atSymbol("+") || p.atSymbol("-")) {
		t := p.next()
		var right Expr
		right, err = p.product()
		left = Arithmetic{left, right, t.text, t.pos}
	}
	return left, err
}

func (p *parser) product() (Expr, error) {
	left, err := p.unary()
	for err == nil && (p.atSymbol("*") || p.atSymbol("/")) {
		t := p.next()
		var right Expr
		right, err = p.unary()
		left = Arithmetic{left, right, t.text, t.pos}
	}
	return left, err
}

// unary reads !x, -x and +x; a sign right before a number is part of it.
func (p *parser) unary() (Expr, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	t := p.peek()
	switch {
	case p.symbol("!"):
		of, err := p.primary()
		return Not{of}, err
	case (p.atSymbol("-") || p.atSymbol("+")) && !p.signedNumber():
		p.next()
		of, err := p.primary()
		return Signed{of, t.text, t.pos}, err
	}
	return p.primary()
}

// signedNumber tells whether a sign comes next that touches the number after it.
func (p *parser) signedNumber() bool {
	sign, number := p.peek(), p.tokens[min(p.at+1, len(p.tokens)-1)]
	return number.kind == numberToken && number.pos == Pos{Line: sign.pos.Line, Column: sign.pos.Column + 1}
}

// primary reads parentheses, a call, a variable or a term.
func (p *parser) primary() (Expr, error) {
	t := p.peek()
	switch {
	case p.atSymbol("("):
		return p.parenthesised()
	case p.symbol("<<("):
		return p.tripleExpression(t.pos)
	case t.kind == variableToken:
		p.next()
		return Ref{Var: t.text, Pos: t.pos}, nil
	case t.kind == iriToken || t.kind == prefixedToken:
		return p.iriOrCall()
	case t.kind == wordToken && !p.isWord("true", "false"):
		return p.builtin()
	}
	ref, err := p.term("a variable, an IRI, a literal or a function")
	return ref, err
}

// iriOrCall reads an IRI, or a call of the function that it names.
func (p *parser) iriOrCall() (Expr, error) {
	ref, err := p.term("an IRI")
	if err != nil || !p.atSymbol("(") {
		return ref, err
	}
	call := FunctionCall{IRI: ref.Term.Value, Pos: ref.Pos}
	if after := p.tokens[p.at+1]; after.kind == wordToken && strings.EqualFold(after.text, "DISTINCT") {
		return nil, outside(after.pos, "an aggregate that an IRI names")
	}
	call.Args, err = p.arguments("a function")
	return call, err
}

// arguments reads a list of expressions in parentheses.
func (p *parser) arguments(of string) ([]Expr, error) {
	if err := p.require("(", "after "+of); err != nil {
		return nil, err
	}
	var list []Expr
	for !p.symbol(")") {
		if len(list) > 0 {
			if err := p.require(",", "between the members of a list"); err != nil {
				return nil, err
			}
		}
		e, err := p.expression()
		if err != nil {
			return nil, err
		}
		list = append(list, e)
	}
	return list, nil
}

// builtin reads a call of a function that has a name of its own.
func (p *parser) builtin() (Expr, error) {
	t := p.peek()
	name := strings.ToUpper(t.text)
	if name == "URI" || name == "ISURI" {
		name = strings.Replace(name, "URI", "IRI", 1)
	}
	arity, known := builtins[name]
	switch {
	case name == "EXISTS" || name == "NOT":
		return p.exists()
	case aggregates[name]:
		return p.aggregate(name)
	case !known:
		return nil, p.expected("a variable, an IRI, a literal or a function")
	}
	p.next()
	args, err := p.arguments(name)
	if err != nil {
		return nil, err
	}
	if len(args) < arity[0] || arity[1] >= 0 && len(args) > arity[1] {
		return nil, Errorf(t.pos, "%s with %d arguments, expected %s", name, len(args), arityText(arity))
	}
	if ref, isRef := first(args).(Ref); name == "BOUND" && (!isRef || ref.Var == "") {
		return nil, Errorf(t.pos, "BOUND of something other than a variable")
	}
	p.computesIRI = p.computesIRI || name == "IRI"
	return Call{name, args, t.pos}, nil
}

func arityText(arity [2]int) string {
	numbers := []string{"none", "1", "2", "3", "4"}
	if arity[0] == arity[1] {
		return numbers[arity[0]]
	}
	return numbers[arity[0]] + " to " + numbers[arity[1]]
}

// exists reads EXISTS {…} and NOT EXISTS {…}.
func (p *parser) exists() (Expr, error) {
	t := p.next()
	not := strings.EqualFold(t.text, "NOT")
	if not && !p.word("EXISTS") {
		return nil, p.expected("EXISTS after NOT")
	}
	around := p.pattern
	of, err := p.group()
	p.pattern = around
	return Exists{of, not, t.pos}, err
}

// aggregate reads COUNT(DISTINCT ?x) and its like.
func (p *parser) aggregate(name string) (Expr, error) {
	a := Aggregate{Name: name, Pos: p.next().pos}
	if err := p.require("(", "after "+name); err != nil {
		return nil, err
	}
	a.Distinct = p.word("DISTINCT")
	if name != "COUNT" || !p.symbol("*") {
		var err error
		if a.Of, err = p.expression(); err != nil {
			return nil, err
		}
	}
	if name == "GROUP_CONCAT" {
		a.Separator = " "
		if p.symbol(";") {
			if err := p.separator(&a.Separator); err != nil {
				return nil, err
			}
		}
	}
	return a, p.require(")", "to close "+name)
}

// separator reads SEPARATOR = "text".
func (p *parser) separator(into *string) error {
	if !p.word("SEPARATOR") {
		return p.expected("SEPARATOR")
	}
	if err := p.require("=", "after SEPARATOR"); err != nil {
		return err
	}
	t := p.peek()
	if t.kind != stringToken {
		return p.expected("a string")
	}
	p.next()
	*into = t.text
	return nil
}
