// Package fuzzy holds fuzzy sets of entities in Go memory and the three logics
// over them (METHOD, "Logic"; section 4.3 of the paper). The numbers are defined
// by package kernel, once for all devices; this is their face for sets that people
// look at and for exact answers.
package fuzzy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kernel/plain"
	"github.com/lacuna-kg/lacuna/kg"
)

// Logic is a choice of conjunction, disjunction and negation on degrees of membership in
// [0, 1]. Every logic is commutative, associative and, with the plain negation, satisfies
// De Morgan's laws; only Gödel's is idempotent. The zero value is the paper's.
type Logic struct {
	Norm kernel.Logic // which conjunction and disjunction
	// Negation is λ of plain.Complement: below 0, down to -1, what stands under ¬ has to be
	// more likely to count. 0 is 1-x, as in the paper. On crisp sets all are the same.
	Negation float32
}

var (
	// Product is the logic of the paper: x·y and x+y-x·y.
	Product = Logic{Norm: kernel.Product}
	// Godel takes minimum and maximum.
	Godel = Logic{Norm: kernel.Godel}
	// Lukasiewicz takes max(x+y-1, 0) and min(x+y, 1).
	Lukasiewicz = Logic{Norm: kernel.Lukasiewicz}
)

// Logics lists all logics with the plain negation, those of kernel.Logics.
var Logics = func() (all [len(kernel.Logics)]Logic) {
	for i := range all {
		all[i].Norm = kernel.Logic(i)
	}
	return all
}()

// ParseLogic is the way back from Logic.String, for logics with the plain negation.
func ParseLogic(name string) (Logic, error) {
	for _, l := range Logics {
		if l.String() == name {
			return l, nil
		}
	}
	return Logic{}, kg.Errorf(kg.Invalid, "", "no logic %q (expected %s)", name, strings.Join(LogicNames(), ", "))
}

// UnmarshalText reads the name of a logic.
func (l *Logic) UnmarshalText(name []byte) (err error) {
	*l, err = ParseLogic(string(name))
	return err
}

// MarshalText is the name that UnmarshalText reads.
func (l Logic) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// LogicNames are what ParseLogic takes.
func LogicNames() []string { return slices.Clone(kernel.Logics[:]) }

// String names the logic, and λ where it has a negation of its own.
func (l Logic) String() string {
	if l.Negation != 0 {
		return fmt.Sprintf("%v, λ = %v", l.Norm, l.Negation)
	}
	return l.Norm.String()
}

// Combine sets out to op of x and y, entity by entity; Not reads x alone. out may be either of them.
func (l Logic) Combine(op kernel.LogicOp, out, x, y Set) {
	for i := range out {
		out[i] = l.apply(op, x[i], y[i])
	}
}

func (l Logic) apply(op kernel.LogicOp, x, y float32) float32 {
	if op == kernel.Not {
		return plain.Complement(x, l.Negation)
	}
	return plain.Apply(l.Norm, op, x, y)
}
