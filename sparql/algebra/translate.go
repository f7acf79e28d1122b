package algebra

import "github.com/lacuna-kg/lacuna/sparql/syntax"

// Translate gives the operators of a query, by the letter of section 18.2.
func Translate(q *syntax.Query) *Query {
	t := &translator{numbers: map[string]int{}}
	pattern := t.group(q.Where)
	if q.Values != nil {
		pattern = newJoin([]Op{pattern, t.table(q.Values)})
	}
	out := &Query{Names: t.names, Pattern: pattern, Ask: q.Ask, Distinct: q.Distinct, Offset: q.Offset, Limit: q.Limit}
	if !q.Ask {
		out.Columns, out.OrderBy = t.columns(q), t.keys(q.OrderBy)
	}
	return out
}

// translator numbers the variables as it meets them.
type translator struct {
	names   []string
	numbers map[string]int
}

func (t *translator) variable(name string) int {
	v, known := t.numbers[name]
	if !known {
		v = len(t.names)
		t.numbers[name] = v
		t.names = append(t.names, name)
	}
	return v
}

// bound is the number of a variable that the pattern has, else -1.
func (t *translator) bound(name string) int {
	if v, known := t.numbers[name]; known {
		return v
	}
	return -1
}

func (t *translator) columns(q *syntax.Query) []Column {
	if !q.Counts() {
		return mapped(q.Columns(), func(name string) Column { return Column{Name: name, Var: t.bound(name)} })
	}
	return mapped(q.Select, func(s syntax.Projection) Column {
		c := &Count{Distinct: s.Count.Distinct, Vars: []int{t.bound(s.Count.Of)}}
		if c.All = s.Count.Of == ""; c.All {
			c.Vars = mapped(q.Visible(), t.bound)
		}
		return Column{Name: s.Var, Var: -1, Count: c}
	})
}

func (t *translator) keys(of []syntax.OrderKey) []Key {
	return mapped(of, func(k syntax.OrderKey) Key { return Key{t.bound(k.Var), k.Descending} })
}

func (t *translator) slot(r syntax.Ref) Slot {
	if r.Var != "" {
		return Slot{Var: t.variable(r.Var)}
	}
	return Slot{Var: -1, Term: r.Term}
}

// group joins elements in their order; MINUS takes from what stands before it, and
// filters hold for the group as a whole.
func (t *translator) group(g *syntax.Group) Op {
	var parts []Op
	var conditions []Condition
	for _, element := range g.Of {
		switch e := element.(type) {
		case syntax.Triple:
			parts = append(parts, t.triple(e))
		case *syntax.Group:
			parts = append(parts, t.group(e))
		case syntax.Union:
			parts = append(parts, t.union(e))
		case syntax.Minus:
			parts = []Op{newMinus(newJoin(parts), t.group(e.Of))}
		case syntax.Filter:
			conditions = append(conditions, t.conjuncts(e.Condition)...)
		case *syntax.Values:
			parts = append(parts, t.table(e))
		}
	}
	if len(conditions) == 0 {
		return newJoin(parts)
	}
	return newFilter(newJoin(parts), conditions)
}

func (t *translator) triple(e syntax.Triple) Op {
	triple := Triple{Subject: t.slot(e.Subject), Object: t.slot(e.Object), Predicate: -1, Path: e.Path}
	if step, ok := e.Path.(syntax.Step); ok && step.Var != "" {
		triple.Predicate, triple.Path = t.variable(step.Var), nil
	}
	return newBasic([]Triple{triple})
}

func (t *translator) union(u syntax.Union) Op {
	of := make([]Op, len(u.Of))
	for i, g := range u.Of {
		of[i] = t.group(g)
	}
	return newUnion(of)
}

func (t *translator) table(v *syntax.Values) Op {
	vars := make([]int, len(v.Vars))
	for i, name := range v.Vars {
		vars[i] = t.variable(name)
	}
	return newTable(vars, v.Rows)
}

// conjuncts translates a condition; && at its top is taken apart.
func (t *translator) conjuncts(condition syntax.Condition) []Condition {
	if and, ok := condition.(syntax.And); ok {
		var all []Condition
		for _, part := range and.Of {
			all = append(all, t.conjuncts(part)...)
		}
		return all
	}
	return []Condition{t.condition(condition)}
}

func (t *translator) condition(condition syntax.Condition) Condition {
	switch c := condition.(type) {
	case syntax.Compare:
		return negatedIf(c.Differ, Equal{t.slot(c.Left), t.slot(c.Right)})
	case syntax.In: // x IN (a, b) is x = a || x = b
		list := Some{}
		for _, ref := range c.List {
			list.Of = append(list.Of, Equal{t.slot(c.Left), t.slot(ref)})
		}
		return negatedIf(c.Not, list)
	case syntax.And:
		return Every{t.conjuncts(c)}
	case syntax.Or:
		either := Some{}
		for _, part := range c.Of {
			either.Of = append(either.Of, t.condition(part))
		}
		return either
	case syntax.Not:
		return Not{t.condition(c.Of)}
	}
	exists := condition.(syntax.Exists)
	return negatedIf(exists.Not, Exists{t.group(exists.Of), t.mentioned(exists.Of)})
}

func negatedIf(negated bool, c Condition) Condition {
	if negated {
		return Not{c}
	}
	return c
}

func (t *translator) mentioned(g *syntax.Group) VarSet {
	var s VarSet
	syntax.EachVar(g, func(name string) { s.add(t.variable(name)) })
	return s
}
