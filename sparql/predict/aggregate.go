package predict

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/sparql/results"
	"github.com/lacuna-kg/lacuna/sparql/syntax"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// aggregateOf finds the one aggregate of a SELECT, COUNT or SUM, whose other columns are keys of GROUP BY.
func aggregateOf(q *syntax.Query) (at int, a syntax.Aggregate, ok bool) {
	for i, s := range q.Select {
		if a, ok := s.Of.(syntax.Aggregate); ok {
			return i, a, true
		}
	}
	return 0, syntax.Aggregate{}, false
}

// checkAggregates refuses, by their names, groups and aggregates that have no expected value here.
func checkAggregates(q *syntax.Query) error {
	at, a, ok := aggregateOf(q)
	if len(q.Having) > 0 && !ok {
		return kg.Errorf(kg.Invalid, "sparql", "HAVING without COUNT or SUM in SELECT cannot be predicted: mode=exact answers it")
	}
	if len(q.GroupBy) > 0 && !ok {
		return kg.Errorf(kg.Invalid, "sparql", "GROUP BY without COUNT or SUM cannot be predicted: SELECT DISTINCT means the same")
	}
	for _, k := range q.GroupBy {
		if ref, isRef := k.Of.(syntax.Ref); !isRef || ref.Var == "" || k.Var != "" {
			return unmapped(placeOf(k.Of), "GROUP BY anything but a variable")
		}
	}
	for i, s := range q.Select {
		switch {
		case s.Of == nil && ok && len(q.GroupBy) == 0:
			return unmapped(s.Pos, "a variable beside "+a.Name)
		case s.Of == nil || ok && i == at:
		case !ok:
			if err := computable(s.Of, s.Pos); err != nil {
				return err
			}
		default:
			return unmapped(s.Pos, "more than one aggregate, or an expression beside it,")
		}
	}
	if !ok {
		return nil
	}
	ref, isRef := a.Of.(syntax.Ref)
	plain := a.Of == nil || isRef && ref.Var != ""
	if !plain || a.Name != "COUNT" && a.Name != "SUM" {
		return unmapped(q.Select[at].Pos, "an aggregate other than COUNT and SUM of a variable")
	}
	return nil
}

// group is one of GROUP BY on its way: what reaches the threshold, and what is to be expected.
type group struct {
	keys     []term.Term
	reached  term.Number
	expected float64
}

// aggregate gives COUNT or SUM of every group, with the value that is to be expected: each solution counts by its
// probability.
func (p *prediction) aggregate(ctx context.Context) (*results.Results, error) {
	at, a, _ := aggregateOf(p.query)
	keys := groupKeys(p.query)
	counted := p.threshold
	if p.open {
		p.threshold = ListThreshold
	}
	var columns []syntax.Projection
	for _, name := range p.aggregated(a, keys) {
		columns = append(columns, syntax.Projection{Var: name})
	}
	all, err := p.asked(ctx, p.labels.bearers(p.after.needs(columns)), p.limits.Solutions+1)
	if err != nil {
		return nil, err
	}
	if len(all) > p.limits.Solutions {
		return nil, p.tooMany()
	}
	found, err := p.compute(ctx, p.labelled(all), columns)
	if err != nil {
		return nil, err
	}
	groups, err := gather(found, columns, a, len(keys), counted)
	if err != nil {
		return nil, err
	}
	return p.groupRows(ctx, groups, keys, p.query.Select[at].Var, a)
}

func groupKeys(q *syntax.Query) (keys []string) {
	for _, k := range q.GroupBy {
		keys = append(keys, k.Of.(syntax.Ref).Var)
	}
	return keys
}

// aggregated are the variables whose different values count: those of the pattern, or with COUNT of one, and with
// DISTINCT, that one and the keys.
func (p *prediction) aggregated(a syntax.Aggregate, keys []string) []string {
	ref, isRef := a.Of.(syntax.Ref)
	if isRef && (a.Name == "COUNT" || a.Distinct) {
		return appendNew(slices.Clone(keys), ref.Var)
	}
	return appendNew(slices.Clone(keys), p.query.Visible()...)
}

