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

// assignment gives values to the variables that are selected, with the degree to
// which the pattern holds for them.
type assignment struct {
	values map[string]kg.Entity
	degree float32
	known  bool
}

// solutions answers SELECT.
func (p *prediction) solutions(ctx context.Context) (*results.Results, error) {
	columns := p.query.Columns()
	selected := slices.DeleteFunc(slices.Clone(columns), func(name string) bool { return name == ProbabilityVar || name == KnownVar })
	if len(selected) == 0 {
		return nil, kg.Errorf(kg.Invalid, "sparql", "mode=predict needs a variable of the pattern in SELECT")
	}
	selected = p.labels.bearers(selected)
	columns = appendNew(columns, ProbabilityVar, KnownVar)
	for _, key := range p.query.OrderBy {
		if name := key.Of.(syntax.Ref).Var; !slices.Contains(columns, name) {
			return nil, kg.Errorf(kg.Invalid, "sparql", "ORDER BY ?%s, which is not selected; mode=predict needs that", name)
		}
	}
	if p.open && (len(selected) == 1 || p.query.Limit >= 0) {
		p.threshold = ListThreshold
	}
	assignments, err := p.ofCases(ctx, selected)
	if err != nil {
		return nil, err
	}
	assignments = p.labelled(assignments)
	slices.SortStableFunc(assignments, func(a, b assignment) int { return cmp.Compare(b.degree, a.degree) })
	rows := p.ordered(p.terms(assignments, columns), columns)
	if len(rows) > p.limits.Solutions {
		return nil, p.tooMany()
	}
	return &results.Results{Vars: columns, Rows: results.Rows(rows)}, nil
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

// ordered applies ORDER BY, OFFSET and LIMIT to rows that come by falling probability.
func (p *prediction) ordered(rows [][]term.Term, columns []string) [][]term.Term {
	type entry struct{ keys, row []term.Term }
	entries := make([]entry, len(rows))
	for i, row := range rows {
		entries[i].row = row
		for _, key := range p.query.OrderBy {
			entries[i].keys = append(entries[i].keys, row[slices.Index(columns, key.Of.(syntax.Ref).Var)])
		}
	}
	descending := func(i int) bool { return p.query.OrderBy[i].Descending }
	slices.SortStableFunc(entries, func(a, b entry) int { return term.CompareLists(a.keys, b.keys, descending) })
	for i, n := range entries {
		rows[i] = n.row
	}
	return sliceRows(rows, p.query)
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
