package lacuna

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/lacuna-kg/lacuna/browse"
	"github.com/lacuna-kg/lacuna/exec"
	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/internal/pace"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/plan"
	"github.com/lacuna-kg/lacuna/query"
)

// Asking is how a question is answered, with every choice made: it is what options and
// the defaults behind them come to.
type Asking struct {
	Execution
	Threshold  float64 // answers below this probability are left out
	Limit, Top int     // the most answers to list and entities to name at each step
	Predicted  bool    // see the option
	Marginal   bool    // see the option
	Why        bool    // see the option
	Coverage   float64 // see the option; 0 for none
	Limits     Limits  // see the option Within
}

// Defaults of Limit and Top.
const (
	DefaultLimit = 20
	DefaultTop   = 5
)

// Execution is the part that changes what is computed. Questions with the same may run
// as one batch, however the rest differs.
type Execution struct {
	By                Way
	Logic             fuzzy.Logic
	Plain, DoubtKnown bool // see the options Plain and KeepKnown
	Literals          bool // see the option
}

// Question is a question made ready for a graph, and how it is to be answered.
type Question struct {
	*plan.Question
	Asking Asking

	taken    []string // which of several entities names mean, for people
	memory   int64
	prepared time.Duration // what preparing took
}

// Prepare parses a question, binds its names to the graph and compiles it.
func (e *Engine) Prepare(text string, options ...AskOption) (*Question, error) {
	asking, err := e.asking(options)
	if err != nil {
		return nil, err
	}
	start := time.Now()
	q, err := query.Parse(text)
	if err != nil {
		return nil, e.inWords(text, err)
	}
	question, err := plan.NewQuestion(q, e.Graph.Vocabulary, e.compiling(asking.Execution))
	if err != nil {
		err = browse.Meant(err, q, e.Graph)
		return nil, query.TellApart(err, func(x kg.Entity) string { return browse.Hint(e.Graph, x) })
	}
	prepared := &Question{Question: question, Asking: asking, taken: browse.Taken(q, e.Graph)}
	if prepared.IsTree() {
		prepared.memory = e.memory(prepared.Program, asking.Execution)
	}
	prepared.prepared = time.Since(start)
	return prepared, nil
}

// inWords says of a question in words, which is no formula, what was expected. Other errors stay as they are.
func (e *Engine) inWords(text string, err error) error {
	if !browse.IsSentence(text) {
		return err
	}
	example := "?x : R(x, NAME)"
	if examples := browse.Examples(e.Graph); len(examples) > 0 {
		example = examples[0].Question
	}
	return kg.Errorf(kg.Invalid, "query", "this is a sentence: expected a formula of names that the graph has, such as %s; look up names and relations first", example)
}

// asking are the choices for a question: by the model's links if there is one, and never doubting what the graph states.
func (e *Engine) asking(options []AskOption) (Asking, error) {
	chosen, err := e.choose(options)
	if e.model == nil {
		chosen.by = Exact
	}
	asking := chosen.asking(Links, true)
	if asking.Coverage > 0 {
		asking.Threshold, asking.Limit = 0, All
	}
	if err == nil {
		err = cmp.Or(asking.Execution.check(), asking.checkCoverage())
	}
	return asking, err
}

func (e *Engine) compiling(how Execution) plan.Options {
	return plan.Options{Rewrites: e.passes(how), NoSharing: how.Plain}
}

// passes are the rewrites that leave the answers as they are.
func (e *Engine) passes(how Execution) []query.Pass {
	switch {
	case how.Plain:
		return nil
	case e.logic(how).Negation != 0:
		return query.AnyNegation
	}
	return query.Passes
}

// Ask answers one question.
func (e *Engine) Ask(ctx context.Context, text string, options ...AskOption) (*Result, error) {
	q, err := e.Prepare(text, options...)
	if err != nil {
		return nil, err
	}
	results, err := e.Answer(ctx, q)
	if err != nil {
		return nil, err
	}
	return results[0], nil
}

