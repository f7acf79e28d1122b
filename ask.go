package lacuna

import (
	"context"
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

// Question is a question made ready for a graph: parsed, bound and compiled.
type Question struct {
	Text    string // the logical form, as query.Query prints it
	Expr    query.Expr
	Program *plan.Program
}

// Prepare parses a question, binds its names to the graph and compiles it.
func (e *Engine) Prepare(text string, opts AskOptions) (*Question, error) {
	q, err := query.Parse(text)
	if err != nil {
		return nil, err
	}
	expr, err := query.Bind(q, e.Graph.Vocabulary)
	if err != nil {
		return nil, err
	}
	return &Question{Text: q.String(), Expr: expr, Program: compile(expr, opts)}, nil
}

func compile(expr query.Expr, opts AskOptions) *plan.Program {
	if opts.Plain {
		return plan.Compile(expr, plan.Options{NoSharing: true})
	}
	return plan.Compile(query.Rewrite(expr, query.Passes...), plan.Options{})
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
	start := time.Now()
	questions, programs := make([]*Question, len(texts)), make([]*plan.Program, len(texts))
	for i, text := range texts {
		q, err := e.Prepare(text, opts)
		if err != nil {
			return nil, err
		}
		questions[i], programs[i] = q, q.Program
	}
	prepared := time.Since(start)
	runs, err := e.run(ctx, programs, opts)
	if err != nil {
		return nil, err
	}
	defer runs.release()
	results := make([]*Result, len(questions))
	for i, q := range questions {
		results[i] = e.result(q, trace{runs, i}, opts.withDefaults())
		results[i].Stats = newStats(e.Graph, prepared, runs.run.Stats)
	}
	return results, nil
}

// runs is a batch as the engine ran it, and as traversal runs it; both are the same without a model.
type runs struct {
	run, exact *exec.Run
	unlock     func()
}

func (r *runs) release() {
	r.run.Release()
	if r.exact != r.run {
		r.exact.Release()
	}
	r.unlock()
}

// run executes the programs by traversal and, with a model, once more by that. The
// device stays locked until the runs are released, as their sets live on it.
func (e *Engine) run(ctx context.Context, programs []*plan.Program, opts AskOptions) (*runs, error) {
	machine := exec.Machine{Executor: e.exact, Logic: opts.Logic}
	exact, err := machine.Run(ctx, programs)
	if err != nil || e.model == nil || opts.Exact {
		return &runs{exact, exact, func() {}}, err
	}
	e.model.mutex.Lock()
	machine.Executor = e.model.executor(!opts.DoubtKnown)
	run, err := machine.Run(ctx, programs)
	if err != nil {
		e.model.mutex.Unlock()
		return nil, err
	}
	return &runs{run, exact, e.model.mutex.Unlock}, nil
}

// Stats says what answering took. Questions asked together share their times.
type Stats struct {
	Entities    int     `json:"entities"`
	Triples     int     `json:"triples"`
	Questions   int     `json:"questions"`
	Projections int     `json:"projections"`
	Batches     []int   `json:"batches"`
	PrepareMS   float64 `json:"prepare_ms"`
	ProjectMS   float64 `json:"project_ms"`
	CombineMS   float64 `json:"combine_ms"`
}

func newStats(g *kg.Graph, prepared time.Duration, run exec.Stats) Stats {
	return Stats{
		Entities: g.NumEntities(), Triples: g.NumTriples(),
		Questions: run.Programs, Projections: run.Projections, Batches: run.Batches,
		PrepareMS: milliseconds(prepared), ProjectMS: milliseconds(run.Projecting), CombineMS: milliseconds(run.Combining),
	}
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
