package predict

import (
	"cmp"
	"context"
	"slices"
	"strconv"

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
	if len(q.Having) > 0 {
		return kg.Errorf(kg.Invalid, "sparql", "HAVING cannot be predicted: mode=exact answers it")
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
			return unmapped(s.Pos, "an expression in SELECT other than COUNT and SUM")
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
	keys     []kg.Entity
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
	all, err := p.asked(ctx, p.aggregated(a, keys), p.limits.Solutions+1)
	if err != nil {
		return nil, err
	}
	if len(all) > p.limits.Solutions {
		return nil, p.tooMany()
	}
	groups, err := p.gather(all, a, keys, counted)
	if err != nil {
		return nil, err
	}
	return p.groupRows(groups, keys, p.query.Select[at].Var)
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

func (p *prediction) gather(all []assignment, a syntax.Aggregate, keys []string, counted float32) ([]*group, error) {
	byKeys := map[string]*group{}
	var groups []*group
	if len(keys) == 0 {
		byKeys[""] = &group{reached: term.Whole(0)}
		groups = append(groups, byKeys[""])
	}
	for _, s := range all {
		name, values := "", make([]kg.Entity, len(keys))
		for i, k := range keys {
			values[i] = s.values[k]
			name += strconv.Itoa(int(values[i])) + " "
		}
		g := byKeys[name]
		if g == nil {
			g = &group{keys: values, reached: term.Whole(0)}
			byKeys[name] = g
			groups = append(groups, g)
		}
		if err := p.add(g, s, a, counted); err != nil {
			return nil, err
		}
	}
	return groups, nil
}

// add counts a solution in its group.
func (p *prediction) add(g *group, s assignment, a syntax.Aggregate, counted float32) error {
	n := term.Whole(1)
	if a.Name == "SUM" {
		name := a.Of.(syntax.Ref).Var
		value, isNumber := term.NumberOf(p.value(s, name))
		switch {
		case !isNumber && s.degree < counted:
			return nil // a guess that cannot be right
		case !isNumber:
			return kg.Errorf(kg.Invalid, "sparql", "SUM(?%s): %v is no number", name, p.value(s, name))
		}
		n = value
	}
	g.expected += float64(s.degree) * n.Float()
	if s.degree >= counted {
		g.reached, _ = term.Arithmetic("+", g.reached, n)
	}
	return nil
}

// groupRows writes groups, the largest expected value first unless ORDER BY says otherwise.
func (p *prediction) groupRows(groups []*group, keys []string, name string) (*results.Results, error) {
	columns := appendNew(p.query.Columns(), ExpectedVar)
	for _, key := range p.query.OrderBy {
		if by := key.Of.(syntax.Ref).Var; !slices.Contains(columns, by) {
			return nil, kg.Errorf(kg.Invalid, "sparql", "ORDER BY ?%s, which is not selected; mode=predict needs that", by)
		}
	}
	slices.SortStableFunc(groups, func(a, b *group) int { return cmp.Compare(b.expected, a.expected) })
	rows := make([][]term.Term, len(groups))
	for i, g := range groups {
		rows[i] = make([]term.Term, len(columns))
		for j, column := range columns {
			switch k := slices.Index(keys, column); {
			case column == name:
				rows[i][j] = g.reached.Term()
			case column == ExpectedVar:
				rows[i][j] = double(g.expected, 64)
			case k >= 0:
				rows[i][j] = term.OfEntity(p.graph.Entities.Names.At(uint32(g.keys[k])))
			}
		}
	}
	return &results.Results{Vars: columns, Rows: results.Rows(p.ordered(rows, columns))}, nil
}
