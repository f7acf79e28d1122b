package predict

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/sparql/results"
	"github.com/lacuna-kg/lacuna/sparql/syntax"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// assignment gives values to the variables that are selected, with the degree to
// which the pattern holds for them.
type assignment struct {
	values map[string]kg.Entity
	degree float32
	known  bool
	rules  string // by which the graph implies what is known, where it does not state it
}

// columnsOf are what the rows of a query have: of CONSTRUCT the variables of its template.
func columnsOf(q *syntax.Query) (columns []syntax.Projection) {
	switch {
	case q.Form == syntax.ConstructForm:
		visible := appendNew(q.Visible(), ProbabilityVar, KnownVar, ImpliedVar)
		syntax.EachVar(&syntax.Group{Of: patterns(q.Template)}, func(name string) {
			if slices.Contains(visible, name) && !slices.ContainsFunc(columns, func(c syntax.Projection) bool { return c.Var == name }) {
				columns = append(columns, syntax.Projection{Var: name})
			}
		})
		return columns
	case q.Form == syntax.SelectForm && !q.Star:
		return q.Select
	case q.Form == syntax.SelectForm:
		for _, name := range q.Visible() {
			columns = append(columns, syntax.Projection{Var: name})
		}
	}
	return columns
}

func patterns(template []syntax.Triple) []syntax.Pattern {
	all := make([]syntax.Pattern, len(template))
	for i, t := range template {
		all[i] = t
	}
	return all
}

// solutions answers SELECT.
func (p *prediction) solutions(ctx context.Context) (*results.Results, error) {
	columns := slices.Clone(columnsOf(p.query))
	if len(p.after.needs(columns)) == 0 {
		return nil, kg.Errorf(kg.Invalid, "sparql", "mode=predict needs a variable of the pattern in SELECT")
	}
	for _, name := range p.added() {
		if !slices.ContainsFunc(columns, func(c syntax.Projection) bool { return c.Var == name }) {
			columns = append(columns, syntax.Projection{Var: name})
		}
	}
	if p.open && (len(p.labels.bearers(p.after.needs(columns))) == 1 || p.query.Limit >= 0) {
		p.threshold = ListThreshold
	}
	rows, err := p.rows(ctx, columns)
	if err != nil {
		return nil, err
	}
	if len(rows) > p.limits.Solutions {
		return nil, p.tooMany()
	}
	vars := make([]string, len(columns))
	for i, c := range columns {
		vars[i] = c.Var
	}
	return &results.Results{Vars: vars, Rows: results.Rows(rows)}, nil
}

// construct answers CONSTRUCT: the template under every solution that reaches the threshold.
func (p *prediction) construct(ctx context.Context) (*results.Results, error) {
	columns := columnsOf(p.query)
	rows, err := p.rows(ctx, columns)
	if err != nil {
		return nil, err
	}
	table := &syntax.Values{Rows: rows}
	for _, c := range columns {
		table.Vars = append(table.Vars, c.Var)
	}
	where := &syntax.Group{Of: []syntax.Pattern{table}}
	return p.exact(ctx, &syntax.Query{Form: syntax.ConstructForm, Template: p.query.Template, Where: where, Limit: -1})
}

// rows are the solutions of SELECT and CONSTRUCT, in their order.
func (p *prediction) rows(ctx context.Context, columns []syntax.Projection) ([][]term.Term, error) {
	with, keys, err := p.orderKeys(columns, func(e syntax.Expr) syntax.Expr { return e })
	if err != nil {
		return nil, err
	}
	all, err := p.ofCases(ctx, p.labels.bearers(p.after.needs(columns)))
	if err != nil {
		return nil, err
	}
	found, err := p.compute(ctx, p.labelled(all), with)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(found, func(a, b solution) int { return cmp.Compare(b.degree, a.degree) })
	rows := make([][]term.Term, len(found))
	for i, s := range found {
		rows[i] = s.terms
	}
	return p.ordered(rows, keys, len(columns)), nil
}

