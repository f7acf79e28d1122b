package algebra

import "slices"

// flattenJoins: join(a, join(b, c)) => join(a, b, c)
func flattenJoins(o Op) Op {
	j, ok := o.(Join)
	if !ok {
		return o
	}
	var all []Op
	for _, part := range j.Of {
		if inner, ok := part.(Join); ok {
			all = append(all, inner.Of...)
			continue
		}
		all = append(all, part)
	}
	return newJoin(all)
}

// mergeBasics: join(basic(s), a, basic(t)) => join(basic(s, t), a)
//
// The order of the triples within one is free: who runs it chooses.
func mergeBasics(o Op) Op {
	j, ok := o.(Join)
	if !ok {
		return o
	}
	var triples []Triple
	var all []Op
	first := -1
	for _, part := range j.Of {
		b, ok := part.(Basic)
		if !ok {
			all = append(all, part)
			continue
		}
		if triples = append(triples, b.Triples...); first < 0 {
			first = len(all)
		}
	}
	if first >= 0 {
		all = slices.Insert(all, first, newBasic(triples))
	}
	return newJoin(all)
}

// freeJoins: join(a, b) may run its operands in any order; who runs it chooses.
func freeJoins(o Op) Op {
	j, ok := o.(Join)
	if ok {
		j.Free = true
		return j
	}
	return o
}

// firstRows: slice(0, 10, order(k, p)) => slice(0, 10, order(k, p | first 10)), also around a projection
func firstRows(o Op) Op {
	s, ok := o.(Slice)
	if !ok || s.Limit < 0 {
		return o
	}
	if p, ok := s.Of.(Project); ok {
		if order, ok := p.Of.(Order); ok {
			order.First = s.Offset + s.Limit
			p.Of = order
			s.Of = p
		}
	}
	if order, ok := s.Of.(Order); ok {
		order.First = s.Offset + s.Limit
		s.Of = order
	}
	return s
}

// lookUpMinus: minus(a, b) asks b with what both share given, instead of listing it.
//
// That is right where all that both sides have is bound for certain on both: then a row
// goes exactly if the right side matches under it.
func lookUpMinus(o Op) Op {
	m, ok := o.(Minus)
	if !ok {
		return o
	}
	l, r := m.Left.About(), m.Right.About()
	shared := l.Possible.and(r.Possible)
	m.ByLookup = r.Under(shared) && len(shared.Members()) == len(m.Shared)
	return m
}

// findMissing: filter(!bound(?x), leftjoin(a, b)) => leftjoin(a, b | missing), the rows of a without b
//
// That is right where every row of b binds ?x, and none of a does.
func findMissing(o Op) Op {
	f, ok := o.(Filter)
	if !ok {
		return o
	}
	j, ok := f.Of.(LeftJoin)
	if !ok || len(j.Missing) > 0 {
		return o
	}
	var missing []int
	absent := func(c Expr) bool {
		not, _ := c.(Not)
		bound, ok := not.Of.(Bound)
		ok = ok && j.Right.About().Certain.Has(bound.Var) && !j.Left.About().Possible.Has(bound.Var)
		if ok {
			missing = append(missing, bound.Var)
		}
		return ok
	}
	rest := slices.DeleteFunc(slices.Clone(f.Conditions), absent)
	return filtered(withoutMatch(j, missing), rest)
}

// withoutMatch has the rows of the left side only, those that nothing on the right agrees with, if
// there are variables that must not be bound.
func withoutMatch(j LeftJoin, missing []int) LeftJoin {
	if len(missing) > 0 {
		j.Missing, j.Possible = missing, j.Left.About().Possible
	}
	return j
}
