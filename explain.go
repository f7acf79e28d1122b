package lacuna

import (
	"context"
	"time"

	"github.com/lacuna-kg/lacuna/explain"
	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/plan"
	"github.com/lacuna-kg/lacuna/query"
)

// ExplainOptions says how a question is run and which of its answers is explained.
type ExplainOptions struct {
	AskOptions
	// Answer is the entity to explain, by name or identifier, whether it is an answer or
	// not. Empty: the likeliest answer that is predicted, or the likeliest of all.
	Answer string
	Bounds explain.Options
}

// Explain answers a question and says why one entity is among its answers: the chain of
// entities that leads to it and, for every link that the graph does not state, the facts
// that speak for it. The explanation is nil where nothing answers and no entity was named.
func (e *Engine) Explain(ctx context.Context, text string, opts ExplainOptions) (*Result, *explain.Explanation, error) {
	start := time.Now()
	question, err := e.Prepare(text, opts.AskOptions)
	if err != nil {
		return nil, nil, err
	}
	result, explanation, err := e.ground(ctx, question, text, opts)
	if err != nil || explanation == nil {
		return result, nil, err
	}
	if m := e.explainer(opts.Exact); m != nil {
		err = m.Reasons(ctx, e.Graph, explanation, opts.Bounds)
	}
	explanation.Query, explanation.Operators, explanation.Shape = result.Query, result.Operators, result.Shape
	explanation.Steps = setsOf(result.Steps)
	explanation.Threshold = float32(opts.AskOptions.withDefaults().Threshold)
	explanation.MS = milliseconds(time.Since(start))
	return result, explanation, err
}

// ground answers the question and grounds the entity while its sets are there.
func (e *Engine) ground(ctx context.Context, q *Question, text string, opts ExplainOptions) (*Result, *explain.Explanation, error) {
	run, err := e.explainRun(q, text, opts)
	if err != nil {
		return nil, nil, err
	}
	runs, err := e.run(ctx, []*plan.Program{q.Program}, opts.Execution())
	if err != nil {
		return nil, nil, err
	}
	defer runs.release()
	t := trace{runs, 0}
	run.Sets = func(i int) (set, known fuzzy.Set) { s := t.sets(i); return s.set, s.known }
	result := e.result(q, t, opts.withDefaults())
	result.Stats = newStats(e.Graph, q.prepared, runs.run.Stats)
	answer, found, err := e.toExplain(t.sets(q.Program.Result()), opts)
	if err != nil || !found {
		return result, nil, err
	}
	explanation, err := run.Ground(ctx, answer, opts.Bounds)
	return result, explanation, err
}

// explainRun is the question as its explanation reads it, but for the sets.
func (e *Engine) explainRun(q *Question, text string, opts ExplainOptions) (*explain.Run, error) {
	parsed, err := query.Parse(text)
	if err != nil {
		return nil, err
	}
	if parsed, err = query.Resolve(parsed, e.Graph.Vocabulary); err != nil {
		return nil, err
	}
	variables, err := explain.Variables(parsed, e.passes(opts.AskOptions), q.Program)
	return &explain.Run{
		Graph: e.Graph, Program: q.Program, Variables: variables,
		Model: e.explainer(opts.Exact), DoubtKnown: opts.DoubtKnown,
	}, err
}

// explainer is the model as explanations question it, nil without.
func (e *Engine) explainer(exact bool) *explain.Model {
	if e.model == nil || exact {
		return nil
	}
	return &explain.Model{Learnt: e.model.learnt, Graph: e.model.graph, Topology: e.model.topology, Turns: &e.model.mutex}
}

// toExplain is the entity that was named or, without, the best predicted answer, else the best.
func (e *Engine) toExplain(outcome sets, opts ExplainOptions) (kg.Entity, bool, error) {
	if opts.Answer != "" {
		entity, err := query.FindEntity(opts.Answer, e.Graph.Vocabulary)
		return entity, true, err
	}
	least := float32(opts.AskOptions.withDefaults().Threshold)
	for _, set := range []fuzzy.Set{outcome.predicted(), outcome.set} {
		if top := set.Top(1, least); len(top) > 0 {
			return top[0].Entity, true, nil
		}
	}
	return 0, false, nil
}

// setsOf are the steps of a result as an explanation has them.
func setsOf(steps []Step) []explain.Set {
	sets := make([]explain.Set, len(steps))
	for i, s := range steps {
		sets[i] = explain.Set{Op: s.Op, Entity: s.Entity, Relation: s.Relation, Inputs: s.Inputs, Cardinality: s.Cardinality}
		for _, m := range s.Top {
			sets[i].Top = append(sets[i].Top, explain.Member{Entity: m.Entity, ID: m.ID, Probability: m.Probability, Known: m.Known})
		}
	}
	return sets
}
