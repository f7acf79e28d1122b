// Package fuzzy holds fuzzy sets of entities and the three logics over them, each
// operation with its gradient (METHOD, "Logic"; section 4.3 of the paper). The
// machine of package exec combines sets with it between projections.
package fuzzy

import "fmt"

// Logic is a choice of conjunction and disjunction on degrees of membership in
// [0, 1]. Negation is 1-x in all of them. Every logic is commutative,
// associative and satisfies De Morgan's laws; only Gödel's is idempotent.
type Logic uint8

const (
	// Product is the logic of the paper: x·y and x+y-x·y.
	Product Logic = iota
	// Godel takes minimum and maximum.
	Godel
	// Lukasiewicz takes max(x+y-1, 0) and min(x+y, 1).
	Lukasiewicz
)

// Logics lists all logics.
var Logics = [...]Logic{Product, Godel, Lukasiewicz}

func (l Logic) String() string {
	return [...]string{"product", "godel", "lukasiewicz"}[l]
}

// ParseLogic is the way back from String.
func ParseLogic(name string) (Logic, error) {
	for _, l := range Logics {
		if l.String() == name {
			return l, nil
		}
	}
	return 0, fmt.Errorf("no logic %q (expected product, godel or lukasiewicz)", name)
}

// And is the conjunction of two degrees.
func (l Logic) And(x, y float32) float32 {
	switch l {
	case Godel:
		return min(x, y)
	case Lukasiewicz:
		return max(x+y-1, 0)
	}
	return x * y
}

// AndGrad gives the derivatives of And by x and y. Where min or max is tied, both
// sides receive the gradient halved, as in PyTorch.
func (l Logic) AndGrad(x, y float32) (dx, dy float32) {
	switch l {
	case Godel:
		return chosen(x, y)
	case Lukasiewicz:
		return both(x+y > 1)
	}
	return y, x
}

// Or is the disjunction of two degrees.
func (l Logic) Or(x, y float32) float32 {
	switch l {
	case Godel:
		return max(x, y)
	case Lukasiewicz:
		return min(x+y, 1)
	}
	return x + y - x*y
}

// OrGrad gives the derivatives of Or by x and y.
func (l Logic) OrGrad(x, y float32) (dx, dy float32) {
	switch l {
	case Godel:
		return chosen(y, x)
	case Lukasiewicz:
		return both(x+y < 1)
	}
	return 1 - y, 1 - x
}

// chosen is the gradient of min(x, y) by x and y.
func chosen(x, y float32) (dx, dy float32) {
	switch {
	case x < y:
		return 1, 0
	case x > y:
		return 0, 1
	}
	return 0.5, 0.5
}

func both(pass bool) (dx, dy float32) {
	if pass {
		return 1, 1
	}
	return 0, 0
}
