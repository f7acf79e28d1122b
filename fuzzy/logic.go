// Package fuzzy holds fuzzy sets of entities in Go memory and the three logics
// over them (METHOD, "Logic"; section 4.3 of the paper). The numbers are defined
// by package kernel, once for all devices; this is their face for sets that people
// look at and for exact answers.
package fuzzy

import (
	"fmt"

	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kernel/plain"
)

// Logic is a choice of conjunction and disjunction on degrees of membership in
// [0, 1]. Negation is 1-x in all of them, but for models that bring their own
// (plain.Complement). Every logic is commutative, associative and, with 1-x, satisfies
// De Morgan's laws; only Gödel's is idempotent.
type Logic = kernel.Logic

const (
	// Product is the logic of the paper: x·y and x+y-x·y.
	Product = kernel.Product
	// Godel takes minimum and maximum.
	Godel = kernel.Godel
	// Lukasiewicz takes max(x+y-1, 0) and min(x+y, 1).
	Lukasiewicz = kernel.Lukasiewicz
)

// Logics lists all logics.
var Logics = [...]Logic{Product, Godel, Lukasiewicz}

// ParseLogic is the way back from Logic.String.
func ParseLogic(name string) (Logic, error) {
	for _, l := range Logics {
		if l.String() == name {
			return l, nil
		}
	}
	return 0, fmt.Errorf("no logic %q (expected product, godel or lukasiewicz)", name)
}

// Combine sets out to op of x and y, entity by entity; Not reads x alone. out may be either of them.
func Combine(l Logic, op kernel.LogicOp, out, x, y Set) {
	for i := range out {
		out[i] = plain.Apply(l, op, x[i], y[i])
	}
}
