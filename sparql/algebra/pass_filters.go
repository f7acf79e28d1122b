package algebra

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

// mergeFilters: filter(c, filter(d, p)) => filter(d, c, p)
func mergeFilters(o Op) Op {
	f, ok := o.(Filter)
	if !ok {
		return o
	}
	inner, ok := f.Of.(Filter)
	if !ok {
		return o
	}
	return newFilter(inner.Of, append(append([]Expr(nil), inner.Conditions...), f.Conditions...))
}

// gatherEquals: filter(?x = a || ?x = b || c, p) => filter(?x in (a, b) || c, p), for constants, which then are looked up
//
// That is what IN means (section 17.4.1.9).
func gatherEquals(o Op) Op {
	f, ok := o.(Filter)
	if !ok {
		return o
	}
	return newFilter(f.Of, mapped(f.Conditions, gathered))
}

func gathered(c Expr) Expr {
	some, ok := c.(Some)
	if !ok {
		return c
	}
	var rest []Expr
	lists := map[int]*In{}
	for _, part := range some.Of {
		variable, constant, ok := equalsConstant(part)
		switch list := lists[variable.Var]; {
		case !ok:
			rest = append(rest, part)
		case list == nil:
			lists[variable.Var] = &In{variable, []Expr{constant}}
			rest = append(rest, lists[variable.Var])
		default:
			list.List = append(list.List, constant)
		}
	}
	for i, part := range rest {
		if list, is := part.(*In); is {
			rest[i] = *list
		}
	}
	if len(rest) == 1 {
		return rest[0]
	}
	return Some{rest}
}

// equalsConstant takes ?x = a, or a = ?x, apart.
func equalsConstant(c Expr) (variable, constant Slot, ok bool) {
	apply, isApply := c.(Apply)
	if !isApply || apply.Name != "=" {
		return variable, constant, false
	}
	variable, left := apply.Of[0].(Slot)
	constant, right := apply.Of[1].(Slot)
	if variable.Var < 0 {
		variable, constant = constant, variable
	}
	return variable, constant, left && right && variable.Var >= 0 && constant.Var < 0
}

// pushFilters: filter(c, join(a, b)) => join(filter(c, a), b), and further down
//
// That is right where a binds all that c mentions for certain: then c sees the same in every row of
// the join. What only drops rows, or gives every row of one of its parts, lets conditions pass.
func pushFilters(o Op) Op {
	switch o := o.(type) {
	case Filter:
		return pushed(o.Of, o.Conditions)
	case LeftJoin:
		return pushOptional(o)
	}
	return o
}

// pushed is an operator under conditions, each as far down as it may go.
func pushed(o Op, conditions []Expr) Op {
	if len(conditions) == 0 {
		return o
	}
	switch o := o.(type) {
	case Join:
		return pushIntoJoin(o, conditions)
	case Filter:
		return pushed(o.Of, append(append([]Expr(nil), o.Conditions...), conditions...))
	case Union:
		return newUnion(mapped(o.Of, func(part Op) Op { return pushed(part, conditions) }))
	case Minus:
		m := newMinus(pushed(o.Left, conditions), o.Right)
		m.ByLookup = o.ByLookup
		return m
	case LeftJoin:
		down, here := split(conditions, o.Left.About().Certain)
		j := newLeftJoin(pushed(o.Left, down), o.Right, o.Conditions)
		return filtered(withoutMatch(j, o.Missing), here)
	case Extend:
		down, here := split(conditions, o.Of.About().Certain)
		return filtered(newExtend(pushed(o.Of, down), o.Bindings), here)
	}
	return pushIntoModifier(o, conditions)
}

// pushIntoModifier takes conditions through what neither counts rows nor looks at others.
func pushIntoModifier(o Op, conditions []Expr) Op {
	switch o := o.(type) {
	case Project:
		down, here := split(conditions, o.Certain)
		return filtered(newProject(pushed(o.Of, down), o.Vars), here)
	case Distinct:
		return newDistinct(pushed(o.Of, conditions))
	case Group:
		var keys VarSet
		for _, v := range o.Keys {
			keys.add(v)
		}
		down, here := split(conditions, keys.and(o.Of.About().Certain))
		return filtered(newGroup(pushed(o.Of, down), o.Keys, o.Aggregates), here)
	}
	return newFilter(o, conditions)
}

// pushIntoJoin gives every condition to the first operand that binds all of its variables.
func pushIntoJoin(j Join, conditions []Expr) Op {
	of := make([]Op, len(j.Of))
	for i, part := range j.Of {
		var down []Expr
		down, conditions = split(conditions, part.About().Certain)
		of[i] = pushed(part, down)
	}
	return filtered(rejoined(of, j.Free), conditions)
}

// pushOptional: leftjoin(a, b, c) => leftjoin(a, filter(c, b)), where b binds what c mentions
func pushOptional(j LeftJoin) Op {
	down, here := split(j.Conditions, j.Right.About().Certain)
	if len(down) == 0 {
		return j
	}
	return withoutMatch(newLeftJoin(j.Left, pushed(j.Right, down), here), j.Missing)
}

// split parts conditions into those that mention some variables, all of them bound for certain, and the rest.
func split(conditions []Expr, certain VarSet) (down, here []Expr) {
	for _, c := range conditions {
		if mentions := c.variables(); mentions.Intersects(certain) && !mentions.without(certain).Intersects(mentions) {
			down = append(down, c)
		} else {
			here = append(here, c)
		}
	}
	return down, here
}

// filtered is a filter where there are conditions.
func filtered(o Op, conditions []Expr) Op {
	if len(conditions) == 0 {
		return o
	}
	return newFilter(o, conditions)
}
