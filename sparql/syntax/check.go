package syntax

// check refuses what the grammar allows and the recommendation does not, in a query and
// in those within it.
func check(q *Query) error {
	if q.Where != nil {
		if err := checkGroup(q.Where); err != nil {
			return err
		}
	}
	if err := checkAliases(q); err != nil {
		return err
	}
	if q.Grouped() {
		return checkGrouping(q)
	}
	return nil
}

// Grouped tells whether solutions are put into groups: by GROUP BY, or into one by an aggregate.
func (q *Query) Grouped() bool {
	if len(q.GroupBy) > 0 || len(q.Having) > 0 {
		return true
	}
	for _, s := range q.Select {
		if hasAggregate(s.Of) {
			return true
		}
	}
	for _, k := range q.OrderBy {
		if hasAggregate(k.Of) {
			return true
		}
	}
	return false
}

func hasAggregate(e Expr) (found bool) {
	Walk(e, func(e Expr) bool {
		_, is := e.(Aggregate)
		found = found || is
		return !found
	})
	return found
}

// checkAliases wants new names after AS.
func checkAliases(q *Query) error {
	inScope := map[string]bool{}
	if q.Where != nil {
		for _, name := range q.Where.Vars() {
			inScope[name] = true
		}
	}
	pattern := inScope
	if len(q.GroupBy) > 0 { // which hides the variables of the pattern
		inScope = map[string]bool{}
	}
	for _, k := range q.GroupBy {
		if k.Var != "" && (pattern[k.Var] || inScope[k.Var]) {
			return Errorf(k.Pos, "?%s is a variable of the pattern: expected a new one after AS", k.Var)
		}
		if err := refuseAggregates(k.Of, "GROUP BY"); err != nil {
			return err
		}
		if k.Var != "" {
			inScope[k.Var] = true
		}
		if key, ok := k.Of.(Ref); ok && key.Var != "" {
			inScope[key.Var] = true // also one that the pattern never binds
		}
	}
	for _, name := range q.valuesVars() { // joined before SELECT's expressions have their values (18.2.4.3)
		inScope[name] = true
	}
	for _, s := range q.Select {
		if s.Of == nil {
			continue
		}
		if inScope[s.Var] {
			return Errorf(s.Pos, "?%s is a variable of the pattern: expected a new one after AS", s.Var)
		}
		if err := checkExpression(s.Of); err != nil {
			return err
		}
	}
	for _, e := range q.Having {
		if err := checkExpression(e); err != nil {
			return err
		}
	}
	for _, k := range q.OrderBy {
		if err := checkExpression(k.Of); err != nil {
			return err
		}
	}
	return nil
}

// checkExpression checks the patterns of EXISTS, and that no aggregate stands in another.
func checkExpression(e Expr) (err error) {
	Walk(e, func(e Expr) bool {
		switch e := e.(type) {
		case Exists:
			if err == nil {
				err = checkGroup(e.Of)
			}
		case Aggregate:
			if inner := refuseAggregates(e.Of, "another aggregate"); err == nil {
				err = inner
			}
		}
		return err == nil
	})
	return err
}

func refuseAggregates(e Expr, within string) (err error) {
	Walk(e, func(e Expr) bool {
		if a, is := e.(Aggregate); is && err == nil {
			err = Errorf(a.Pos, "%s within %s", a.Name, within)
		}
		return err == nil
	})
	if err != nil {
		return err
	}
	return checkExpression(e)
}

// checkGroup checks the patterns of a group; what BIND names must be new to what stands before it.
func checkGroup(g *Group) error {
	before := &scope{seen: map[string]bool{}}
	for _, element := range g.Of {
		if err := checkElement(element, before); err != nil {
			return err
		}
		before.element(element)
	}
	return nil
}

func checkElement(element Pattern, before *scope) error {
	switch e := element.(type) {
	case *Group:
		return checkGroup(e)
	case Union:
		for _, g := range e.Of {
			if err := checkGroup(g); err != nil {
				return err
			}
		}
	case Optional:
		return checkGroup(e.Of)
	case Minus:
		return checkGroup(e.Of)
	case Graph:
		return checkGroup(e.Of)
	case Service:
		return checkGroup(e.Of)
	case SubSelect:
		return check(e.Query)
	case Filter:
		return refuseAggregates(e.Condition, "FILTER")
	case Bind:
		if before.seen[e.Var] {
			return Errorf(e.Pos, "?%s has a value before BIND: expected a new variable after AS", e.Var)
		}
		return refuseAggregates(e.Of, "BIND")
	}
	return nil
}

// checkGrouping wants of each group what is one for all of its solutions.
func checkGrouping(q *Query) error {
	if q.Star {
		return Errorf(Pos{Line: 1, Column: 1}, "SELECT * beside GROUP BY or an aggregate: expected the variables that are grouped by")
	}
	keys := map[string]bool{}
	for _, k := range q.GroupBy {
		if ref, ok := k.Of.(Ref); ok {
			keys[ref.Var] = true
		}
		keys[k.Var] = true
	}
	for _, name := range q.valuesVars() {
		keys[name] = true
	}
	for _, s := range q.Select {
		if s.Of == nil && !keys[s.Var] {
			return Errorf(s.Pos, "?%s is selected beside groups: expected it in GROUP BY, or in an aggregate such as SAMPLE(?%s)", s.Var, s.Var)
		}
		if err := checkGrouped(s.Of, keys); err != nil {
			return err
		}
		keys[s.Var] = true
	}
	return nil
}

// checkGrouped wants variables outside aggregates to be grouped by.
func checkGrouped(e Expr, keys map[string]bool) (err error) {
	Walk(e, func(e Expr) bool {
		if ref, is := e.(Ref); is && ref.Var != "" && !keys[ref.Var] && err == nil {
			err = Errorf(ref.Pos, "?%s stands beside groups: expected it in GROUP BY, or in an aggregate such as SAMPLE(?%s)", ref.Var, ref.Var)
		}
		_, aggregate := e.(Aggregate)
		return !aggregate
	})
	return err
}
