package predict

import (
	"context"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
	"github.com/lacuna-kg/lacuna/sparql/results"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// A pattern whose variables form no tree is joined: its solutions for the selected variables are
// the tuples of one question, scored together.

// isTree tells whether an expression gives the values of a variable.
func (p *prediction) isTree(name string) bool {
	_, err := p.expression(name)
	return err == nil
}

// bound refuses a variable that only some solutions bind.
func (p *prediction) bound(name string) error {
	if p.pattern.certain[name] {
		return nil
	}
	return kg.Errorf(kg.Invalid, "sparql", "?%s is not bound by every solution, which mode=predict needs; mode=exact answers it", name)
}

// joined asks for some variables together, all others quantified.
func (p *prediction) joined(ctx context.Context, selected []string, most int) ([]assignment, error) {
	outside, q := names{}, &query.Query{}
	for _, name := range selected {
		if err := p.bound(name); err != nil {
			return nil, err
		}
		outside.add(name)
		q.Answers = append(q.Answers, query.Variable{Name: name})
	}
	q.Body = quantified(p.pattern, outside)
	normal, err := query.Normalise(q)
	if err != nil {
		return nil, translated(err)
	}
	tuples, cut, err := p.predictor.Join(ctx, normal, p.threshold, most)
	if err != nil {
		return nil, err
	}
	if cut != nil {
		p.cut.Add(*cut)
	}
	if err := p.keep(len(tuples), len(selected)); err != nil {
		return nil, err
	}
	all := make([]assignment, len(tuples))
	for i, t := range tuples {
		all[i] = assignment{map[string]kg.Entity{}, t.Degree, t.Known}
		for k, name := range selected {
			all[i].values[name] = t.Entities[k]
		}
	}
	return all, nil
}

// wanted is how many solutions are of use: one more than the limit shows that it is exceeded.
func (p *prediction) wanted() int {
	if q := p.query; q.Limit >= 0 && len(q.OrderBy) == 0 {
		return min(q.Limit+q.Offset, p.limits.Solutions+1)
	}
	return p.limits.Solutions + 1
}

// countJoined is count by a join, of one variable or of all of them together.
func (p *prediction) countJoined(ctx context.Context, of []string) (*results.Results, error) {
	all, err := p.joined(ctx, of, p.limits.Solutions+1)
	if err != nil {
		return nil, err
	}
	if len(all) > p.limits.Solutions {
		return nil, p.tooMany()
	}
	expected := 0.0
	for _, a := range all {
		expected += float64(a.degree)
	}
	return p.counted(len(all), expected), nil
}

func (p *prediction) counted(n int, expected float64) *results.Results {
	rows := sliceRows([][]term.Term{{term.Integer(n), double(expected, 64)}}, p.query)
	return &results.Results{Vars: []string{p.query.Select[0].Var, ExpectedVar}, Rows: results.Rows(rows)}
}

func (p *prediction) tooMany() error {
	return kg.Errorf(kg.TooLarge, "sparql", "more than the limit of %d solutions: add LIMIT", p.limits.Solutions)
}
