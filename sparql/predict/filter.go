package predict

import (
	"github.com/lacuna-kg/lacuna/query"
	"github.com/lacuna-kg/lacuna/sparql/syntax"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// condition maps what a filter tests on the solutions of a pattern.
func (m *mapper) condition(c syntax.Condition, of pattern, given names) (query.Formula, error) {
	switch c := c.(type) {
	case syntax.Compare:
		f, err := m.comparison(c.Left, c.Right, c.Differ, c.Pos, of, given)
		return negatedFormula(c.Differ, f), err
	case syntax.In:
		list := query.Or{}
		for _, r := range c.List {
			f, err := m.comparison(c.Left, r, c.Not, c.Pos, of, given)
			if err != nil {
				return nil, err
			}
			list.Of = append(list.Of, f)
		}
		return negatedFormula(c.Not, list), nil
	case syntax.And:
		all, err := m.conditions(c.Of, of, given)
		return query.And{Of: all}, err
	case syntax.Or:
		all, err := m.conditions(c.Of, of, given)
		return query.Or{Of: all}, err
	case syntax.Not:
		f, err := m.condition(c.Of, of, given)
		return query.Not{Of: f}, err
	}
	exists := c.(syntax.Exists)
	f, err := m.exists(exists, of, given)
	return negatedFormula(exists.Not, f), err
}

func (m *mapper) conditions(all []syntax.Condition, of pattern, given names) ([]query.Formula, error) {
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

// comparison maps an equality of a variable and a term; differ tells that it is to be negated.
func (m *mapper) comparison(left, right syntax.Ref, differ bool, at syntax.Pos, of pattern, given names) (query.Formula, error) {
	if left.Var == "" {
		left, right = right, left
	}
	switch {
	case left.Var == "" || right.Var != "":
		return nil, syntax.Errorf(at, "mode=predict compares a variable with a term: mode=exact answers others")
	case !of.certain[left.Var] && !given[left.Var]:
		return nil, syntax.Errorf(at, "?%s is not bound by every solution of the group around the filter, which mode=predict needs; mode=exact answers it", left.Var)
	case right.Term.Kind == term.Literal && (differ || right.Term.Datatype != ""):
		// Numbers may be equal and written differently, and of literals of other types nobody knows.
		return nil, syntax.Errorf(at, "mode=predict compares with literals only for equality with a string: mode=exact answers others")
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
