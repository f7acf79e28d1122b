package syntax

import "strings"

// Columns are the variables of the result, in order.
func (q *Query) Columns() []string {
	if !q.Star {
		names := make([]string, len(q.Select))
		for i, s := range q.Select {
			names[i] = s.Var
		}
		return names
	}
	return q.Visible()
}

// Visible are the variables in scope at the end of the pattern that have a name; blank nodes have none.
func (q *Query) Visible() []string {
	visible := []string{}
	for _, name := range q.Vars() {
		if !IsAnonymous(name) {
			visible = append(visible, name)
		}
	}
	return visible
}

// Vars are the variables in scope at the end of the pattern, in the order of their appearance.
func (q *Query) Vars() []string {
	var names []string
	if q.Where != nil {
		names = q.Where.Vars()
	}
	return appendNew(names, q.valuesVars()...)
}

// valuesVars are the variables of the VALUES that ends the query.
func (q *Query) valuesVars() []string {
	if q.Values == nil {
		return nil
	}
	return q.Values.Vars
}

// IsAnonymous tells the variables that stand for blank nodes.
func IsAnonymous(name string) bool { return strings.HasPrefix(name, "_:") }

// Vars are the variables that the group may bind (section 18.2.1 of the
// recommendation): those of its filters and of what it takes away do not count.
func (g *Group) Vars() []string {
	s := &scope{seen: map[string]bool{}}
	s.group(g)
	return s.names
}

type scope struct {
	names []string
	seen  map[string]bool
}

func (s *scope) add(names ...string) {
	for _, name := range names {
		if name != "" && !s.seen[name] {
			s.seen[name] = true
			s.names = append(s.names, name)
		}
	}
}

func (s *scope) ref(r Ref) {
	for _, leaf := range r.Leaves() {
		s.add(leaf.Var)
	}
}

func (s *scope) group(g *Group) {
	for _, element := range g.Of {
		s.element(element)
	}
}

func (s *scope) element(element Pattern) {
	switch e := element.(type) {
	case Triple:
		s.ref(e.Subject)
		if step, ok := e.Path.(Step); ok {
			s.add(step.Var)
		}
		s.ref(e.Object)
	case *Group:
		s.group(e)
	case Union:
		for _, g := range e.Of {
			s.group(g)
		}
	case Optional:
		s.group(e.Of)
	case Bind:
		s.add(e.Var)
	case *Values:
		s.add(e.Vars...)
	case SubSelect:
		s.add(e.Query.Columns()...)
	case Graph:
		s.add(e.Name.Var)
		s.group(e.Of)
	case Service:
		s.add(e.Name.Var)
		s.group(e.Of)
	}
}

func appendNew(names []string, more ...string) []string {
	s := &scope{seen: map[string]bool{}}
	s.add(names...)
	s.add(more...)
	return s.names
}

// EachVar calls a function with every variable that occurs anywhere in a group and is its
// own: of a SELECT within it those that it gives.
func EachVar(g *Group, each func(name string)) {
	ref := func(r Ref) {
		for _, leaf := range r.Leaves() {
			if leaf.Var != "" {
				each(leaf.Var)
			}
		}
	}
	for _, element := range g.Of {
		switch e := element.(type) {
		case Triple:
			ref(e.Subject)
			if step, ok := e.Path.(Step); ok {
				ref(step.Ref)
			}
			ref(e.Object)
		case *Group:
			EachVar(e, each)
		case Union:
			for _, g := range e.Of {
				EachVar(g, each)
			}
		case Optional:
			EachVar(e.Of, each)
		case Minus:
			EachVar(e.Of, each)
		case Filter:
			eachVarOf(e.Condition, each)
		case Bind:
			eachVarOf(e.Of, each)
			each(e.Var)
		case *Values:
			for _, name := range e.Vars {
				each(name)
			}
		case SubSelect:
			for _, name := range e.Query.Columns() {
				each(name)
			}
		case Graph:
			ref(e.Name)
			EachVar(e.Of, each)
		case Service:
			ref(e.Name)
			EachVar(e.Of, each)
		}
	}
}

func eachVarOf(e Expr, each func(name string)) {
	Walk(e, func(e Expr) bool {
		switch e := e.(type) {
		case Ref:
			if e.Var != "" {
				each(e.Var)
			}
		case Exists:
			EachVar(e.Of, each)
		}
		return true
	})
}

// Walk calls a function with an expression and, while it returns true, with what the
// expression is made of; not with the patterns of EXISTS.
func Walk(e Expr, visit func(Expr) bool) {
	if e == nil || !visit(e) {
		return
	}
	for _, part := range partsOf(e) {
		Walk(part, visit)
	}
}

// Replace puts other expressions in the place of an expression or of what it is made of; what is replaced is not looked into.
func Replace(e Expr, by func(Expr) Expr) Expr {
	again := func(e Expr) Expr { return Replace(e, by) }
	all := func(of []Expr) []Expr {
		replaced := make([]Expr, len(of))
		for i, part := range of {
			replaced[i] = again(part)
		}
		return replaced
	}
	switch e := by(e).(type) {
	case Compare:
		e.Left, e.Right = again(e.Left), again(e.Right)
		return e
	case Arithmetic:
		e.Left, e.Right = again(e.Left), again(e.Right)
		return e
	case Signed:
		e.Of = again(e.Of)
		return e
	case In:
		e.Left, e.List = again(e.Left), all(e.List)
		return e
	case And:
		return And{all(e.Of)}
	case Or:
		return Or{all(e.Of)}
	case Not:
		return Not{again(e.Of)}
	case Call:
		e.Args = all(e.Args)
		return e
	case FunctionCall:
		e.Args = all(e.Args)
		return e
	default:
		return e
	}
}

func partsOf(e Expr) []Expr {
	switch e := e.(type) {
	case Compare:
		return []Expr{e.Left, e.Right}
	case Arithmetic:
		return []Expr{e.Left, e.Right}
	case Signed:
		return []Expr{e.Of}
	case In:
		return append([]Expr{e.Left}, e.List...)
	case And:
		return e.Of
	case Or:
		return e.Of
	case Not:
		return []Expr{e.Of}
	case Call:
		return e.Args
	case FunctionCall:
		return e.Args
	case Aggregate:
		return []Expr{e.Of}
	}
	return nil
}
