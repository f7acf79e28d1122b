package syntax

import (
	"strconv"
)

// selection reads what follows SELECT.
func (p *parser) selection(q *Query) error {
	q.Distinct = p.word("DISTINCT")
	q.Reduced = !q.Distinct && p.word("REDUCED")
	if p.symbol("*") {
		q.Star = true
		return nil
	}
	seen := map[string]bool{}
	for {
		t := p.peek()
		switch {
		case t.kind == variableToken:
			p.next()
			if !seen[t.text] { // SELECT ?x ?x is one column
				q.Select = append(q.Select, Projection{Var: t.text, Pos: t.pos})
			}
			seen[t.text] = true
		case p.atSymbol("("):
			of, name, err := p.aliased()
			if err != nil {
				return err
			}
			if seen[name] {
				return Errorf(t.pos, "?%s is selected twice", name)
			}
			seen[name] = true
			q.Select = append(q.Select, Projection{name, of, t.pos})
		case len(q.Select) == 0:
			return p.expected("variables, expressions or * after SELECT")
		default:
			return nil
		}
	}
}

// modifiers reads what may follow the pattern.
func (p *parser) modifiers(q *Query) (err error) {
	if p.word("GROUP") {
		if q.GroupBy, err = p.groupKeys(); err != nil {
			return err
		}
	}
	if p.word("HAVING") {
		if q.Having, err = p.having(); err != nil {
			return err
		}
	}
	if p.word("ORDER") {
		if q.OrderBy, err = p.orderKeys(); err != nil {
			return err
		}
	}
	for seenLimit, seenOffset := false, false; ; {
		switch {
		case !seenLimit && p.word("LIMIT"):
			q.Limit, err = p.integer("LIMIT")
			seenLimit = true
		case !seenOffset && p.word("OFFSET"):
			q.Offset, err = p.integer("OFFSET")
			seenOffset = true
		case p.isWord("VALUES"):
			q.Values, err = p.values()
			return err
		default:
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (p *parser) integer(after string) (int, error) {
	t := p.peek()
	n, err := strconv.ParseInt(t.text, 10, 32)
	if t.kind != numberToken || err != nil {
		return 0, p.expected("a whole number below 2147483648 after " + after)
	}
	p.next()
	return int(n), nil
}

// startsConstraint tells whether a variable, a call or an expression in parentheses comes next.
func (p *parser) startsConstraint() bool {
	t := p.peek()
	switch t.kind {
	case variableToken, iriToken, prefixedToken:
		return true
	case wordToken:
		return !p.isWord("HAVING", "ORDER", "LIMIT", "OFFSET", "VALUES")
	}
	return p.atSymbol("(")
}

// key reads a variable, a call or an expression in parentheses.
func (p *parser) key() (Expr, error) {
	if t := p.peek(); t.kind == variableToken {
		p.next()
		return Ref{Var: t.text, Pos: t.pos}, nil
	}
	return p.constraint()
}

func (p *parser) groupKeys() ([]GroupKey, error) {
	if !p.word("BY") {
		return nil, p.expected("BY after GROUP")
	}
	var keys []GroupKey
	for len(keys) == 0 || p.startsConstraint() {
		k := GroupKey{Pos: p.peek().pos}
		var err error
		if p.atSymbol("(") {
			k.Of, k.Var, err = p.perhapsAliased()
		} else {
			k.Of, err = p.key()
		}
		if err != nil {
			return nil, err
		}
		keys = append(keys, k)
	}
	return keys, nil
}

// perhapsAliased reads (expression) or (expression AS ?x).
func (p *parser) perhapsAliased() (of Expr, name string, err error) {
	p.next()
	if of, err = p.expression(); err != nil {
		return nil, "", err
	}
	if p.word("AS") {
		if p.peek().kind != variableToken {
			return nil, "", p.expected("a variable after AS")
		}
		name = p.next().text
	}
	return of, name, p.require(")", "to close the parenthesis")
}

func (p *parser) having() ([]Expr, error) {
	var all []Expr
	for len(all) == 0 || p.startsConstraint() && p.peek().kind != variableToken {
		e, err := p.constraint()
		if err != nil {
			return nil, err
		}
		all = append(all, e)
	}
	return all, nil
}

func (p *parser) orderKeys() ([]OrderKey, error) {
	if !p.word("BY") {
		return nil, p.expected("BY after ORDER")
	}
	var keys []OrderKey
	for len(keys) == 0 || p.startsConstraint() {
		var k OrderKey
		var err error
		if k.Descending = p.word("DESC"); k.Descending || p.word("ASC") {
			k.Of, err = p.parenthesised()
		} else {
			k.Of, err = p.key()
		}
		if err != nil {
			return nil, err
		}
		keys = append(keys, k)
	}
	return keys, nil
}
