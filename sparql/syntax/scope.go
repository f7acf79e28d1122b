package syntax

import "strings"

// check refuses what the grammar allows and the recommendation does not.
func check(q *Query) error {
	counts, plain := 0, -1
	inScope := map[string]bool{}
	for _, name := range q.Where.Vars() {
		inScope[name] = true
	}
	for i, s := range q.Select {
		if s.Count == nil {
			plain = i
			continue
		}
		counts++
		if inScope[s.Var] {
			return Errorf(s.Pos, "?%s is a variable of the pattern: expected a new one after AS", s.Var)
		}
	}
	if counts > 0 && plain >= 0 {
		s := q.Select[plain]
		return Errorf(s.Pos, "?%s is selected beside COUNT, which needs GROUP BY; that is outside the subset that Lacuna answers", s.Var)
	}
	return nil
}

// Counts tells whether the query asks for numbers of solutions instead of solutions.
func (q *Query) Counts() bool { return len(q.Select) > 0 && q.Select[0].Count != nil }

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
		if !isAnonymous(name) {
			visible = append(visible, name)
		}
	}
	return visible
}

// Vars are the variables in scope at the end of the pattern, in the order of their appearance.
func (q *Query) Vars() []string {
	names := q.Where.Vars()
	if q.Values != nil {
		names = appendNew(names, q.Values.Vars...)
	}
	return names
}

// isAnonymous tells the variables that stand for blank nodes.
func isAnonymous(name string) bool { return strings.HasPrefix(name, "_:") }

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

func (s *scope) group(g *Group) {
	for _, element := range g.Of {
		switch e := element.(type) {
		case Triple:
			s.add(e.Subject.Var)
			if step, ok := e.Path.(Step); ok {
				s.add(step.Var)
			}
			s.add(e.Object.Var)
		case *Group:
			s.group(e)
		case Union:
			for _, g := range e.Of {
				s.group(g)
			}
		case *Values:
			s.add(e.Vars...)
		}
	}
}

func appendNew(names []string, more ...string) []string {
	s := &scope{seen: map[string]bool{}}
	s.add(names...)
	s.add(more...)
	return s.names
}

// EachVar calls a function with every variable that occurs anywhere in a group.
func EachVar(g *Group, each func(name string)) {
	ref := func(r Ref) {
		if r.Var != "" {
			each(r.Var)
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
		case Minus:
			EachVar(e.Of, each)
		case Filter:
			eachVarOf(e.Condition, each)
		case *Values:
			for _, name := range e.Vars {
				each(name)
			}
		}
	}
}

func eachVarOf(condition Condition, each func(name string)) {
	refs := func(all ...Ref) {
		for _, r := range all {
			if r.Var != "" {
				each(r.Var)
			}
		}
	}
	switch c := condition.(type) {
	case Compare:
		refs(c.Left, c.Right)
	case In:
		refs(c.Left)
		refs(c.List...)
	case And:
		for _, part := range c.Of {
			eachVarOf(part, each)
		}
	case Or:
		for _, part := range c.Of {
			eachVarOf(part, each)
		}
	case Not:
		eachVarOf(c.Of, each)
	case Exists:
		EachVar(c.Of, each)
	}
}
