package lacuna

import (
	"cmp"
	"context"
	"slices"

	"github.com/lacuna-kg/lacuna/answer"
	"github.com/lacuna-kg/lacuna/links"
	"github.com/lacuna-kg/lacuna/plan"
	"github.com/lacuna-kg/lacuna/query"
	"github.com/lacuna-kg/lacuna/sparql"
	"github.com/lacuna-kg/lacuna/sparql/predict"
	"github.com/lacuna-kg/lacuna/sparql/results"
	"github.com/lacuna-kg/lacuna/sparql/syntax"
)

// SPARQL answers a query in SPARQL, as package sparql describes: exactly, as
// the recommendation defines it or, By(Links) or By(Sets), with predictions and their probabilities.
// Threshold, Logic, Plain and KeepKnown count for these; lists are as long as the query says.
func (e *Engine) SPARQL(ctx context.Context, text string, options ...AskOption) (*results.Results, error) {
	q, err := syntax.Parse(text, sparql.Prefixes(e.Graph)...)
	if err != nil {
		return nil, err
	}
	chosen, err := e.choose(options)
	if err != nil {
		return nil, err
	}
	how := chosen.asking(Exact, true)
	run := sparql.Options{Predicted: how.Predicted}
	if chosen.threshold {
		run.Threshold = float64(how.least())
	}
	if how.By != Exact {
		run.Mode = sparql.Predict
	}
	data := e.Dataset()
	data.Predictor, data.Remote = predictor{e, how.Execution}, chosen.remote
	return sparql.RunQuery(ctx, q, data, run)
}

// Services has SERVICE of a query in SPARQL ask other servers (see endpoint.Remote). By default nobody is asked.
func Services(remote sparql.Remote) AskOption {
	return func(c *choices) error { c.remote = remote; return nil }
}

// Dataset is the engine as package sparql sees it, for those who choose between exact and
// predicted answers with every query.
func (e *Engine) Dataset() sparql.Dataset {
	return sparql.Dataset{Graph: e.Graph, Name: e.Name, Predictor: predictor{e, e.usual.asking(Links, true).Execution}}
}

// predictor runs the expressions that queries in SPARQL are turned into.
type predictor struct {
	engine *Engine
	how    Execution
}

// Predict implements predict.Predictor.
func (p predictor) Predict(ctx context.Context, q *query.Query, w predict.Wanted) ([]predict.Tuple, *results.Cut, error) {
	bound, err := plan.BoundQuestion(q, p.engine.compiling(p.how))
	if err != nil {
		return nil, nil, err
	}
	a, err := p.engine.answering(ctx, &Question{Question: bound, Asking: Asking{Execution: p.how, Limits: defaultLimits}})
	if err != nil {
		return nil, nil, err
	}
	c, err := a.upTo(w)
	if err != nil {
		return nil, nil, err
	}
	if w.Predicted && a.normal.Answers > 0 {
		c.known = nil
	}
	if err := a.origins.Settle(ctx, c.known); err != nil {
		return nil, nil, err
	}
	all := slices.Concat(c.known, c.predicted)
	tuples := make([]predict.Tuple, 0, len(all))
	for _, one := range all {
		if probability := float32(one.Probability); probability >= w.Least && probability > 0 {
			tuples = append(tuples, predict.Tuple{Entities: one.Entities, Probability: probability, Known: one.Known, Implied: one.Implied})
		}
	}
	slices.SortStableFunc(tuples, func(a, b predict.Tuple) int {
		return cmp.Or(cmp.Compare(b.Probability, a.Probability), slices.Compare(a.Entities, b.Entities))
	})
	if w.Most >= 0 && len(tuples) > w.Most {
		tuples = tuples[:w.Most]
	}
	return tuples, (*results.Cut)(cutOf(c.cut)), nil
}

// upTo settles the answers that a query in SPARQL wants.
func (a *answering) upTo(of predict.Wanted) (c candidates, err error) {
	least := float64(of.Least)
	w := wanted{known: of.Most, predicted: mostSettled, threshold: least, least: links.Lowest(least)}
	if of.Most >= 0 {
		w.predicted = min(of.Most+spare, mostSettled)
	}
	if of.Predicted {
		w.known = 0
	}
	switch {
	case a.normal.Answers == 0:
		c.known = []answer.Answer{{}}
		if c.known[0].Known, err = a.known.Holds(a.ctx, nil, nil); err == nil {
			err = a.settled(c.known)
		}
		return c, err
	case a.IsTree():
		runs, err := a.run(a.ctx, []*plan.Program{a.Program}, a.Asking.Execution)
		if err != nil {
			return c, err
		}
		defer runs.release()
		s := trace{runs, 0}.sets(a.Program.Result())
		c = ofSets(s.set, s.known, w)
	default:
		if c, err = newJoining(a.ctx, a.normal, a.rows, a.follow, a.Asking).candidates(a.variables, w); err != nil {
			return c, err
		}
	}
	if a.judge != nil {
		err = c.settle(a.ctx, a.judge, a.normal, a.variables, !a.known.IsPositive())
	}
	return c, err
}
