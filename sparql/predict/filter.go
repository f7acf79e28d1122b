package predict

import (
	"github.com/lacuna-kg/lacuna/query"
	"github.com/lacuna-kg/lacuna/sparql/syntax"
)

// condition maps what a filter tests on the solutions of a pattern.
func (m *mapper) condition(c syntax.Expr, of pattern, given names) (query.Formula, error) {
	if comparesValues(c) {
		return m.valuesThat(c, of, given)
	}
	switch c := c.(type) {
	case syntax.Compare:
		f, err := m.comparison(c.Left, c.Right, c.Pos, of, given)
		return negatedFormula(c.Sign == "!=", f), err
	case syntax.In:
		list := query.Or{}
		for _, r := range c.List {
			f, err := m.comparison(c.Left, r, c.Pos, of, given)
			if err != nil {
				return nil, err
			}
			list.Of = append(list.Of, f)
		}
		return negatedFormula(c.Not, list), nil
	case syntax.Call:
		return m.comparison(c.Args[0], c.Args[1], c.Pos, of, given) // sameTerm, of entities the same as =
	case syntax.And:
		all, err := m.conditions(c.Of, of, given)
		return query.And{Of: all}, err
	case syntax.Or:
		all, err := m.conditions(c.Of, of, given)
		return query.Or{Of: all}, err
	case syntax.Not:
		return m.negation(c.Of, of, given)
	case syntax.Exists:
		f, err := m.exists(c, of, given)
		return negatedFormula(c.Not, f), err
	}
	return nil, unmapped(placeOf(c), "a condition other than comparisons, IN and EXISTS")
}

// negation maps !c. It is pushed down to single conditions, as the values for which one is true or an error are not those for which it is false.
func (m *mapper) negation(c syntax.Expr, of pattern, given names) (query.Formula, error) {
	switch c := c.(type) {
	case syntax.And: // !(x && y) => !x || !y
		all, err := m.conditions(opposites(c.Of), of, given)
		return query.Or{Of: all}, err
	case syntax.Or: // !(x || y) => !x && !y
		all, err := m.conditions(opposites(c.Of), of, given)
		return query.And{Of: all}, err
	case syntax.Not: // !!x => x
		return m.condition(c.Of, of, given)
	}
	f, err := m.condition(c, of, given)
	return query.Not{Of: f}, err
}

func opposites(all []syntax.Expr) []syntax.Expr {
	negated := make([]syntax.Expr, len(all))
	for i, c := range all {
		negated[i] = syntax.Not{Of: c}
	}
	return negated
}

// unmapped refuses what exact answers have and predictions lack.
func unmapped(at syntax.Pos, what string) error {
	return syntax.Errorf(at, "%s cannot be predicted: mode=exact answers it", what)
}

// ofUnion refuses what tells graphs apart.
func ofUnion(at syntax.Pos, what string) error {
	return syntax.Errorf(at, "%s cannot be predicted: facts are predicted from all graphs together", what)
}

// placeOf is where an expression stands, as far as it says so.
func placeOf(e syntax.Expr) syntax.Pos {
	switch e := e.(type) {
	case syntax.Ref:
		return e.Pos
	case syntax.Compare:
		return e.Pos
	case syntax.In:
		return e.Pos
	case syntax.Not:
		return placeOf(e.Of)
	case syntax.Arithmetic:
		return e.Pos
	case syntax.Signed:
		return e.Pos
	case syntax.Call:
		return e.Pos
	case syntax.FunctionCall:
		return e.Pos
	}
	return syntax.Pos{Line: 1, Column: 1}
}

func (m *mapper) conditions(all []syntax.Expr, of pattern, given names) ([]query.Formula, error) {
	mapped := make([]query.Formula, len(all))
	for i, c := range all {
		var err error
		if mapped[i], err = m.condition(c, of, given); err != nil {
			return nil, err
		}
	}
	return mapped, nil
}

func negatedFormula(negated bool, f query.Formula) query.Formula {
	if negated {
		return query.Not{Of: f}
	}
	return f
}

// comparison maps an equality of a variable and a term, or of two variables, which says that they are the same entity.
func (m *mapper) comparison(one, other syntax.Expr, at syntax.Pos, of pattern, given names) (query.Formula, error) {
	left, isRef := one.(syntax.Ref)
	right, areRefs := other.(syntax.Ref)
	if !isRef || !areRefs {
		return nil, unmapped(at, "a comparison of computed values")
	}
	if left.Var == "" {
		left, right = right, left
	}
	for _, side := range []syntax.Ref{left, right} {
		if side.Var != "" && !of.certain[side.Var] && !given[side.Var] {
			return nil, syntax.Errorf(at, "?%s is not bound by every solution of the group around the filter, which mode=predict needs; mode=exact answers it", side.Var)
		}
	}
	switch {
	case left.Var == "":
		return nil, syntax.Errorf(at, "mode=predict compares variables, and a variable with a term: mode=exact answers others")
	case right.Var != "":
		return query.Equals{Left: query.Variable{Name: left.Var, Pos: left.Pos}, Right: query.Variable{Name: right.Var, Pos: right.Pos}}, nil
	}
	return m.equals(left, right.Term), nil
}

// exists maps EXISTS {…}: variables that the solution has are its own, others are quantified.
func (m *mapper) exists(e syntax.Exists, of pattern, given names) (query.Formula, error) {
	var missing string
	syntax.EachVar(e.Of, func(name string) {
		if of.possible[name] && !of.certain[name] && !given[name] {
			missing = name
		}
	})
	if missing != "" {
		return nil, syntax.Errorf(e.Pos, "?%s is not bound by every solution of the group around EXISTS, which mode=predict needs; mode=exact answers it", missing)
	}
	given = eitherOf(given, of.certain)
	inside, err := m.group(e.Of, given)
	if err != nil {
		return nil, err
	}
	return quantified(inside, given), nil
}
