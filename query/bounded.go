package query

import "slices"

// A variable is bounded where a condition says what it is, so that the entities to try are
// those of a link or an equation, and not only what it is not: nearly all entities would do then.

// check refuses a question with a variable that is not bounded, and says why it is not.
func (n *normaliser) check(q *Normal) error {
	answers := make([]int, q.Answers)
	for i := range answers {
		answers[i] = i
	}
	if v, found := unbounded(answers, q.Body); found {
		name := q.Variables[v]
		return invalid(n.vars[v].Pos, "the answer variable %s is %s, so that nearly all entities would answer: say also what %s is, without ¬", name, whyUnbounded(q.Body, v), name)
	}
	if v, within, found := unboundedInside(q.Body); found {
		return invalid(n.vars[v].Pos, "the variable %s is %s: say also what %s is, without ¬", q.Variables[v], whyUnbounded(within, v), q.Variables[v])
	}
	return nil
}

// whyUnbounded says what it is that c says of a variable that it does not bound.
func whyUnbounded(c Condition, v int) string {
	equated, inCase := saidOf(c, v)
	switch {
	case !FreeVariables(c)[v]:
		return "free where the question is true whatever it is"
	case inCase:
		return "not bound by every case of a ∨"
	case equated:
		return "bound only by an equation with what nothing binds"
	}
	return "bound only under negation"
}

// saidOf tells whether c speaks of v in an equation, and in a case of an ∨, outside negations.
func saidOf(c Condition, v int) (equated, inCase bool) {
	switch c := c.(type) {
	case Same:
		return isArgument(c.A, v) || isArgument(c.B, v), false
	case No:
		return false, false
	case Any:
		return false, slices.ContainsFunc(c.Of, func(part Condition) bool { return bounds(part, v, nil) || saysInCase(part, v) })
	}
	for _, part := range Parts(c) {
		e, i := saidOf(part, v)
		equated, inCase = equated || e, inCase || i
	}
	return equated, inCase
}

func saysInCase(c Condition, v int) bool {
	_, inCase := saidOf(c, v)
	return inCase
}

// unboundedInside is a variable of a ∃ that its body, which is given too, does not bound.
func unboundedInside(c Condition) (v int, within Condition, found bool) {
	if some, ok := c.(Some); ok {
		if v, found := unbounded(some.Vars, some.Of); found {
			return v, some.Of, true
		}
	}
	for _, part := range Parts(c) {
		if v, within, found := unboundedInside(part); found {
			return v, within, true
		}
	}
	return 0, nil, false
}

// unbounded is the first of the variables that c does not bound, whatever those outside of it are.
func unbounded(vars []int, c Condition) (int, bool) {
	free := FreeVariables(c)
	inside := map[int]bool{}
	for _, v := range append(slices.Clone(vars), inner(c)...) {
		inside[v] = true
	}
	bounded := map[int]bool{}
	for v := range free {
		bounded[v] = !inside[v] // it has a value before c is looked at
	}
	for changed := true; changed; {
		changed = false
		for v := range inside {
			if !bounded[v] && bounds(c, v, bounded) {
				bounded[v], changed = true, true
			}
		}
	}
	for _, v := range vars {
		if !bounded[v] {
			return v, true
		}
	}
	return 0, false
}

// inner are the variables of ∃ that c is made of, at its top or as an alternative of it.
func inner(c Condition) (vars []int) {
	switch c := c.(type) {
	case Some:
		return append(slices.Clone(c.Vars), inner(c.Of)...)
	case All, Any:
		for _, part := range Parts(c) {
			vars = append(vars, inner(part)...)
		}
	}
	return vars
}

// bounds tells whether c says what v is, some variables having values.
func bounds(c Condition, v int, given map[int]bool) bool {
	switch c := c.(type) {
	case Link:
		return isArgument(c.From, v) || isArgument(c.To, v)
	case Same:
		return isArgument(c.A, v) && hasValue(c.B, given) || isArgument(c.B, v) && hasValue(c.A, given)
	case Member:
		return isArgument(c.Of, v)
	case All:
		return slices.ContainsFunc(c.Of, func(part Condition) bool { return bounds(part, v, given) })
	case Any:
		return !slices.ContainsFunc(c.Of, func(part Condition) bool { return !bounds(part, v, given) })
	case Some:
		return bounds(c.Of, v, given)
	}
	return false
}

func isArgument(a Argument, v int) bool { return a.IsVariable && a.Variable == v }

func hasValue(a Argument, given map[int]bool) bool { return !a.IsVariable || given[a.Variable] }
