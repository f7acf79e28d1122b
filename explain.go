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
	question, err := e.Prepare(text, opts.AskOptions)
	if err != nil {
		return nil, nil, err
	}
	return e.ExplainQuestion(ctx, question, opts.Answer, opts.Bounds)
}

// ExplainQuestion is Explain of a question that is prepared already.
func (e *Engine) ExplainQuestion(ctx context.Context, q *Question, answer string, bounds explain.Options) (*Result, *explain.Explanation, error) {
	start := time.Now()
	result, explanation, err := e.ground(ctx, q, answer, bounds)
	if err != nil || explanation == nil {
		return result, nil, err
	}
	if model := e.predictor(q.Options.Exact); model != nil {
		err = explain.Reasons(ctx, model, explanation, bounds)
	}
	explanation.Steps = setsOf(result.Steps)
	explanation.Threshold = float32(q.Options.withDefaults().Threshold)
	explanation.MS = milliseconds(q.prepared + time.Since(start))
	return result, explanation, err
}

// ground answers the question and grounds the entity while its sets are there.
func (e *Engine) ground(ctx context.Context, q *Question, answer string, bounds explain.Options) (*Result, *explain.Explanation, error) {
	runs, err := e.run(ctx, []*plan.Program{q.Program}, q.Options.Execution())
	if err != nil {
		return nil, nil, err
	}
	defer runs.release()
	t := trace{runs, 0}
	result := e.result(q, t, q.Options.withDefaults())
	result.Stats = newStats(e.Graph, q.prepared, runs.run.Stats)
	entity, found, err := e.toExplain(t.sets(q.Program.Result()), q.Options, answer)
	if err != nil || !found {
		return result, nil, err
	}
	run := explain.Run{
		Question: q.Question, Graph: e.Graph, Sets: t.explained,
		Model: e.predictor(q.Options.Exact), DoubtKnown: q.Options.DoubtKnown,
	}
	explanation, err := run.Ground(ctx, entity, bounds)
	return result, explanation, err
}

// explained are the sets after an instruction as explanations read them.
func (t trace) explained(instruction int) (set, known fuzzy.Set) {
	s := t.sets(instruction)
	return s.set, s.known
}

// toExplain is the entity that was named or, without, the best predicted answer, else the best.
func (e *Engine) toExplain(outcome sets, opts AskOptions, answer string) (kg.Entity, bool, error) {
	if answer != "" {
		entity, err := query.FindEntity(answer, e.Graph.Vocabulary)
		return entity, true, err
	}
	least := float32(opts.withDefaults().Threshold)
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
