package syntax

import (
	"slices"

	"github.com/lacuna-kg/lacuna/sparql/term"
)

// group reads what stands between braces.
func (p *parser) group() (*Group, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	g := &Group{Pos: p.peek().pos}
	if err := p.require("{", "to open a group"); err != nil {
		return nil, err
	}
	p.newPattern()
	if p.isWord("SELECT") {
		return g, p.subSelect(g)
	}
	for needsDot := false; ; {
		if p.symbol("}") {
			p.newPattern()
			return g, nil
		}
		if p.startsPattern() {
			element, err := p.element()
			if err != nil {
				return nil, err
			}
			g.Of = append(g.Of, element)
			p.symbol(".")
			needsDot = false
			continue
		}
		if needsDot {
			return nil, p.expected("'.' or '}' after a triple")
		}
		triples, err := p.triplesOfSubject()
		if err != nil {
			return nil, err
		}
		g.Of = append(g.Of, triples...)
		needsDot = !p.symbol(".")
	}
}

// newPattern begins another basic graph pattern: blank nodes are local to one.
func (p *parser) newPattern() {
	p.patterns++
	p.pattern = p.patterns
}

// startsPattern tells whether something other than triples comes next.
func (p *parser) startsPattern() bool {
	t := p.peek()
	return t.kind == symbolToken && t.text == "{" || t.kind == wordToken && !p.isWord("true", "false") && t.text != "a"
}

// element reads a part of a group that is no triple. It ends the basic graph
// pattern before it, unless it is a filter: those stand aside.
func (p *parser) element() (Pattern, error) {
	t := p.peek()
	if p.word("FILTER") {
		around := p.pattern
		condition, err := p.constraint()
		p.pattern = around
		return Filter{condition, t.pos}, err
	}
	p.newPattern()
	switch {
	case t.kind == symbolToken:
		return p.groupOrUnion()
	case p.word("MINUS"):
		of, err := p.group()
		return Minus{of, t.pos}, err
	case p.word("OPTIONAL"):
		of, err := p.group()
		return Optional{of, t.pos}, err
	case p.word("BIND"):
		return p.bind(t.pos)
	case p.word("GRAPH"):
		name, of, err := p.named("GRAPH")
		if IsDefaultGraph(name.Term.Value) {
			return of, err
		}
		return Graph{name, of, t.pos}, err
	case p.word("SERVICE"):
		silent := p.word("SILENT")
		name, of, err := p.named("SERVICE")
		return Service{silent, name, of, t.pos}, err
	case p.isWord("VALUES"):
		return p.values()
	}
	return nil, p.expected("a triple, a group, OPTIONAL, UNION, MINUS, FILTER, BIND or VALUES")
}

// bind reads (expression AS ?x).
func (p *parser) bind(at Pos) (Pattern, error) {
	of, name, err := p.aliased()
	return Bind{of, name, at}, err
}

// aliased reads (expression AS ?x).
func (p *parser) aliased() (of Expr, name string, err error) {
	if err := p.require("(", "before an expression with its name"); err != nil {
		return nil, "", err
	}
	if of, err = p.expression(); err != nil {
		return nil, "", err
	}
	if !p.word("AS") || p.peek().kind != variableToken {
		return nil, "", p.expected("AS and a variable, as in (1 + 2 AS ?x)")
	}
	name = p.next().text
	return of, name, p.require(")", "after AS ?"+name)
}

// named reads the name and the group of GRAPH and SERVICE.
func (p *parser) named(word string) (Ref, *Group, error) {
	t := p.peek()
	var name Ref
	var err error
	switch t.kind {
	case variableToken:
		p.next()
		name = Ref{Var: t.text, Pos: t.pos}
	case iriToken, prefixedToken:
		name, err = p.term("")
	default:
		err = p.expected("a variable or an IRI after " + word)
	}
	if err != nil {
		return Ref{}, nil, err
	}
	of, err := p.group()
	return name, of, err
}

// subSelect reads a SELECT that is all of a group.
func (p *parser) subSelect(g *Group) error {
	t := p.next()
	q := &Query{Limit: -1}
	if err := p.selection(q); err != nil {
		return err
	}
	p.word("WHERE")
	var err error
	if q.Where, err = p.group(); err != nil {
		return err
	}
	if err := p.modifiers(q); err != nil {
		return err
	}
	g.Of = []Pattern{SubSelect{q, t.pos}}
	p.newPattern()
	return p.require("}", "after a SELECT within a pattern")
}

// groupOrUnion reads {…} or {…} UNION {…}.
func (p *parser) groupOrUnion() (Pattern, error) {
	first, err := p.group()
	if err != nil {
		return nil, err
	}
	of := []*Group{first}
	for p.word("UNION") {
		next, err := p.group()
		if err != nil {
			return nil, err
		}
		of = append(of, next)
	}
	if len(of) == 1 {
		return first, nil
	}
	return Union{of}, nil
}

// values reads VALUES ?x {…} or VALUES (?x ?y) {(…) (…)}.
func (p *parser) values() (*Values, error) {
	v := &Values{Pos: p.next().pos}
	several := p.symbol("(")
	for t := p.peek(); t.kind == variableToken && (several || len(v.Vars) == 0); t = p.peek() {
		p.next()
		if slices.Contains(v.Vars, t.text) {
			return nil, Errorf(t.pos, "?%s stands twice in VALUES", t.text)
		}
		v.Vars = append(v.Vars, t.text)
	}
	if several {
		if err := p.require(")", "after the variables of VALUES"); err != nil {
			return nil, err
		}
	} else if len(v.Vars) == 0 {
		return nil, p.expected("a variable or '(' after VALUES")
	}
	if err := p.require("{", "before the rows of VALUES"); err != nil {
		return nil, err
	}
	for !p.symbol("}") {
		row, err := p.valuesRow(len(v.Vars), several)
		if err != nil {
			return nil, err
		}
		v.Rows = append(v.Rows, row)
	}
	return v, nil
}

func (p *parser) valuesRow(width int, several bool) ([]term.Term, error) {
	start := p.peek().pos
	if several {
		if err := p.require("(", "before a row of VALUES"); err != nil {
			return nil, err
		}
	}
	row := []term.Term{}
	for len(row) < width && (!several || p.peek().text != ")") {
		if p.word("UNDEF") {
			row = append(row, term.Term{})
			continue
		}
		at := p.peek().pos
		var ref Ref
		var err error
		if p.symbol("<<(") {
			ref, err = p.tripleTerm(at, p.inData)
		} else {
			ref, err = p.term("a term or UNDEF")
		}
		if err != nil {
			return nil, err
		}
		row = append(row, ref.Term)
	}
	if len(row) < width {
		return nil, Errorf(start, "a row of VALUES with %d terms for %d variables", len(row), width)
	}
	if several && !p.symbol(")") {
		return nil, p.expected("')' after a row of VALUES, a term for each of its variables")
	}
	return row, nil
}
