package lacuna

import (
	"context"
	"strings"
	"time"

	"github.com/lacuna-kg/lacuna/explain"
	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/join"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
)

// ExplainTuple is ExplainQuestion of a question with several answer variables, an entity for each of them; none is the likeliest
// prediction or, without any, the likeliest answer. Of a question of yes or no there are none to name.
func (e *Engine) ExplainTuple(ctx context.Context, q *Question, entities []string, bounds explain.Options) (*Result, *explain.Explanation, error) {
	if q.IsTree() {
		if len(entities) > 1 {
			return nil, nil, kg.Errorf(kg.Invalid, "", "the question has one answer variable: name one entity (got %d)", len(entities))
		}
		return e.ExplainQuestion(ctx, q, strings.Join(entities, ""), bounds)
	}
	start := time.Now()
	j, err := e.newJoining(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	result, err := e.answerJoin(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	tuple, found, err := j.toExplain(result, entities)
	if err != nil || !found {
		return result, nil, err
	}
	explanation, err := j.explain(tuple, bounds)
	if err != nil {
		return nil, nil, err
	}
	explanation.CutTo, explanation.Threshold = result.CutTo, q.Asking.least()
	explanation.MS = milliseconds(q.prepared + time.Since(start))
	return result, explanation, nil
}

// toExplain is the answer that was named, or else the best prediction, else the best answer.
func (j *joining) toExplain(r *Result, names []string) ([]kg.Entity, bool, error) {
	if len(names) == 0 && j.Normal.Answers > 0 {
		shown := r.Shown()
		if len(shown) == 0 {
			return nil, false, nil
		}
		best := shown[0]
		for _, a := range shown {
			if !a.Known {
				best = a
				break
			}
		}
		names = best.identifiers()
	}
	if len(names) != j.Normal.Answers {
		return nil, false, kg.Errorf(kg.Invalid, "", "the question has %s: name an entity for each, one by one (got %d)", count.Of(j.Normal.Answers, "answer variable"), len(names))
	}
	tuple := make([]kg.Entity, len(names))
	for i, name := range names {
		var err error
		if tuple[i], err = query.FindEntity(name, j.Graph.Vocabulary); err != nil {
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

// explain says why a tuple answers, or what lacks that it would.
func (j *joining) explain(tuple []kg.Entity, bounds explain.Options) (*explain.Explanation, error) {
	found, derived, err := j.derive(j.Normal, tuple)
	if err != nil {
		return nil, err
	}
	known, err := j.known.Holds(j.ctx, j.answers, tuple)
	if err != nil {
		return nil, err
	}
	answer := explain.Member{Probability: float32(j.probability(found.Degree, known)), Known: known}
	if found.Degree == 0 {
		if derived, err = j.nearest(tuple); err != nil {
			return nil, err
		}
	}
	named := j.named(tuple)
	answer.Entity, answer.ID = named.Entity, named.ID
	if len(named.Entities) > 0 {
		answer.Entity = strings.Join(named.Entities, ", ")
	}
	run := &explain.Run{Question: j.Question.Question, Graph: j.Graph, Model: j.predictor(j.Asking.Execution), Logic: j.Asking.Logic}
	if run.Model != nil {
		executor, err := j.links.ready(j.ctx, j.Asking.Literals)
		if err != nil {
			return nil, err
		}
		run.Links = &executor
	}
	e := run.Derive(answer, derived)
	e.Entities = named.Entities
	return e, run.Reasons(j.ctx, e, bounds)
}

// derive finds the best derivation of a tuple, of degree 0 where there is none.
func (j *joining) derive(q *query.Normal, tuple []kg.Entity) (join.Answer, explain.Derived, error) {
	search := join.NewGiven(j.rows, q, tuple, join.Options{Logic: j.Asking.Logic, Follow: j.follow, Time: joinTime})
	found, any, err := search.Next(j.ctx)
	derived := explain.Derived{Normal: j.Normal, Value: func(v int) (kg.Entity, bool) {
		if v < len(tuple) {
			return tuple[v], true
		}
		return found.Value(v)
	}}
	if err != nil || !any {
		return found, derived, err
	}
	steps, err := search.Derivation(j.ctx, found)
	for _, s := range steps {
		derived.Links = append(derived.Links, explain.DerivedLink{Fact: s.Read, Probability: float32(s.Degree), Known: s.Stated})
	}
	return found, derived, err
}

// nearest is the best derivation of a tuple without one of the links, where there is none with all of them.
func (j *joining) nearest(tuple []kg.Entity) (explain.Derived, error) {
	best, derived := 0.0, explain.Derived{}
	left, without := j.Normal.Relaxations()
	for i, q := range left {
		found, way, err := j.derive(q, tuple)
		if err != nil {
			return derived, err
		}
		if derived.Normal == nil || found.Degree > best {
			best, derived = found.Degree, way
			if found.Degree > 0 {
				derived.Missing = &without[i]
			}
		}
	}
	if derived.Normal == nil { // no link that could be left out
		_, way, err := j.derive(j.Normal, tuple)
		return way, err
	}
	return derived, nil
}
