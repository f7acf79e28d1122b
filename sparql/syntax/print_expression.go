package syntax

import "github.com/lacuna-kg/lacuna/sparql/term"

// How tightly the operators bind: a part that binds less than what is around it stands in parentheses.
const (
	weakest = iota
	conjunction
	comparison
	addition
	multiplication
	negation
	strongest
)

// FormatExpr writes an expression.
func FormatExpr(e Expr) string {
	p := &printer{}
	p.expression(e, 0)
	return p.String()
}

func (p *printer) parenthesised(e Expr) {
	p.write("(")
	p.expression(e, weakest)
	p.write(")")
}

// expression writes an expression, in parentheses if it binds less than it must.
func (p *printer) expression(e Expr, least int) {
	if binding(e) < least {
		p.parenthesised(e)
		return
	}
	switch e := e.(type) {
	case Ref:
		p.write(e.String())
	case Compare:
		p.binary(e.Left, e.Sign, e.Right, addition, addition)
	case Arithmetic:
		p.binary(e.Left, e.Sign, e.Right, leftOf(e), binding(e)+1)
	case Signed:
		p.write(e.Sign)
		p.expression(e.Of, strongest)
	case In:
		p.expression(e.Left, addition)
		p.write(map[bool]string{false: " IN ", true: " NOT IN "}[e.Not])
		p.arguments(e.List)
	case And:
		p.joined(e.Of, " && ", comparison)
	case Or:
		p.joined(e.Of, " || ", conjunction)
	case Not:
		p.write("!")
		p.expression(e.Of, strongest)
	case Exists:
		p.write(map[bool]string{false: "EXISTS ", true: "NOT EXISTS "}[e.Not])
		p.group(e.Of)
	case Call:
		p.write(e.Name)
		p.arguments(e.Args)
	case FunctionCall:
		p.write("<" + e.IRI + ">")
		p.arguments(e.Args)
	case Aggregate:
		p.aggregate(e)
	}
}

// leftOf is how tightly the left side of arithmetic must bind. Operators of one rank group from the
// left, but not every reader does so (Oxigraph takes 8 / 2 * 4 for 1): parentheses say it, except
// where all signs are "+" or all are "*".
func leftOf(e Arithmetic) int {
	left, same := e.Left.(Arithmetic)
	if same && left.Sign == e.Sign && (e.Sign == "+" || e.Sign == "*") {
		return binding(e)
	}
	return binding(e) + 1
}

func binding(e Expr) int {
	switch e := e.(type) {
	case Or:
		return weakest
	case And:
		return conjunction
	case Compare, In:
		return comparison
	case Arithmetic:
		if e.Sign == "+" || e.Sign == "-" {
			return addition
		}
		return multiplication
	case Signed, Not:
		return negation
	}
	return strongest
}

func (p *printer) binary(left Expr, sign string, right Expr, leastLeft, leastRight int) {
	p.expression(left, leastLeft)
	p.write(" " + sign + " ")
	p.expression(right, leastRight)
}

func (p *printer) joined(of []Expr, sign string, least int) {
	for i, e := range of {
		if i > 0 {
			p.write(sign)
		}
		p.expression(e, least)
	}
}

func (p *printer) arguments(of []Expr) {
	p.write("(")
	p.joined(of, ", ", weakest)
	p.write(")")
}

func (p *printer) aggregate(a Aggregate) {
	p.write(a.Name + "(")
	if a.Distinct {
		p.write("DISTINCT ")
	}
	if a.Of == nil {
		p.write("*")
	} else {
		p.expression(a.Of, weakest)
	}
	if a.Name == "GROUP_CONCAT" {
		p.write("; SEPARATOR = " + term.Typed(a.Separator, "").String())
	}
	p.write(")")
}