// gather puts solutions into groups by their first columns.
func gather(all []solution, columns []syntax.Projection, a syntax.Aggregate, keys int, counted float32) ([]*group, error) {
	byKeys := map[string]*group{}
	var groups []*group
	if keys == 0 {
		byKeys[""] = &group{reached: term.Whole(0)}
		groups = append(groups, byKeys[""])
	}
	for _, s := range all {
		name := ""
		for _, t := range s.terms[:keys] {
			name += strconv.Itoa(int(t.Kind)) + t.String() + "\x00"
		}
		g := byKeys[name]
		if g == nil {
			g = &group{keys: s.terms[:keys], reached: term.Whole(0)}
			byKeys[name] = g
			groups = append(groups, g)
		}
		if err := g.add(s, columns, a, counted); err != nil {
			return nil, err
		}
	}
	return groups, nil
}

// add counts a solution in its group.
func (g *group) add(s solution, columns []syntax.Projection, a syntax.Aggregate, counted float32) error {
	n := term.Whole(1)
	if a.Name == "SUM" {
		name := a.Of.(syntax.Ref).Var
		value := s.terms[slices.IndexFunc(columns, func(c syntax.Projection) bool { return c.Var == name })]
		number, isNumber := term.NumberOf(value)
		switch {
		case !isNumber && s.degree < counted:
			return nil // a guess that cannot be right
		case !isNumber:
			return kg.Errorf(kg.Invalid, "sparql", "SUM(?%s): %v is no number", name, value)
		}
		n = number
	}
	g.expected += float64(s.degree) * n.Float()
	if s.degree >= counted {
		g.reached, _ = term.Arithmetic("+", g.reached, n)
	}
	return nil
}

// groupRows writes groups, the largest expected value first unless ORDER BY says otherwise; HAVING looks at what they are written as.
func (p *prediction) groupRows(ctx context.Context, groups []*group, keys []string, name string, a syntax.Aggregate) (*results.Results, error) {
	vars := appendNew(p.query.Columns(), ExpectedVar)
	slices.SortStableFunc(groups, func(a, b *group) int { return cmp.Compare(b.expected, a.expected) })
	table := appendNew(slices.Clone(keys), name, ExpectedVar) // keys that are not selected too
	rows := make([][]term.Term, len(groups))
	for i, g := range groups {
		rows[i] = append(slices.Clone(g.keys), g.reached.Term(), double(g.expected, 64))
	}
	columns := make([]syntax.Projection, len(vars))
	for i, v := range vars {
		columns[i].Var = v
	}
	ofGroup := func(e syntax.Expr) syntax.Expr {
		return syntax.Replace(e, func(e syntax.Expr) syntax.Expr { return asColumn(e, a, name) })
	}
	with, at, err := p.orderKeys(columns, ofGroup)
	if err != nil {
		return nil, err
	}
	having, err := p.having(ofGroup, table)
	if err != nil {
		return nil, err
	}
	_, rows, err = p.evaluated(ctx, table, rows, having, with)
	if err != nil {
		return nil, err
	}
	return &results.Results{Vars: vars, Rows: results.Rows(p.ordered(rows, at, len(vars)))}, nil
}

// asColumn puts the column of the aggregate that is selected in its place.
func asColumn(e syntax.Expr, a syntax.Aggregate, name string) syntax.Expr {
	if other, is := e.(syntax.Aggregate); is && syntax.FormatExpr(other) == syntax.FormatExpr(a) {
		return syntax.Ref{Var: name, Pos: other.Pos}
	}
	return e
}

// having are the conditions of HAVING, which look at groups.
func (p *prediction) having(ofGroup func(syntax.Expr) syntax.Expr, table []string) (filters []syntax.Pattern, err error) {
	for _, c := range p.query.Having {
		c = ofGroup(c)
		if err := computable(c, placeOf(c)); err != nil {
			return nil, err
		}
		syntax.Walk(c, func(e syntax.Expr) bool {
			other, isAggregate := e.(syntax.Aggregate)
			ref, _ := e.(syntax.Ref)
			switch {
			case isAggregate:
				err = unmapped(other.Pos, "an aggregate in HAVING that is not selected")
			case ref.Var != "" && !slices.Contains(table, ref.Var):
				err = syntax.Errorf(ref.Pos, "HAVING looks at ?%s, which groups do not have: expected one of ?%s", ref.Var, strings.Join(table, " ?"))
			}
			return err == nil
		})
		if err != nil {
			return nil, err
		}
		filters = append(filters, syntax.Filter{Condition: c})
	}
	return filters, nil
}
