package query

import "github.com/lacuna-kg/lacuna/kg"

// operation is a node of the operator form while its names are not yet bound to a
// vocabulary: between the text of the operator and tuple notations and the
// formula they are turned into, and between an Expr and its text.
type operation struct {
	kind     Kind
	entity   Name         // of an anchor
	relation RelationName // of a projection
	variable string       // that a projection goes from, once composer.name gave it one; "" from an entity
	of       []operation
}

// exprOf is the expression of an operation whose names all are ids.
func exprOf(o operation) Expr {
	switch o.kind {
	case AnchorKind:
		return Anchor{kg.Entity(o.entity.ID)}
	case ProjectionKind:
		return Projection{o.relation.directed(), exprOf(o.of[0]), o.variable}
	case IntersectionKind:
		return Intersection{exprsOf(o.of)}
	case UnionKind:
		return Union{exprsOf(o.of)}
	case ComplementKind:
		return Complement{exprOf(o.of[0])}
	}
	return Universe{}
}

func exprsOf(of []operation) []Expr {
	all := make([]Expr, len(of))
	for i, o := range of {
		all[i] = exprOf(o)
	}
	return all
}

// directed is the relation meant by a name that is an id.
func (r RelationName) directed() kg.Relation {
	if r.Inverse {
		return kg.Relation(r.ID).Inverse()
	}
	return kg.Relation(r.ID)
}

func (o operation) depth() int {
	depth := 0
	for _, operand := range o.of {
		depth = max(depth, operand.depth())
	}
	return depth + 1
}
