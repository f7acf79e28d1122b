package query

import (
	"math/rand/v2"

	"github.com/lacuna-kg/lacuna/kg"
)

// randomExpr draws an expression of at most the given depth over the given numbers of entities and relations.
func randomExpr(rng *rand.Rand, depth, entities, relations int) Expr {
	if depth <= 1 {
		if rng.IntN(8) == 0 {
			return Universe{}
		}
		return Anchor{kg.Entity(rng.IntN(entities))}
	}
	inner := func() Expr { return randomExpr(rng, depth-1-rng.IntN(2), entities, relations) }
	switch rng.IntN(6) {
	case 0:
		return Complement{inner()}
	case 1:
		return Intersection{randomOperands(rng, inner)}
	case 2:
		return Union{randomOperands(rng, inner)}
	}
	return Projection{Relation: kg.Relation(rng.IntN(relations)), Of: inner()}
}

func randomOperands(rng *rand.Rand, inner func() Expr) []Expr {
	of := make([]Expr, 2+rng.IntN(2))
	for i := range of {
		of[i] = inner()
	}
	return of
}

// shuffled is e with the operands of every C and D in another order, and some double negations more.
func shuffled(rng *rand.Rand, e Expr) Expr {
	if rng.IntN(6) == 0 {
		return Complement{Complement{shuffled(rng, e)}}
	}
	switch e := e.(type) {
	case Projection:
		return Projection{Relation: e.Relation, Of: shuffled(rng, e.Of)}
	case Complement:
		return Complement{shuffled(rng, e.Of)}
	case Intersection:
		return Intersection{shuffledOperands(rng, e.Of)}
	case Union:
		return Union{shuffledOperands(rng, e.Of)}
	}
	return e
}

func shuffledOperands(rng *rand.Rand, of []Expr) []Expr {
	all := make([]Expr, len(of))
	for i, at := range rng.Perm(len(of)) {
		all[at] = shuffled(rng, of[i])
	}
	return all
}
