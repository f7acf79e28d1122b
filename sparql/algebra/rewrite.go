package algebra

import "slices"

// Pass is a rewrite of a whole pattern that keeps the bag of its solutions.
type Pass func(Op) Op

// Passes are all of them, in the order in which they build on each other.
var Passes = []Pass{
	everywhere(flattenJoins),
	everywhere(mergeBasics),
	everywhere(cheapFirst),
	everywhere(pinFilters),
	everywhere(lookUpMinus),
}

// Optimise runs passes over a query; without any it stays as it was translated.
func Optimise(q *Query, passes []Pass) *Query {
	better := *q
	for _, pass := range passes {
		better.Pattern = pass(better.Pattern)
	}
	return &better
}

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

// cheapFirst: join(minus(…), basic(…), table(…)) => join(table(…), basic(…), minus(…))
func cheapFirst(o Op) Op {
	j, ok := o.(Join)
	if !ok {
		return o
	}
	j.Of = slices.SortedStableFunc(slices.Values(j.Of), func(a, b Op) int { return listing(a) - listing(b) })
	return j
}

// listing ranks operators by how cheap they are to list.
func listing(o Op) int {
	switch o.(type) {
	case Table:
		return 0
	case Basic:
		return 1
	}
	return 2
}

// pinFilters: filter(?x = <a>, p) => filter(?x = <a>, p with ?x given as <a>)
//
// That is right where every row of p binds ?x, and giving it changes nothing else.
func pinFilters(o Op) Op {
	f, ok := o.(Filter)
	if !ok {
		return o
	}
	f.Pins = nil
	for _, c := range f.Conditions {
		if s, ok := pin(c); ok && f.Certain.Has(s.Var) && !f.Of.About().Fragile.Has(s.Var) {
			f.Pins = append(f.Pins, s)
		}
	}
	return f
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

// everywhere makes a pass of a rule: from the leaves up, patterns of EXISTS included.
func everywhere(rule func(Op) Op) Pass {
	var pass Pass
	pass = func(o Op) Op { return rule(rebuilt(o, pass)) }
	return pass
}

// rebuilt makes an operator again of its parts after a pass over each, with their traits.
func rebuilt(o Op, pass Pass) Op {
	within := func(e Expr) Expr { return within(e, pass) }
	switch o := o.(type) {
	case Join:
		return newJoin(mapped(o.Of, pass))
	case LeftJoin:
		return newLeftJoin(pass(o.Left), pass(o.Right), mapped(o.Conditions, within))
	case Union:
		return newUnion(mapped(o.Of, pass))
	case Minus:
		m := newMinus(pass(o.Left), pass(o.Right))
		m.ByLookup = o.ByLookup
		return m
	case Filter:
		f := newFilter(pass(o.Of), mapped(o.Conditions, within))
		f.Pins = o.Pins
		return f
	case Extend:
		return newExtend(pass(o.Of), mapped(o.Bindings, func(b Binding) Binding { return Binding{b.Var, within(b.Of)} }))
	case Group:
		return newGroup(pass(o.Of), o.Keys, mapped(o.Aggregates, func(a Aggregate) Aggregate {
			if a.Of != nil {
				a.Of = within(a.Of)
			}
			return a
		}))
	case Order:
		return newOrder(pass(o.Of), mapped(o.Keys, func(k Key) Key { return Key{within(k.Of), k.Descending} }))
	case Project:
		return newProject(pass(o.Of), o.Vars)
	case Distinct:
		return newDistinct(pass(o.Of))
	case Slice:
		return newSlice(pass(o.Of), o.Offset, o.Limit)
	}
	return o
}

// within runs a pass over the patterns of an expression.
func within(e Expr, pass Pass) Expr {
	again := func(part Expr) Expr { return within(part, pass) }
	switch e := e.(type) {
	case Every:
		return Every{mapped(e.Of, again)}
	case Some:
		return Some{mapped(e.Of, again)}
	case Not:
		return Not{again(e.Of)}
	case In:
		return In{again(e.Of), mapped(e.List, again)}
	case If:
		return If{again(e.Condition), again(e.Then), again(e.Else)}
	case Coalesce:
		return Coalesce{mapped(e.Of, again)}
	case Apply:
		return Apply{e.Name, mapped(e.Of, again)}
	case Exists:
		return Exists{pass(e.Of), e.Mentions}
	}
	return e
}

func mapped[T, U any](all []T, f func(T) U) []U {
	out := make([]U, len(all))
	for i, each := range all {
		out[i] = f(each)
	}
	return out
}
