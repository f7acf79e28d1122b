package predict

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
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

// solutions answers SELECT. One variable takes one expression. Several are assigned
// one after the other: under each value of the first, the tree is hung on the
// second, and so on; the degree at the last is that of them all together.
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
	find := p.assignments
	if len(p.optionals) > 0 {
		find = p.withOptionals
	}
	assignments, err := find(ctx, selected)
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

// assignments finds values for the selected variables, by the tree of the pattern or by a join.
func (p *prediction) assignments(ctx context.Context, selected []string) ([]assignment, error) {
	if !p.isTree(selected[0]) {
		return p.joined(ctx, selected, p.wanted())
	}
	all := []assignment{{}}
	for i, name := range selected {
		var err error
		if i > 0 {
			if all, err = p.best(all, selected[i-1]); err != nil {
				return nil, err
			}
		}
		if all, err = p.assign(ctx, all, name); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// best keeps the assignments that are followed further. To drop some is right only
// for who asked for the best ones by LIMIT.
func (p *prediction) best(all []assignment, last string) ([]assignment, error) {
	most := p.limits.Assignments
	if len(all) <= most {
		return all, nil
	}
	wanted := p.query.Limit >= 0 && len(p.query.OrderBy) == 0 && p.query.Limit+p.query.Offset <= most
	if !wanted {
		return nil, kg.Errorf(kg.TooLarge, "sparql", "%d values up to ?%s would have to be combined with the other variables, the limit is %d: add LIMIT, raise the threshold, or select ?%s alone",
			len(all), last, most, last)
	}
	slices.SortStableFunc(all, func(a, b assignment) int { return cmp.Compare(b.degree, a.degree) })
	return all[:most], nil
}

// assign extends every assignment by the values of one more variable.
func (p *prediction) assign(ctx context.Context, before []assignment, name string) ([]assignment, error) {
	exprs := make([]query.Expr, len(before))
	for i, a := range before {
		var err error
		if exprs[i], err = p.expression(name, a.values); err != nil {
			return nil, err
		}
	}
	sets, err := p.run(ctx, exprs)
	if err != nil {
		return nil, err
	}
	var after []assignment
	for i, set := range sets {
		for j, member := range set.Members {
			values := maps.Clone(before[i].values)
			if values == nil {
				values = map[string]kg.Entity{}
			}
			values[name] = member.Entity
			after = append(after, assignment{values, member.Degree, set.Known[j]})
		}
		if len(after) > p.limits.Memory/8 {
			return nil, kg.Errorf(kg.TooLarge, "sparql", "more than %d answers: raise the threshold", p.limits.Memory/8)
		}
	}
	return after, nil
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
