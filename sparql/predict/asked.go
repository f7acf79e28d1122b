package predict

import (
	"context"
	"errors"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
	"github.com/lacuna-kg/lacuna/sparql/syntax"
)

// bound refuses a variable that only some solutions bind.
func (p *prediction) bound(name string) error {
	if p.pattern.certain[name] {
		return nil
	}
	return kg.Errorf(kg.Invalid, "sparql", "?%s is not bound by every solution, which mode=predict needs; mode=exact answers it", name)
}

// asked asks for some variables together, all others quantified: the solutions are the tuples of one question, scored together.
func (p *prediction) asked(ctx context.Context, selected []string, most int) ([]assignment, error) {
	outside, q := names{}, &query.Query{}
	for _, name := range selected {
		if err := p.bound(name); err != nil {
			return nil, err
		}
		outside.add(name)
		q.Answers = append(q.Answers, query.Variable{Name: name})
	}
	q.Body = quantified(p.pattern, outside)
	tuples, cut, err := p.predictor.Predict(ctx, q, Wanted{Least: p.threshold, Most: most, Predicted: p.after.predicted})
	if err != nil {
		return nil, translated(err)
	}
	if cut != nil {
		p.cut.Add(*cut)
	}
	if err := p.keep(len(tuples), len(selected)); err != nil {
		return nil, err
	}
	all := make([]assignment, 0, len(tuples))
	for _, t := range tuples {
		if t.Known && p.after.predicted {
			continue
		}
		a := assignment{map[string]kg.Entity{}, t.Probability, t.Known, t.Implied}
		for k, name := range selected {
			a.values[name] = t.Entities[k]
		}
		all = append(all, a)
	}
	return all, nil
}

// wanted is how many solutions are of use: one more than the limit shows that it is exceeded.
func (p *prediction) wanted() int {
	if q := p.query; q.Limit >= 0 && len(q.OrderBy) == 0 && len(p.after.of) == 0 {
		return min(q.Limit+q.Offset, p.limits.Solutions+1)
	}
	return p.limits.Solutions + 1
}

func (p *prediction) tooMany() error {
	return kg.Errorf(kg.TooLarge, "sparql", "more than the limit of %d solutions: add LIMIT", p.limits.Solutions)
}

// translated puts an error of package query, which speaks of formulas, into the
// place of the text, and says what to do about it.
func translated(err error) error {
	var e *kg.Error
	if !errors.As(err, &e) {
		return err
	}
	at := e.Place
	if at.Name == query.Source {
		at.Name = syntax.Source
	}
	if e.Kind != kg.Invalid {
		return kg.ErrorAt(e.Kind, at, "%s", e.What)
	}
	return kg.ErrorAt(e.Kind, at, "%s; mode=exact has no such limit", e.What)
}
