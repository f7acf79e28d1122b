package algebra

import (
	"slices"
	"strings"

	"github.com/lacuna-kg/lacuna/kg"
)

// Pass is a rewrite of a whole pattern that keeps the bag of its solutions.
type Pass struct {
	Name string
	rule func(Op) Op // of one operator, whose parts have been rewritten
}

// Passes are all of them, in the order in which they build on each other.
var Passes = []Pass{
	{"flatten-joins", flattenJoins},
	{"merge-basics", mergeBasics},
	{"merge-filters", mergeFilters},
	{"gather-equals", gatherEquals},
	{"find-missing", findMissing},
	{"push-filters", pushFilters},
	{"free-joins", freeJoins},
	{"pin-filters", pinFilters},
	{"look-up-minus", lookUpMinus},
	{"first-rows", firstRows},
}

// PassesWithout are all but those of some names.
func PassesWithout(names []string) ([]Pass, error) {
	var known []string
	for _, p := range Passes {
		known = append(known, p.Name)
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			return nil, kg.Errorf(kg.Invalid, "", "no pass %q: expected some of %s", name, strings.Join(known, ", "))
		}
	}
	return slices.DeleteFunc(slices.Clone(Passes), func(p Pass) bool { return slices.Contains(names, p.Name) }), nil
}

// Optimise runs passes over a query; without any it stays as it was translated.
func Optimise(q *Query, passes []Pass) *Query {
	better := *q
	for _, pass := range passes {
		better.Pattern = pass.over(better.Pattern)
	}
	return &better
}

// over rewrites from the leaves up, patterns of EXISTS included.
func (p Pass) over(o Op) Op { return p.rule(rebuilt(o, p.over)) }

// rebuilt makes an operator again of its parts after a pass over each, with their traits.
func rebuilt(o Op, pass func(Op) Op) Op {
	within := func(e Expr) Expr { return within(e, pass) }
	switch o := o.(type) {
	case Join:
		return rejoined(mapped(o.Of, pass), o.Free)
	case LeftJoin:
		j := newLeftJoin(pass(o.Left), pass(o.Right), mapped(o.Conditions, within))
		return withoutMatch(j, o.Missing)
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
	case GraphOf:
		return newGraphOf(o.Name, pass(o.Of))
	case Unpack:
		return newUnpack(pass(o.Of), o.Var, o.Parts)
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
		order := newOrder(pass(o.Of), mapped(o.Keys, func(k Key) Key { return Key{within(k.Of), k.Descending} }))
		order.First = o.First
		return order
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
func within(e Expr, pass func(Op) Op) Expr {
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

// rejoined is a join that keeps its mark.
func rejoined(of []Op, free bool) Op {
	j, ok := newJoin(of).(Join)
	if !ok {
		return of[0]
	}
	j.Free = free
	return j
}

func mapped[T, U any](all []T, f func(T) U) []U {
	out := make([]U, len(all))
	for i, each := range all {
		out[i] = f(each)
	}
	return out
}
