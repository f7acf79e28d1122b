package join

import (
	"context"
	"slices"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
	"github.com/lacuna-kg/lacuna/query"
)

// Checker tells whether a graph states enough for an answer, so that it is known without any prediction.
type Checker struct {
	table    *table
	form     *form
	positive bool
}

// NewChecker checks the answers to a question.
func NewChecker(g *kg.Graph, q *query.Normal) *Checker {
	return &Checker{newTable(links.New(g, nil, links.Options{}), Options{}), compile(q), isPositive(q.Body)}
}

// NewCheckerWithout checks them by what a graph states but for some facts.
func NewCheckerWithout(g *kg.Graph, q *query.Normal, without func(kg.Triple) bool) *Checker {
	c := NewChecker(g, q)
	c.table.without = without
	return c
}

func isPositive(c query.Condition) bool {
	if _, negates := c.(query.No); negates {
		return false
	}
	for _, part := range query.Parts(c) {
		if !isPositive(part) {
			return false
		}
	}
	return true
}

// NewJudge is a Checker by links, stated and predicted: it says how likely answers are.
func NewJudge(rows *links.Rows, q *query.Normal, o Options) *Checker {
	c := &Checker{newTable(rows, o), compile(q), isPositive(q.Body)}
	c.table.expect(c.form.root)
	return c
}

// Holds tells whether the question is true, with entities for some of its answer variables, by what the graph states.
func (c *Checker) Holds(ctx context.Context, answers []int, entities []kg.Entity) (bool, error) {
	degree, err := c.Degree(ctx, answers, entities)
	return degree > 0, err
}

// Degree is how true the question is with entities for some of its answer variables: as its best derivation. Where a bound of the search is met, it
// is 0, as so far nothing says more.
func (c *Checker) Degree(ctx context.Context, answers []int, entities []kg.Entity) (float64, error) {
	found, err := c.best(ctx, answers, entities)
	if err == errStopped || err == nil && found == nil {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return found.done, nil
}

// Cut is what was left out so far, of all answers that were looked at.
func (c *Checker) Cut() Cut { return c.table.cut }

// best is the best derivation with entities for some of the answer variables, or nil.
func (c *Checker) best(ctx context.Context, answers []int, entities []kg.Entity) (*state, error) {
	c.table.ctx, c.table.steps = ctx, 0
	given := slices.Repeat(assignment{unassigned}, c.form.variables)
	for i, v := range answers {
		given[v] = entities[i]
	}
	return newSearch(c.table, c.form, c.form.root, nil, given).next()
}

// IsPositive tells whether the question negates nothing, so that a known answer is certain.
func (c *Checker) IsPositive() bool { return c.positive }
