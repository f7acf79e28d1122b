package query

// Pass is a rewrite: a law, read from left to right, applied everywhere in an
// expression. Passes are pure, and each makes an expression smaller, flatter or
// sorted, so that applying them over and over comes to an end.
type Pass func(Expr) Expr

// Passes are the rewrites whose laws hold in product, Gödel and Łukasiewicz logic
// alike (and in any logic with 1-x for negation and dual ∧ and ∨), so that they
// never change a result beyond rounding. A list of some of them, or none, may be
// given to Rewrite instead.
//
// Three laws of Boolean algebra are missing on purpose. x ∧ ¬x = 0 and x ∨ ¬x = 1
// hold in none of the logics but Łukasiewicz's, and x ∧ x = x in Gödel's alone: the
// product of 0.5 and 0.5 is 0.25.
var Passes = []Pass{doubleNegation, flatten, deMorgan, dropUniverse}

// AnyNegation are the passes that also suit a model with a complement of its own
// (kernel.Complement), which De Morgan's laws do not know.
var AnyNegation = []Pass{doubleNegation, flatten, dropUniverse}

// Rewrite applies the passes, again and again, until none changes anything.
func Rewrite(e Expr, passes ...Pass) Expr {
	for len(passes) > 0 {
		before := e
		for _, pass := range passes {
			e = pass(e)
		}
		if Equal(before, e) {
			break
		}
	}
	return e
}

// bottomUp applies a rule to every node, after its operands.
func bottomUp(e Expr, rule func(Expr) Expr) Expr {
	switch node := e.(type) {
	case Projection:
		e = Projection{node.Relation, bottomUp(node.Of, rule), node.Variable}
	case Complement:
		e = Complement{bottomUp(node.Of, rule)}
	case Intersection:
		e = Intersection{allBottomUp(node.Of, rule)}
	case Union:
		e = Union{allBottomUp(node.Of, rule)}
	}
	return rule(e)
}

func allBottomUp(of []Expr, rule func(Expr) Expr) []Expr {
	all := make([]Expr, len(of))
	for i, e := range of {
		all[i] = bottomUp(e, rule)
	}
	return all
}

// doubleNegation: N(N(x)) => x
func doubleNegation(e Expr) Expr {
	return bottomUp(e, func(e Expr) Expr {
		if outer, ok := e.(Complement); ok {
			if inner, ok := outer.Of.(Complement); ok {
				return inner.Of
			}
		}
		return e
	})
}

// flatten: C(C(x, y), z) => C(x, y, z), and so for D
func flatten(e Expr) Expr {
	return bottomUp(e, func(e Expr) Expr {
		switch node := e.(type) {
		case Intersection:
			return Intersection{flat[Intersection](node.Of)}
		case Union:
			return Union{flat[Union](node.Of)}
		}
		return e
	})
}

func flat[Same Expr](of []Expr) []Expr {
	all := make([]Expr, 0, len(of))
	for _, e := range of {
		if _, nested := e.(Same); nested {
			all = append(all, Operands(e)...)
			continue
		}
		all = append(all, e)
	}
	return all
}

// deMorgan: C(N(x), N(y)) => N(D(x, y)), D(N(x), N(y)) => N(C(x, y))
//
// Of other operands it leaves: C(x, N(y), N(z)) => C(x, N(D(y, z))). Read this
// way there is one complement less each time, and a complement is what costs: it
// makes a small set a large one.
func deMorgan(e Expr) Expr {
	return bottomUp(e, func(e Expr) Expr {
		switch node := e.(type) {
		case Intersection:
			if others, complements := splitComplements(node.Of); len(complements) > 1 {
				return joined(others, Complement{Union{complements}}, func(of []Expr) Expr { return Intersection{of} })
			}
		case Union:
			if others, complements := splitComplements(node.Of); len(complements) > 1 {
				return joined(others, Complement{Intersection{complements}}, func(of []Expr) Expr { return Union{of} })
			}
		}
		return e
	})
}

// splitComplements gives the operands that are not complements, and what the others are complements of.
func splitComplements(of []Expr) (others, complements []Expr) {
	for _, e := range of {
		if c, ok := e.(Complement); ok {
			complements = append(complements, c.Of)
		} else {
			others = append(others, e)
		}
	}
	return others, complements
}

func joined(others []Expr, last Expr, join func([]Expr) Expr) Expr {
	if len(others) == 0 {
		return last
	}
	return join(append(others, last))
}

// dropUniverse: C({*}, x) => x, D({*}, x) => {*}, C(N({*}), x) => N({*}), D(N({*}), x) => x
func dropUniverse(e Expr) Expr {
	var all, none Expr = Universe{}, Complement{Universe{}}
	return bottomUp(e, func(e Expr) Expr {
		switch node := e.(type) {
		case Intersection:
			return withoutNeutral(node.Of, all, none, func(of []Expr) Expr { return Intersection{of} })
		case Union:
			return withoutNeutral(node.Of, none, all, func(of []Expr) Expr { return Union{of} })
		}
		return e
	})
}

func withoutNeutral(of []Expr, neutral, absorbing Expr, join func([]Expr) Expr) Expr {
	var rest []Expr
	for _, e := range of {
		switch {
		case Equal(e, absorbing):
			return absorbing
		case !Equal(e, neutral):
			rest = append(rest, e)
		}
	}
	switch len(rest) {
	case 0:
		return neutral
	case 1:
		return rest[0]
	}
	return join(rest)
}
