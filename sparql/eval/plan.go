package eval

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/sparql/algebra"
)

// Plan is an operator of a query as it was run: how many rows were expected of it, and how many
// came. The parts of a basic pattern are its levels, in the order in which they were matched.
type Plan struct {
	Operator  string  `json:"operator"`
	Estimated float64 `json:"estimated"`      // of one run
	Rows      int     `json:"rows"`           // of all runs
	Runs      int     `json:"runs,omitempty"` // a level of a pattern runs with it
	Of        []*Plan `json:"of,omitempty"`
}

// Explain answers a query and gives its plan with the true numbers.
func Explain(ctx context.Context, q *algebra.Query, data Dataset, limits Limits) (*Plan, error) {
	e := newEvaluator(ctx, q, data, limits)
	root := &Plan{}
	e.shown = root
	r, err := e.run()
	if err != nil {
		return nil, err
	}
	if !r.Ask {
		for _, err := range r.Rows {
			if err != nil {
				return nil, err
			}
		}
	}
	return root.Of[0], nil
}

// String writes a line for every operator, parts indented.
func (p *Plan) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%12s %12s %10s\n", "estimated", "rows", "runs")
	p.write(&b, 0)
	return b.String()
}

func (p *Plan) write(b *strings.Builder, depth int) {
	runs := ""
	if p.Runs > 0 {
		runs = fmt.Sprint(p.Runs)
	}
	fmt.Fprintf(b, "%12s %12d %10s  %s%s\n", rounded(p.Estimated), p.Rows, runs, strings.Repeat("  ", depth), p.Operator)
	for _, part := range p.Of {
		part.write(b, depth+1)
	}
}

// rounded keeps what an estimate can say.
func rounded(f float64) string {
	if f < 10 {
		return fmt.Sprintf("%.2g", f)
	}
	return fmt.Sprintf("%.0f", f)
}

// level adds one to the plan of a pattern.
func (p *Plan) level(text string, estimated float64) *Plan {
	l := &Plan{Operator: text, Estimated: estimated}
	p.Of = append(p.Of, l)
	return l
}

// shownOperator makes an operator that counts, and its place in the plan.
func (e *evaluator) shownOperator(o algebra.Op) operator {
	above := e.shown
	p := above.level(e.query.Head(o), e.estimate(o))
	e.shown = p
	run := e.compiled(o)
	e.shown = above
	return func(in row) iter.Seq[row] {
		return func(yield func(row) bool) {
			p.Runs++
			for r := range run(in) {
				p.Rows++
				if !yield(r) {
					return
				}
			}
		}
	}
}

// describe says what a level does: a variable by the triples that meet at it.
func (p *planner) describe(l *level) string {
	steps, verb := slices.Clone(l.lists), "meet at"
	if l.variable < 0 {
		return "follow " + p.texts[l.step]
	}
	if len(steps) == 0 {
		if verb = "scan for"; l.twins != nil {
			verb = "look up by value"
		}
		for _, f := range l.fetches {
			steps = append(steps, f.step)
		}
	}
	texts := make([]string, len(steps))
	for i, s := range steps {
		texts[i] = p.texts[s]
	}
	tested := ""
	if len(l.conditions) > 0 {
		tested = fmt.Sprintf(", %s", count.Of(len(l.conditions), "condition"))
	}
	return fmt.Sprintf("%s ?%s: %s%s", verb, p.query.Names[l.variable], strings.Join(texts, " . "), tested)
}
