package plan

import (
	"fmt"

	"github.com/lacuna-kg/lacuna/query"
)

// Normal is the set after instruction i as a question in normal form: its one answer variable is a member of the set.
func (p *Program) Normal(i int) *query.Normal {
	n := &normaliser{Program: p, normal: &query.Normal{Answers: 1}}
	n.normal.Body = n.set(i, n.variable(i))
	return n.normal
}

type normaliser struct {
	*Program
	normal *query.Normal
}

// variable is a new one for the members of the set after an instruction.
func (n *normaliser) variable(i int) query.Argument {
	number := len(n.normal.Variables)
	name := n.Code[i].Variable
	if name == "" {
		name = fmt.Sprintf("x%d", number+1)
	}
	n.normal.Variables = append(n.normal.Variables, name)
	return query.Argument{IsVariable: true, Variable: number}
}

// set says that x is in the set after an instruction.
func (n *normaliser) set(i int, x query.Argument) query.Condition {
	in, inputs := n.Code[i], n.Inputs[i]
	switch in.Op {
	case Entity:
		return query.Same{A: x, B: query.Argument{Entity: in.Entity}}
	case Everything:
		return query.All{}
	case Project:
		if from := n.Code[inputs[0]]; from.Op == Entity {
			return query.Link{Relation: in.Relation, From: query.Argument{Entity: from.Entity}, To: x}
		}
		y := n.variable(inputs[0])
		return query.SomeOf([]int{y.Variable}, query.AllOf([]query.Condition{
			n.set(inputs[0], y), query.Link{Relation: in.Relation, From: y, To: x},
		}))
	case Not:
		return query.Negation(true, n.set(inputs[0], x))
	case And:
		return query.AllOf([]query.Condition{n.set(inputs[0], x), n.set(inputs[1], x)})
	case Or:
		return query.AnyOf([]query.Condition{n.set(inputs[0], x), n.set(inputs[1], x)})
	}
	return n.set(n.produced(i), x) // Load
}
