package answer

import (
	"context"
	"slices"
	"strings"

	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/join"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/reason"
	"github.com/lacuna-kg/lacuna/links"
	"github.com/lacuna-kg/lacuna/query"
)

// Origins tells known answers that the graph states from those that it only implies (see package reason).
type Origins struct {
	stated    *join.Checker // without what is implied
	judge     *Judge
	question  *query.Normal
	variables []int
}

// NewOrigins looks at the answers to a question: values for some of its variables. It is nil where the graph implies nothing.
func NewOrigins(g *kg.Graph, q *query.Normal, variables []int) *Origins {
	implied := reason.Of(g)
	if implied == nil {
		return nil
	}
	without := func(fact kg.Triple) bool { return implied.Rule(fact) != "" }
	return &Origins{join.NewCheckerWithout(g, q, without), NewJudge(links.New(g, nil, links.Options{}), fuzzy.Logic{}), q, variables}
}

// Settle has known answers say by which rules they are implied, if what is stated does not make them true. Of others,
// and where it is nil, nothing is said.
func (o *Origins) Settle(ctx context.Context, answers []Answer) error {
	if o == nil {
		return nil
	}
	for i := range answers {
		if !answers[i].Known {
			continue
		}
		stated, err := o.stated.Holds(ctx, o.variables, answers[i].Entities)
		if err == nil && !stated {
			answers[i].Implied, err = o.rules(ctx, answers[i])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// rules are those of a derivation of an answer.
func (o *Origins) rules(ctx context.Context, of Answer) (string, error) {
	one := []Answer{{Entities: of.Entities, Known: true}}
	if err := o.judge.Settle(ctx, o.question, o.variables, one); err != nil {
		return "", err
	}
	var rules []string
	for _, l := range one[0].Links {
		if l.Implied != "" && !l.Negated && !slices.Contains(rules, l.Implied) {
			rules = append(rules, l.Implied)
		}
	}
	if len(rules) == 0 { // of a derivation that was not found whole
		return "rdfs", nil
	}
	slices.Sort(rules)
	return strings.Join(rules, ", "), nil
}
