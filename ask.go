package lacuna

import (
	"context"
	"fmt"
	"time"

	"github.com/lacuna-kg/lacuna/exec"
	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/plan"
	"github.com/lacuna-kg/lacuna/query"
)

// AskOptions says how a question is run and how much of the outcome is wanted. The zero value is a good default.
type AskOptions struct {
	Logic     fuzzy.Logic
	Limit     int     // the most answers to give; 0 means DefaultLimit, negative all
	Top       int     // the most entities to name at each step; 0 means DefaultTop
	Threshold float64 // answers below this probability are left out; 0 means fuzzy.Threshold
	Mixed     bool    // of a list that is cut short, give up to half of the places to predictions: known members come first
	Plain     bool    // run the question as it stands: no rewriting, no sharing of equal parts
	Exact     bool    // traversal alone, though the engine has a model
	// DoubtKnown lets the model judge facts that the graph states, too. Without it
	// each projection is the maximum of the learned and the exact set.
	DoubtKnown bool
}

// Defaults of AskOptions.
const (
	DefaultLimit = 20
	DefaultTop   = 5
)

func (o AskOptions) withDefaults() AskOptions {
	if o.Limit == 0 {
		o.Limit = DefaultLimit
	}
	if o.Top == 0 {
		o.Top = DefaultTop
	}
	if o.Threshold == 0 {
		o.Threshold = fuzzy.Threshold
	}
	return o
}

// Execution is the part of the options that changes what is computed. Questions
// with the same may run as one batch, however the rest differs.
type Execution struct {
	Logic                    fuzzy.Logic
	Plain, Exact, DoubtKnown bool
}

// Execution is how questions with these options run.
func (o AskOptions) Execution() Execution {
	return Execution{o.Logic, o.Plain, o.Exact, o.DoubtKnown}
}

// Question is a question made ready for a graph, and how it is to be answered.
type Question struct {
	*plan.Question
	Options AskOptions

	prepared time.Duration // what that took
}

// Sets is how many sets of entities answering the question takes at most.
func (q *Question) Sets() int {
	sets := 0
	for _, in := range q.Program.Code {
		if in.Op != plan.Load {
			sets++
		}
	}
	return sets
}

// Prepare parses a question, binds its names to the graph and compiles it.
func (e *Engine) Prepare(text string, opts AskOptions) (*Question, error) {
	start := time.Now()
	q, err := query.Parse(text)
	if err != nil {
		return nil, err
	}
	question, err := plan.NewQuestion(q, e.Graph.Vocabulary, e.compiling(opts))
	if err != nil {
		return nil, err
	}
	return &Question{question, opts, time.Since(start)}, nil
}

func (e *Engine) compiling(opts AskOptions) plan.Options {
	return plan.Options{Rewrites: e.passes(opts), NoSharing: opts.Plain}
}

// passes are the rewrites that leave the answers as they are.
func (e *Engine) passes(opts AskOptions) []query.Pass {
	switch {
	case opts.Plain:
		return nil
	case e.logic(opts.Execution()).Negation != 0:
		return query.AnyNegation
	}
	return query.Passes
}

// Ask answers one question.
func (e *Engine) Ask(ctx context.Context, text string, opts AskOptions) (*Result, error) {
	results, err := e.AskAll(ctx, []string{text}, opts)
	if err != nil {
		return nil, err
	}
	return results[0], nil
}

// AskAll answers several questions as one batch.
func (e *Engine) AskAll(ctx context.Context, texts []string, opts AskOptions) ([]*Result, error) {
	questions := make([]*Question, len(texts))
	for i, text := range texts {
		q, err := e.Prepare(text, opts)
		if err != nil {
			return nil, err
		}
		questions[i] = q
	}
	return e.Answer(ctx, questions)
}

// Answer runs prepared questions as one batch. Their options may differ in what is
// wanted of the outcome, but not in their Execution. What several of them need is computed once.
func (e *Engine) Answer(ctx context.Context, questions []*Question) ([]*Result, error) {
	if len(questions) == 0 {
		return nil, nil
	}
	execution := questions[0].Options.Execution()
	programs := make([]*plan.Program, len(questions))
	for i, q := range questions {
		if q.Options.Execution() != execution {
			return nil, fmt.Errorf("questions of one batch that are to run differently: %+v and %+v", execution, q.Options.Execution())
		}
		programs[i] = q.Program
	}
	runs, err := e.run(ctx, programs, execution)
	if err != nil {
		return nil, err
	}
	defer runs.release()
	results := make([]*Result, len(questions))
	for i, q := range questions {
		results[i] = e.result(q, trace{runs, i}, q.Options.withDefaults())
		results[i].Stats = newStats(e.Graph, q.prepared, runs.run.Stats)
	}
	return results, nil
}

// runs is a batch as the engine ran it, as traversal runs it, both the same without
// a model, and as traversal of the truth does, nil without one.
type runs struct {
	run, exact, truth *exec.Run
	unlock            func()
}

func (r *runs) release() {
	if r.run != nil {
		r.run.Release()
	}
	if r.exact != r.run {
		r.exact.Release()
	}
	if r.truth != nil {
		r.truth.Release()
	}
	r.unlock()
}

// run executes the programs by traversal and, with a model, once more by that. The
// device stays locked until the runs are released, as their sets live on it.
func (e *Engine) run(ctx context.Context, programs []*plan.Program, how Execution) (*runs, error) {
	batch := &runs{unlock: func() {}}
	machine := exec.Machine{Executor: e.exact, Logic: how.Logic, Share: !how.Plain}
	var err error
	if batch.exact, err = machine.Run(ctx, programs); err != nil {
		return nil, err
	}
	if err = e.judge(ctx, how, batch); err == nil {
		if e.model == nil || how.Exact {
			batch.run = batch.exact
			return batch, nil
		}
		e.model.Lock()
		batch.unlock = e.model.Unlock
		machine.Executor, machine.Logic, machine.Cache = e.model.Executor(!how.DoubtKnown), e.logic(how), e.cached(how)
		batch.run, err = machine.Run(ctx, programs)
	}
	if err != nil {
		batch.release()
		return nil, err
	}
	return batch, nil
}

// Stats says what answering took. Questions asked together share their times.
type Stats struct {
	Entities    int     `json:"entities"`
	Triples     int     `json:"triples"`
	Questions   int     `json:"questions"`
	Projections int     `json:"projections"` // computed
	Recalled    int     `json:"recalled"`    // projections found in the cache
	Shared      int     `json:"shared"`      // projections that another part of the batch computed
	Batches     []int   `json:"batches"`
	PrepareMS   float64 `json:"prepare_ms"`
	ProjectMS   float64 `json:"project_ms"`
	CombineMS   float64 `json:"combine_ms"`
}

func newStats(g *kg.Graph, prepared time.Duration, run exec.Stats) Stats {
	return Stats{
		Entities: g.NumEntities(), Triples: g.NumTriples(),
		Questions: run.Programs, Projections: run.Projections, Recalled: run.Recalled, Shared: run.Shared, Batches: run.Batches,
		PrepareMS: milliseconds(prepared), ProjectMS: milliseconds(run.Projecting), CombineMS: milliseconds(run.Combining),
	}
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
