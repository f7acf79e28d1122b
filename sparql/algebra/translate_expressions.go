package algebra

import (
	"reflect"

	"github.com/lacuna-kg/lacuna/sparql/syntax"
)

// translator translates expressions within a scope; aggregate says what stands for an aggregate.
type translator struct {
	*scope
	aggregate func(syntax.Aggregate) Expr
}

// expression translates an expression without aggregates.
func (s *scope) expression(e syntax.Expr) Expr { return translator{s, nil}.expression(e) }

// conjuncts translates a condition; && at its top is taken apart.
func (s *scope) conjuncts(condition syntax.Expr) []Expr {
	return translator{s, nil}.conjuncts(condition)
}

func (t translator) conjuncts(condition syntax.Expr) []Expr {
	and, ok := condition.(syntax.And)
	if !ok {
		return []Expr{t.expression(condition)}
	}
	var all []Expr
	for _, part := range and.Of {
		all = append(all, t.conjuncts(part)...)
	}
	return all
}

func (t translator) expression(e syntax.Expr) Expr {
	switch e := e.(type) {
	case syntax.Ref:
		return t.slot(e)
	case syntax.Compare:
		return t.comparison(e)
	case syntax.Arithmetic:
		return Apply{e.Sign, []Expr{t.expression(e.Left), t.expression(e.Right)}}
	case syntax.Signed:
		return Apply{"unary " + e.Sign, []Expr{t.expression(e.Of)}}
	case syntax.In:
		return negatedIf(e.Not, In{t.expression(e.Left), mapped(e.List, t.expression)})
	case syntax.And:
		return Every{t.conjuncts(e)}
	case syntax.Or:
		return Some{mapped(e.Of, t.expression)}
	case syntax.Not:
		return Not{t.expression(e.Of)}
	case syntax.Exists:
		return negatedIf(e.Not, Exists{t.group(e.Of), t.mentioned(e.Of)})
	case syntax.Aggregate:
		return t.aggregate(e)
	case syntax.FunctionCall:
		return Apply{e.IRI, mapped(e.Args, t.expression)}
	}
	return t.call(e.(syntax.Call))
}

// comparison is what x != y means: not(x = y).
func (t translator) comparison(c syntax.Compare) Expr {
	left, right := t.expression(c.Left), t.expression(c.Right)
	switch c.Sign {
	case "=":
		return equal(left, right)
	case "!=":
		return Not{equal(left, right)}
	}
	return Apply{c.Sign, []Expr{left, right}}
}

func (t translator) call(c syntax.Call) Expr {
	args := mapped(c.Args, t.expression)
	switch c.Name {
	case "BOUND":
		return Bound{args[0].(Slot).Var}
	case "IF":
		return If{args[0], args[1], args[2]}
	case "COALESCE":
		return Coalesce{args}
	}
	return Apply{c.Name, args}
}

func negatedIf(negated bool, c Expr) Expr {
	if negated {
		return Not{c}
	}
	return c
}

func (t translator) mentioned(g *syntax.Group) VarSet {
	var s VarSet
	syntax.EachVar(g, func(name string) { s.add(t.variable(name)) })
	return s
}

func sameAggregate(a, b Aggregate) bool { return reflect.DeepEqual(a, b) }