// Answer runs prepared questions as one batch: what several of them need is computed once. They may differ in what is wanted of the
// outcome, but not in their Execution. Those that are no tree are joined one after the other.
func (e *Engine) Answer(ctx context.Context, questions ...*Question) ([]*Result, error) {
	results := make([]*Result, len(questions))
	var trees []*Question
	var places []int // of the trees
	for i, q := range questions {
		if q.Asking.Execution != questions[0].Asking.Execution {
			return nil, fmt.Errorf("all questions of a batch must run the same way: found %+v and %+v", questions[0].Asking.Execution, q.Asking.Execution)
		}
		if q.IsTree() {
			trees, places = append(trees, q), append(places, i)
			continue
		}
		a, err := e.answering(ctx, q)
		if err != nil {
			return nil, err
		}
		if results[i], err = a.ofJoin(); err != nil {
			return nil, err
		}
	}
	answered, err := e.answerTrees(ctx, trees)
	for i, place := range places[:len(answered)] {
		results[place] = answered[i]
	}
	return results, err
}

// answerTrees runs questions of one Execution as one batch.
func (e *Engine) answerTrees(ctx context.Context, questions []*Question) ([]*Result, error) {
	if len(questions) == 0 {
		return nil, nil
	}
	execution := questions[0].Asking.Execution
	programs := make([]*plan.Program, len(questions))
	for i, q := range questions {
		programs[i] = q.Program
	}
	runs, err := e.run(ctx, programs, execution)
	if err != nil {
		return nil, err
	}
	defer runs.release()
	results := make([]*Result, len(questions))
	for i, q := range questions {
		a, err := e.answering(ctx, q)
		if err != nil {
			return nil, err
		}
		if results[i], err = a.ofTree(trace{runs, i}); err != nil {
			return nil, err
		}
	}
	return results, nil
}

// runs is a batch as the engine ran it and as traversal runs it, both the same without a model.
type runs struct {
	run, exact *exec.Run
	unlock     func()
}

func (r *runs) release() {
	if r.run != nil {
		r.run.Release()
	}
	if r.exact != r.run {
		r.exact.Release()
	}
	r.unlock()
}

// run executes the programs by traversal and, with a model, once more by that. By sets the
// device stays locked until the runs are released, as their sets live on it.
func (e *Engine) run(ctx context.Context, programs []*plan.Program, how Execution) (*runs, error) {
	batch := &runs{unlock: func() {}}
	machine := exec.Machine{Executor: e.exact, Logic: how.Logic, Share: !how.Plain}
	var err error
	if batch.exact, err = machine.Run(ctx, programs); err != nil {
		return nil, err
	}
	switch {
	case e.predictor(how) == nil:
		batch.run = batch.exact
	case how.By == Links:
		batch.run, err = e.runByLinks(ctx, programs, how)
	default:
		batch.run, err = e.runBySets(ctx, machine, programs, how)
		batch.unlock = e.model.Unlock
	}
	if err != nil {
		batch.release()
		return nil, err
	}
	return batch, nil
}

// runBySets runs programs by the model's projections of whole sets, and leaves the model locked.
func (e *Engine) runBySets(ctx context.Context, machine exec.Machine, programs []*plan.Program, how Execution) (*exec.Run, error) {
	e.model.Lock()
	returns := false
	defer func() {
		if !returns { // it panics, and nobody else will unlock the model
			e.model.Unlock()
		}
	}()
	run, err := e.runLocked(pace.Still(ctx), machine, programs, how)
	returns = true
	return run, err
}

func (e *Engine) runLocked(ctx context.Context, machine exec.Machine, programs []*plan.Program, how Execution) (*exec.Run, error) {
	executor, err := e.model.Executor(ctx, !how.DoubtKnown)
	if err != nil {
		return nil, err
	}
	if !how.Literals {
		executor.Admits = e.links.ranges.Admitted
	}
	if e.Graph.NumDenied() > 0 {
		executor.Denied = e.Graph.DeniedTails
	}
	machine.Executor, machine.Logic, machine.Cache = executor, e.logic(how), e.cached(how)
	return machine.Run(ctx, programs)
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

// Links is how many relation steps the question has.
func (q *Question) Links() int {
	if q.IsTree() {
		return q.Program.Projections()
	}
	return countLinks(q.Normal.Body)
}

func countLinks(c query.Condition) int {
	if _, ok := c.(query.Link); ok {
		return 1
	}
	n := 0
	for _, part := range query.Parts(c) {
		n += countLinks(part)
	}
	return n
}
