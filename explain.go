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

// Explain answers a question and says why an entity is among its answers: the chain of
// entities that leads to it and, for every link that the graph does not state, the facts
// that speak for it. The entity is given by name or identifier, whether it is an answer or not;
// "" is the likeliest prediction that a result shows or, without any, the likeliest answer. The explanation is
// nil where there is neither and no entity was named.
func (e *Engine) Explain(ctx context.Context, text, entity string, options ...AskOption) (*Result, *explain.Explanation, error) {
	question, err := e.Prepare(text, options...)
	if err != nil {
		return nil, nil, err
	}
	return e.ExplainQuestion(ctx, question, entity, explain.Options{})
}

// ExplainQuestion is Explain of a question that is prepared already, within bounds.
func (e *Engine) ExplainQuestion(ctx context.Context, q *Question, entity string, bounds explain.Options) (*Result, *explain.Explanation, error) {
	if !q.IsTree() {
		var entities []string
		if entity != "" {
			entities = []string{entity}
		}
		return e.ExplainTuple(ctx, q, entities, bounds)
	}
	start := time.Now()
	run, result, explanation, err := e.ground(ctx, q, entity, bounds)
	if err != nil || explanation == nil {
		return result, nil, err
	}
	err = run.Reasons(ctx, explanation, bounds)
	explanation.Steps = setsOf(result.Steps)
	explanation.CutTo, explanation.Threshold = result.CutTo, q.Asking.least()
	explanation.MS = milliseconds(q.prepared + time.Since(start))
	return result, explanation, err
}

// ground answers the question and grounds the entity while its sets are there.
func (e *Engine) ground(ctx context.Context, q *Question, entity string, bounds explain.Options) (*explain.Run, *Result, *explain.Explanation, error) {
	runs, err := e.run(ctx, []*plan.Program{q.Program}, q.Asking.Execution)
	if err != nil {
		return nil, nil, nil, err
	}
	defer runs.release()
	t := trace{runs, 0}
	result := e.result(q, t)
	result.Stats = newStats(e.Graph, q.prepared, runs.run.Stats)
	which, found, err := e.toExplain(t.sets(q.Program.Result()), q.Asking, entity)
	if err != nil || !found {
		return nil, result, nil, err
	}
	run := &explain.Run{
		Question: q.Question, Graph: e.Graph, Sets: t.explained,
		Model: e.predictor(q.Asking.Execution), DoubtKnown: q.Asking.DoubtKnown, Logic: q.Asking.Logic,
	}
	if run.Model != nil && q.Asking.By == Links {
		executor, err := e.links.ready(ctx, q.Asking.Literals)
		if err != nil {
			return nil, nil, nil, err
		}
		run.Links = &executor
	}
	explanation, err := run.Ground(ctx, which, bounds)
	return run, result, explanation, err
}

// explained are the sets after an instruction as explanations read them.
func (t trace) explained(instruction int) (set, known fuzzy.View) {
	s := t.sets(instruction)
	return s.set, s.known
}

// toExplain is the entity that was named or, without, the best prediction, else the best answer.
func (e *Engine) toExplain(outcome sets, asked Asking, name string) (kg.Entity, bool, error) {
	if name != "" {
		entity, err := query.FindEntity(name, e.Graph.Vocabulary)
		return entity, true, err
	}
	if top := outcome.predicted().Top(1, min(leastShown, asked.least())); len(top) > 0 {
		return top[0].Entity, true, nil
	}
	if top := outcome.set.Top(1, asked.least()); len(top) > 0 {
		return top[0].Entity, true, nil
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
