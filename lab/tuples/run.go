package tuples

import (
	"context"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/lacuna-kg/lacuna/dataset"
	"github.com/lacuna-kg/lacuna/eval"
	"github.com/lacuna-kg/lacuna/internal/parallel"
	"github.com/lacuna-kg/lacuna/join"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
)

// Run evaluates the questions of a split whose answers are tuples.
func Run(ctx context.Context, o Options) (*Report, error) {
	start := time.Now()
	o = o.withDefaults()
	types, err := o.questions()
	if err != nil {
		return nil, err
	}
	full, err := o.Split.FullGraph(ctx, o.Set.Graph)
	if err != nil {
		return nil, err
	}
	e := evaluation{Options: o, full: full}
	outcomes, err := e.answerAll(ctx, slices.Concat(types...))
	if err != nil {
		return nil, err
	}
	r := &Report{
		Dataset: filepath.Base(o.Set.Dir), Split: o.Split, Model: o.Model, Rules: rules,
		Graph: eval.GraphSize{Name: "training facts", Entities: o.Rows.Graph().NumEntities(), Triples: o.Rows.Graph().NumTriples()},
	}
	r.Method = eval.Description{Kind: "traversal"}
	if o.Rows.Predicts() {
		r.Method = eval.Description{Kind: "learned", By: "links", Followed: o.Follow.Most, FollowedFrom: o.Follow.Weight, Logic: o.Logic.Norm.String(), KeepKnown: true}
	}
	for _, all := range types {
		t := Type{Type: all[0].Type, Questions: len(all), Variables: len(all[0].Query.Answers)}
		if err := t.fill(all, outcomes[:len(all)], o.Yes); err != nil {
			return nil, err
		}
		r.Types, outcomes = append(r.Types, t), outcomes[len(all):]
	}
	r.Seconds = time.Since(start).Seconds()
	return r, nil
}

// evaluation is a run on its way.
type evaluation struct {
	Options
	full *kg.Graph
}

// outcome is what came of one question.
type outcome struct {
	joint, marginal, relaxed []float64 // ranks
	judged                   []judged
	given, right             bool // of a retrieval
	bounded                  bool
	took                     time.Duration
	err                      error
}

// answerAll asks all questions, whatever their type: nobody waits for a slow one but at the end.
func (e *evaluation) answerAll(ctx context.Context, all []dataset.TupleQuery) ([]outcome, error) {
	outcomes := make([]outcome, len(all))
	var done int
	var mutex sync.Mutex
	parallel.Each(ctx, len(all), func(i int) {
		outcomes[i] = e.answer(ctx, all[i])
		mutex.Lock()
		defer mutex.Unlock()
		if done++; e.Progress != nil {
			e.Progress(done, len(all), all[i].Type)
		}
	})
	return outcomes, kg.Stopped(ctx)
}

// fill sums outcomes up; what is as likely as yes counts as right.
func (t *Type) fill(all []dataset.TupleQuery, outcomes []outcome, yes float64) error {
	var joint, marginal, relaxed Ranking
	var tuples []judged
	var found Found
	took := make([]float64, len(outcomes))
	for i, o := range outcomes {
		if o.err != nil {
			return o.err
		}
		joint.addQuestion(o.joint)
		marginal.addQuestion(o.marginal)
		relaxed.addQuestion(o.relaxed)
		tuples = append(tuples, o.judged...)
		if all[i].Kind != "" {
			found.count(all[i].Kind, o)
			t.Found = &found
		}
		if o.bounded {
			t.Bounded++
		}
		took[i] = o.took.Seconds() * 1000
	}
	slices.Sort(took)
	t.MedianMS = took[len(took)/2]
	t.Joint, t.Marginal, t.Relaxed, t.Told = joint.mean(), marginal.mean(), relaxed.mean(), told(tuples, yes)
	found.Precision, found.Recall, found.F1 = f1(found.Right, found.Given, found.Answerable)
	return nil
}

func (f *Found) count(kind string, o outcome) {
	if kind != "n" {
		f.Answerable++
	}
	if o.given {
		f.Given++
	}
	if o.right {
		f.Right++
	}
}

// answer asks one question.
func (e *evaluation) answer(ctx context.Context, q dataset.TupleQuery) (o outcome) {
	start := time.Now()
	normal, err := query.Normalise(q.Query)
	if err != nil {
		return outcome{err: err}
	}
	a := asked{evaluation: e, TupleQuery: q, normal: normal, outcome: &o}
	switch {
	case q.Kind != "":
		o.err = a.retrieve(ctx)
	case len(q.Right)+len(q.Wrong) > 0:
		o.err = a.tell(ctx)
	default:
		o.err = a.rank(ctx)
	}
	o.took = time.Since(start)
	if o.err == nil && e.Relaxed != nil && len(q.Query.Answers) == 1 {
		o.relaxed, o.err = a.rankRelaxed(ctx)
	}
	return o
}

// asked is a question on its way.
type asked struct {
	*evaluation
	dataset.TupleQuery
	normal *query.Normal
	*outcome
}

// options let rows be computed for most of the time; what is there then has to do.
func (a asked) options() join.Options {
	return join.Options{Logic: a.Logic, Follow: a.Follow, Time: a.Time, ComputeUntil: time.Now().Add(a.Time / 4 * 3)}
}

// isBounded tells whether a search ended early, or went on without the rows that it wanted.
func isBounded(cut join.Cut, o join.Options) bool {
	return cut.Stopped != "" || time.Now().After(o.ComputeUntil)
}

// tell judges the right and the wrong tuples.
func (a asked) tell(ctx context.Context) error {
	options := a.options()
	judge := join.NewJudge(a.Rows, a.normal, options)
	for i, tuple := range slices.Concat(a.Right, a.Wrong) {
		degree, err := judge.Degree(ctx, a.variables(), tuple)
		if err != nil {
			return err
		}
		a.judged = append(a.judged, judged{degree, i < len(a.Right)})
	}
	a.bounded = isBounded(judge.Cut(), options)
	return nil
}

// retrieve gives the likeliest answer, where it is likely: nothing below that is looked for.
func (a asked) retrieve(ctx context.Context) error {
	options := a.options()
	options.Least = a.Yes
	search := join.New(a.Rows, a.normal, options)
	found, any, err := search.Next(ctx)
	a.bounded = isBounded(search.Cut(), options)
	if err != nil || !any || found.Degree < a.Yes {
		return err
	}
	a.given = true
	a.right, err = join.NewChecker(a.full, a.normal).Holds(ctx, a.variables(), found.Entities)
	return err
}

func (a asked) variables() []int {
	all := make([]int, a.normal.Answers)
	for i := range all {
		all[i] = i
	}
	return all
}