// orderKeys adds to columns what ORDER BY computes, and says where its keys stand among them.
func (p *prediction) orderKeys(columns []syntax.Projection, rewrite func(syntax.Expr) syntax.Expr) (all []syntax.Projection, at []int, err error) {
	all = slices.Clone(columns)
	find := func(name string) int {
		return slices.IndexFunc(columns, func(c syntax.Projection) bool { return c.Var == name })
	}
	for _, key := range p.query.OrderBy {
		of := rewrite(key.Of)
		for _, name := range slices.Sorted(maps.Keys(varsOf(of))) {
			if find(name) < 0 && !isAdded(name) {
				return nil, nil, kg.Errorf(kg.Invalid, "sparql", "ORDER BY ?%s, which is not selected; mode=predict needs that", name)
			}
		}
		if err := computable(of, placeOf(of)); err != nil {
			return nil, nil, err
		}
		if ref, isRef := of.(syntax.Ref); isRef && find(ref.Var) >= 0 {
			at = append(at, find(ref.Var))
			continue
		}
		at = append(at, len(all))
		all = append(all, syntax.Projection{Var: fmt.Sprintf("(key %d)", len(at)), Of: of})
	}
	return all, at, nil
}

// ofCases finds values for the selected variables, in every case of a UNION that does not bind all of them.
func (p *prediction) ofCases(ctx context.Context, selected []string) ([]assignment, error) {
	find := (*prediction).assignments
	if len(p.optionals) > 0 {
		find = (*prediction).withOptionals
	}
	cases, err := p.cases(selected)
	switch {
	case err != nil:
		return nil, err
	case len(cases) == 0:
		return find(p, ctx, selected)
	}
	var all []assignment
	for _, c := range cases {
		one := *p
		one.pattern = c
		some, err := find(&one, ctx, slices.DeleteFunc(slices.Clone(selected), func(name string) bool { return !one.mayBind(name) }))
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return projected(all, selected), nil
}

// assignments finds values for the selected variables. Of none it tells whether the pattern has a solution.
func (p *prediction) assignments(ctx context.Context, selected []string) ([]assignment, error) {
	if len(selected) == 0 {
		return p.asked(ctx, nil, 1)
	}
	return p.asked(ctx, selected, p.wanted())
}

// keep counts answers of so many variables, before they are gathered.
func (p *prediction) keep(answers, variables int) error {
	const bytesOfAnswer, bytesOfVariable = 320, 96 // with a row of terms
	if p.mapper.meter.Keep(answers * (bytesOfAnswer + bytesOfVariable*variables)) {
		return nil
	}
	return p.mapper.meter.Err
}

// terms writes assignments as rows of a result.
func (p *prediction) terms(assignments []assignment, columns []string) [][]term.Term {
	rows := make([][]term.Term, len(assignments))
	for i, a := range assignments {
		rows[i] = make([]term.Term, len(columns))
		for j, name := range columns {
			switch name {
			case ProbabilityVar:
				rows[i][j] = double(float64(a.degree), 32)
			case ImpliedVar:
				if a.rules != "" {
					rows[i][j] = term.Term{Kind: term.Literal, Value: a.rules}
				}
			case KnownVar:
				rows[i][j] = term.Typed(strconv.FormatBool(a.known), term.XSDBoolean)
			default:
				rows[i][j] = p.value(a, name)
			}
		}
	}
	return rows
}

// value is what an assignment gives a variable: an entity, the label of one, or nothing where an OPTIONAL found nothing.
func (p *prediction) value(a assignment, name string) term.Term {
	if _, bound := a.values[name]; !bound {
		return term.Term{}
	}
	if _, isLabel := p.labels[name]; isLabel {
		return term.OfEntity(p.graph.LabelTriples().Name(p.graph.Entities.Names, a.values[name]))
	}
	return term.OfEntity(p.graph.Entities.Names.At(uint32(a.values[name])))
}

// ordered applies ORDER BY, OFFSET and LIMIT to rows that come by falling probability; keys are the places to sort by. Rows have so many columns then.
func (p *prediction) ordered(rows [][]term.Term, keys []int, columns int) [][]term.Term {
	of := func(row []term.Term) (values []term.Term) {
		for _, at := range keys {
			values = append(values, row[at])
		}
		return values
	}
	descending := func(i int) bool { return p.query.OrderBy[i].Descending }
	slices.SortStableFunc(rows, func(a, b []term.Term) int { return term.CompareLists(of(a), of(b), descending) })
	rows = sliceRows(rows, p.query)
	for i := range rows {
		rows[i] = rows[i][:columns]
	}
	return rows
}

func sliceRows(rows [][]term.Term, q *syntax.Query) [][]term.Term {
	rows = rows[min(q.Offset, len(rows)):]
	if q.Limit >= 0 {
		rows = rows[:min(q.Limit, len(rows))]
	}
	return rows
}

// appendNew appends the names that the list lacks.
func appendNew(names []string, more ...string) []string {
	for _, name := range more {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
