package query

import (
	"strconv"

	"github.com/lacuna-kg/lacuna/kg"
)

// FromExpr is the way back from operators to logic: a query whose decomposition
// is e, up to the nesting of its C and D and to operands that are the universe.
// Names come from the vocabulary; without one (nil) they are ids.
func FromExpr(e Expr, vocabulary *kg.Vocabulary) *Query {
	return compose(operationOf(e, namingOf(vocabulary)))
}

// NameVariables is e with the names that FromExpr gives its variables.
func NameVariables(e Expr) Expr {
	var c composer
	return exprOf(c.name(operationOf(e, idNames{})))
}

// compose gives the query that asks for the set of an operation.
func compose(o operation) *Query {
	var c composer
	answer := Variable{Name: "u"}
	return &Query{[]Variable{answer}, closed(conjunction(c.name(o), answer))}
}

// composer hands out the names of variables.
type composer struct{ used int }

// fresh gives a, b, …, z without the answer's u, then a1, b1, …
func (c *composer) fresh() string {
	const letters = "abcdefghijklmnopqrstvwxyz"
	name := string(letters[c.used%len(letters)])
	if round := c.used / len(letters); round > 0 {
		name += strconv.Itoa(round)
	}
	c.used++
	return name
}

// name gives every projection the variable that it goes from, unless that is a given entity.
func (c *composer) name(o operation) operation {
	if o.kind == ProjectionKind && o.of[0].kind != AnchorKind {
		o.variable = c.fresh()
	}
	of := make([]operation, len(o.of))
	for i, operand := range o.of {
		of[i] = c.name(operand)
	}
	o.of = of
	return o
}

// conjunction says that v is in the set of o, whose variables are named, as conjuncts under existential
// variables. They stay apart so that ∃ and ∧ come out flat, as people write them.
func conjunction(o operation, v Variable) (vars []Variable, parts []Formula) {
	switch o.kind {
	case AnchorKind:
		return nil, []Formula{Equals{v, Constant{o.entity}}}
	case ProjectionKind:
		return projection(o, v)
	case IntersectionKind:
		for _, operand := range o.of {
			more, conjuncts := conjunction(operand, v)
			vars, parts = append(vars, more...), append(parts, conjuncts...)
		}
		return vars, parts
	case UnionKind:
		cases := make([]Formula, len(o.of))
		for i, operand := range o.of {
			cases[i] = closed(conjunction(operand, v))
		}
		return nil, []Formula{Or{cases}}
	case ComplementKind:
		return nil, []Formula{Not{closed(conjunction(o.of[0], v))}}
	}
	return nil, nil
}

// projection says that the relation holds from some member of its operand, the conjuncts of that first.
func projection(o operation, v Variable) (vars []Variable, parts []Formula) {
	if of := o.of[0]; of.kind == AnchorKind {
		return nil, []Formula{link(o.relation, Constant{of.entity}, v)}
	}
	from := Variable{Name: o.variable}
	vars, parts = conjunction(o.of[0], from)
	return append([]Variable{from}, vars...), append(parts, link(o.relation, from, v))
}

// link writes R^-1(x, y) as R(y, x).
func link(relation RelationName, from, to Term) Atom {
	if relation.Inverse {
		relation.Inverse = false
		from, to = to, from
	}
	return Atom{Relation: relation, From: from, To: to, Pos: relation.Pos}
}

func closed(vars []Variable, parts []Formula) Formula {
	var body Formula = And{parts}
	if len(parts) == 1 {
		body = parts[0]
	}
	if len(vars) == 0 {
		return body
	}
	return Exists{vars, body}
}
