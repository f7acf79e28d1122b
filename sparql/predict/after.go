package predict

import (
	"context"
	"slices"
	"strconv"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/sparql/syntax"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// What a query computes from its answers comes after them: BIND, filters that look at ?probability, ?known, labels or what BIND gave,
// expressions of SELECT and ORDER BY. The answers are a table then, which exact evaluation goes on with.

// after is the part of the outermost group that looks at answers.
type after struct {
	of        []syntax.Pattern // BIND and FILTER, in their order
	computed  names            // what BIND names
	least     float64          // every answer that is left has at least this probability; -1 where nothing is said of it
	predicted bool             // none that is left is known
}

// takeAfter gives a query without what looks at its answers, and that.
func takeAfter(q *syntax.Query, v *kg.Vocabulary) (*syntax.Query, *after, error) {
	rest, a := *q, &after{computed: names{}, least: -1}
	rest.Where = &syntax.Group{Pos: q.Where.Pos}
	before := names{ProbabilityVar: true, KnownVar: true, ImpliedVar: true}
	asked := askedOf(q)
	for _, s := range q.Select {
		if s.Of != nil {
			a.computed.add(s.Var)
		}
	}
	for _, element := range q.Where.Of {
		bind, isBind := element.(syntax.Bind)
		if ref, isRef := bind.Of.(syntax.Ref); isBind && isRef && ref.Var == "" && asked[bind.Var] { // the same as VALUES
			element, isBind = &syntax.Values{Vars: []string{bind.Var}, Rows: [][]term.Term{{ref.Term}}, Pos: bind.Pos}, false
		}
		if isBind {
			if err := a.bind(bind, before, asked); err != nil {
				return nil, nil, err
			}
		} else if _, isFilter := element.(syntax.Filter); !isFilter {
			rest.Where.Of = append(rest.Where.Of, element)
		}
		eachVarIn(element, before.add1)
	}
	late := eitherOf(a.computed, names{ProbabilityVar: true, KnownVar: true, ImpliedVar: true})
	labels := labelsOf(q, v)
	for _, element := range q.Where.Of {
		if f, isFilter := element.(syntax.Filter); isFilter {
			if err := a.filter(f, late, labels, rest.Where); err != nil {
				return nil, nil, err
			}
		}
	}
	return &rest, a, nil
}

func (n names) add1(name string) { n[name] = true }

func eachVarIn(element syntax.Pattern, each func(name string)) {
	syntax.EachVar(&syntax.Group{Of: []syntax.Pattern{element}}, each)
}

// varsOf are the variables of an expression.
func varsOf(e syntax.Expr) names {
	all := names{}
	if e != nil {
		eachVarIn(syntax.Filter{Condition: e}, all.add1)
	}
	return all
}

// askedOf are the variables that the pattern asks of the graph.
func askedOf(q *syntax.Query) names {
	all := names{}
	for _, element := range q.Where.Of {
		switch element.(type) {
		case syntax.Bind, syntax.Filter:
		default:
			eachVarIn(element, all.add1)
		}
	}
	if q.Values != nil {
		eachVarIn(q.Values, all.add1)
	}
	return all
}

// labelsOf are the variables that stand for labels in the outermost group.
func labelsOf(q *syntax.Query, v *kg.Vocabulary) names {
	all := names{}
	for _, element := range q.Where.Of {
		if t, ok := element.(syntax.Triple); ok && t.Object.Var != "" && term.IsLabel(v, syntax.Predicate(t.Path)) {
			all.add(t.Object.Var)
		}
	}
	return all
}

// bind takes a BIND, which sees what stands before it.
func (a *after) bind(b syntax.Bind, before, asked names) error {
	if asked[b.Var] {
		return syntax.Errorf(b.Pos, "?%s is computed by BIND and asked of elsewhere, which cannot be predicted: mode=exact answers it", b.Var)
	}
	if reserved(b.Var) {
		return reservedName(b.Var)
	}
	if err := computable(b.Of, b.Pos); err != nil {
		return err
	}
	for name := range varsOf(b.Of) {
		if asked[name] && !before[name] {
			return syntax.Errorf(b.Pos, "?%s has a value only after BIND: expected BIND at the end of the group", name)
		}
	}
	a.computed.add(b.Var)
	a.of = append(a.of, b)
	return nil
}

// filter takes the parts of a condition that look at answers, and leaves the others to the pattern.
func (a *after) filter(f syntax.Filter, late, labels names, rest *syntax.Group) error {
	parts := []syntax.Expr{f.Condition}
	if all, isAnd := f.Condition.(syntax.And); isAnd {
		parts = all.Of
	}
	for _, part := range parts {
		looks := false
		for name := range varsOf(part) {
			looks = looks || late[name] || labels[name] && computable(part, f.Pos) == nil
		}
		if !looks {
			rest.Of = append(rest.Of, syntax.Filter{Condition: part, Pos: f.Pos})
			continue
		}
		if err := computable(part, f.Pos); err != nil {
			return err
		}
		if isUnknown(part) {
			a.predicted = true
			continue
		}
		if least, ok := leastOf(part); ok {
			a.least = max(a.least, least)
		}
		a.of = append(a.of, syntax.Filter{Condition: part, Pos: f.Pos})
	}
	return nil
}

// computable refuses a pattern within an expression: it would ask the graph, not the model.
func computable(e syntax.Expr, at syntax.Pos) (err error) {
	syntax.Walk(e, func(e syntax.Expr) bool {
		if exists, is := e.(syntax.Exists); is && err == nil {
			err = unmapped(exists.Pos, "EXISTS in an expression of probabilities or computed values")
		}
		return err == nil
	})
	return err
}

// isUnknown recognises !?known and ?known = false.
func isUnknown(c syntax.Expr) bool {
	isKnown := func(e syntax.Expr) bool { r, ok := e.(syntax.Ref); return ok && r.Var == KnownVar }
	switch c := c.(type) {
	case syntax.Not:
		return isKnown(c.Of)
	case syntax.Compare:
		right, _ := c.Right.(syntax.Ref)
		return c.Sign == "=" && isKnown(c.Left) && right.Term == term.Typed("false", term.XSDBoolean)
	}
	return false
}

// leastOf is the bound of ?probability >= c and its kin.
func leastOf(c syntax.Expr) (float64, bool) {
	compare, ok := c.(syntax.Compare)
	if !ok {
		return 0, false
	}
	left, right := compare.Left, compare.Right
	if compare.Sign == "<" || compare.Sign == "<=" {
		left, right = right, left
	} else if compare.Sign != ">" && compare.Sign != ">=" {
		return 0, false
	}
	variable, isRef := left.(syntax.Ref)
	bound, areRefs := right.(syntax.Ref)
	if !isRef || !areRefs || variable.Var != ProbabilityVar || bound.Var != "" {
		return 0, false
	}
	n, isNumber := term.NumberOf(bound.Term)
	if !isNumber {
		return 0, false
	}
	return min(max(n.Float(), 0), 1), true
}

// needs are the variables of the pattern that some columns and what looks at answers are computed from.
func (a *after) needs(columns []syntax.Projection) []string {
	var all []string
	add := func(name string) {
		if !a.computed[name] && !isAdded(name) {
			all = appendNew(all, name)
		}
	}
	for _, c := range columns {
		if c.Of == nil {
			add(c.Var)
			continue
		}
		eachVarIn(syntax.Filter{Condition: c.Of}, add)
	}
	wanted := names{}
	for _, c := range columns {
		wanted.add(c.Var)
		wanted.include(varsOf(c.Of))
	}
	for _, element := range slices.Backward(a.of) {
		switch e := element.(type) {
		case syntax.Filter:
			eachVarIn(e, add)
			wanted.include(varsOf(e.Condition))
		case syntax.Bind:
			if wanted[e.Var] {
				wanted.include(varsOf(e.Of))
				eachVarIn(syntax.Filter{Condition: e.Of}, add)
			}
		}
	}
	return all
}

// solution is a row of the results: the terms of its columns, as likely as what it was computed from.
type solution struct {
	terms  []term.Term
	degree float32
	known  bool
}

// compute goes on with assignments: what looks at them, and some columns. Of equal rows the likeliest stays.
func (p *prediction) compute(ctx context.Context, all []assignment, columns []syntax.Projection) ([]solution, error) {
	vars := appendNew(p.after.needs(columns), ProbabilityVar, KnownVar, ImpliedVar)
	rows := p.terms(all, vars)
	if len(p.after.of) == 0 && !slices.ContainsFunc(columns, func(c syntax.Projection) bool { return c.Of != nil }) {
		found := make([]solution, len(all))
		for i, a := range all {
			found[i] = solution{make([]term.Term, len(columns)), a.degree, a.known}
			for j, c := range columns {
				found[i].terms[j] = rows[i][slices.Index(vars, c.Var)]
			}
		}
		return found, nil
	}
	at, terms, err := p.evaluated(ctx, vars, rows, p.after.of, columns)
	if err != nil {
		return nil, err
	}
	var found []solution
	seen := map[string]int{}
	for i, row := range terms {
		s := solution{row, all[at[i]].degree, all[at[i]].known}
		key := keyOf(row, columns)
		if before, known := seen[key]; !known {
			seen[key] = len(found)
			found = append(found, s)
		} else if s.degree > found[before].degree {
			found[before] = s
		}
	}
	return found, nil
}

// keyOf tells rows apart, whatever their probability.
func keyOf(row []term.Term, columns []syntax.Projection) string {
	key := ""
	for i, t := range row {
		if !isAdded(columns[i].Var) {
			key += strconv.Itoa(int(t.Kind)) + t.String() + "\x00"
		}
	}
	return key
}

// rowVar numbers the rows of a table; no query can have such a name.
const rowVar = "(row)"

// evaluated goes on exactly with rows of some variables: it gives the numbers of those that are left, and columns.
func (p *prediction) evaluated(ctx context.Context, vars []string, rows [][]term.Term, elements []syntax.Pattern, columns []syntax.Projection) (at []int, terms [][]term.Term, err error) {
	if len(rows) == 0 {
		return nil, nil, nil
	}
	table := &syntax.Values{Vars: append(slices.Clone(vars), rowVar), Rows: make([][]term.Term, len(rows))}
	for i, row := range rows {
		table.Rows[i] = append(slices.Clip(row), term.Integer(i))
	}
	q := &syntax.Query{Base: p.query.Base, Limit: -1, Select: append(slices.Clone(columns), syntax.Projection{Var: rowVar})}
	q.Where = &syntax.Group{Of: append([]syntax.Pattern{table}, elements...)}
	found, err := p.exact(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	for row, err := range found.Rows {
		if err != nil {
			return nil, nil, err
		}
		i, err := strconv.Atoi(row[len(columns)].Value)
		if err != nil {
			return nil, nil, err
		}
		at, terms = append(at, i), append(terms, slices.Clone(row[:len(columns)]))
	}
	return at, terms, nil
}
