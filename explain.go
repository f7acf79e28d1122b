package lacuna

import (
	"context"
	"strings"

	"github.com/lacuna-kg/lacuna/answer"
	"github.com/lacuna-kg/lacuna/explain"
	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
)

// Explain answers a question and says why something is among its answers: the derivation that it rests on and, for every link
// that the graph does not state, the facts that speak for it. The answer is given by names or identifiers, an entity for each answer
// variable, whether it is an answer or not; without any it is the likeliest prediction that the result shows or, without one, the
// likeliest answer. The explanation is nil where there is neither.
func (e *Engine) Explain(ctx context.Context, q *Question, named []string, bounds explain.Options) (*Result, *explain.Explanation, error) {
	results, err := e.Answer(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	a, err := e.answering(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	bySets := a.judge == nil
	if err := a.byLinks(); err != nil { // by sets, too, links say why
		return nil, nil, err
	}
	result := results[0]
	tuple, found, err := a.toExplain(result, named)
	if err != nil || !found {
		return result, nil, err
	}
	explanation, err := a.explain(result, tuple, bySets, bounds)
	return result, explanation, err
}

// toExplain is the answer that was named, or else the best prediction, else the best answer.
func (a *answering) toExplain(r *Result, names []string) ([]kg.Entity, bool, error) {
	if len(names) == 0 && a.normal.Answers > 0 {
		shown := r.Shown()
		if len(shown) == 0 {
			return nil, false, nil
		}
		best := shown[0]
		for _, one := range shown {
			if !one.Known {
				best = one
				break
			}
		}
		names = best.identifiers()
	}
	if len(names) != a.normal.Answers {
		return nil, false, kg.Errorf(kg.Invalid, "", "the question has %s: name an entity for each, one by one (got %d)", count.Of(a.normal.Answers, "answer variable"), len(names))
	}
	tuple := make([]kg.Entity, len(names))
	for i, name := range names {
		var err error
		if tuple[i], err = query.FindEntity(name, a.Graph.Vocabulary); err != nil {
			return nil, false, err
		}
	}
	return tuple, true, nil
}

// identifiers are what the entities of an answer are found by.
func (a Answer) identifiers() []string {
	if a.Entity != "" {
		if a.ID != "" {
			return []string{a.ID}
		}
		return []string{a.Entity}
	}
	names := append([]string(nil), a.Entities...)
	for i, id := range a.IDs {
		if id != "" {
			names[i] = id
		}
	}
	return names
}

// explain says why a tuple answers, or what is missing that it would.
func (a *answering) explain(r *Result, tuple []kg.Entity, bySets bool, bounds explain.Options) (*explain.Explanation, error) {
	one, missing, err := a.derive(tuple)
	if err != nil {
		return nil, err
	}
	if one.Known, err = a.known.Holds(a.ctx, a.variables, tuple); err != nil {
		return nil, err
	}
	one.Entities = tuple
	origin := []answer.Answer{one}
	if err := a.origins.Settle(a.ctx, origin); err != nil {
		return nil, err
	}
	shown := name(a.Graph, tuple)
	member := explain.Member{Implied: origin[0].Implied, Entity: shown.Entity, ID: shown.ID, Probability: float32(one.Probability), Known: one.Known}
	if len(shown.Entities) > 0 {
		member.Entity = strings.Join(shown.Entities, ", ")
	}
	if missing != nil {
		member.Probability = 0
	}
	if bySets && a.Question.IsTree() { // the answer has a degree of its own
		member.Probability = degree(r, shown, one)
	}
	run := &explain.Run{Question: a.Question.Question, Graph: a.Graph, Model: a.predictor(a.Asking.Execution), Rows: a.rows}
	e := run.Derive(member, explain.Derived{Normal: a.normal, Answer: one, Missing: missing})
	e.Operators, e.Shape, e.Entities = r.Operators, r.Shape, shown.Entities
	e.CutTo, e.Threshold = r.CutTo, a.Asking.least()
	err = run.Reasons(a.ctx, e, bounds)
	e.MS = milliseconds(a.prepared) + r.Stats.ProjectMS + r.Stats.CombineMS
	return e, err
}

// degree is that of an answer in the set that answered.
func degree(r *Result, shown Answer, one answer.Answer) float32 {
	for _, s := range r.Shown() {
		if s.Entity == shown.Entity && s.ID == shown.ID {
			return s.Probability
		}
	}
	if one.Known {
		return 1
	}
	return 0
}

// derive is the best derivation of a tuple or, where there is none, that without one of the links, which is missing.
func (a *answering) derive(tuple []kg.Entity) (best answer.Answer, missing *query.Link, err error) {
	judge := a.judge
	if judge == nil {
		judge = answer.NewJudge(a.rows, a.Asking.Logic)
	}
	one := []answer.Answer{{Entities: tuple}}
	if err := judge.Settle(a.ctx, a.normal, a.variables, one); err != nil || one[0].Probability > 0 {
		return one[0], nil, err
	}
	best = one[0]
	left, without := a.normal.Relaxations()
	for i, q := range left {
		near := []answer.Answer{{Entities: tuple}}
		if err := judge.Settle(a.ctx, q, a.variables, near); err != nil {
			return best, nil, err
		}
		if near[0].Probability > best.Probability {
			best, missing = near[0], &without[i]
		}
	}
	return best, missing, nil
}
