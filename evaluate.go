package lacuna

import (
	"context"

	"github.com/lacuna-kg/lacuna/eval"
	"github.com/lacuna-kg/lacuna/exec"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/neural"
)

// Evaluate ranks the hard answers of a query set among all entities that are no answers,
// the paper's measure. The set must be of the engine's graph; the engine fills in Model and,
// where it is nil, Method.
func (e *Engine) Evaluate(ctx context.Context, what eval.Options, options ...AskOption) (*eval.Report, error) {
	if g := what.Set.Graph.Train; g != e.Graph && g.Hash() != e.Graph.Hash() {
		return nil, kg.Errorf(kg.Invalid, what.Set.Dir, "the queries are of another graph than %s", e.Name)
	}
	name, method, err := e.Method(ctx, options...)
	if err != nil {
		return nil, err
	}
	if what.Model = name; what.Method == nil {
		what.Method = method
	}
	return eval.Run(ctx, what)
}

// Method is how the engine answers, as package eval measures it, and the name of the model. Of the options Logic and By count and, by Sets,
// KeepKnown, which is off by default: facts are doubted like everything else, as in the paper.
func (e *Engine) Method(ctx context.Context, options ...AskOption) (name string, method eval.Method, err error) {
	chosen, err := e.choose(options)
	if err != nil {
		return "", nil, err
	}
	how := chosen.asking(Links, false).Execution
	if err := how.check(); err != nil {
		return "", nil, err
	}
	p := e.predictor(how)
	if p == nil {
		return Exact, eval.NewTraversal(e.Graph), nil
	}
	if how.By == Links {
		executor, err := e.links.ranking(ctx)
		return p.Model.Name, eval.ByLinks{Executor: executor, Logic: how.Logic, Device: p.Model.Network.Device().Name()}, err
	}
	var executor exec.OnDevice
	p.Locked(func() { executor, err = p.Executor(ctx, !how.DoubtKnown) })
	return p.Model.Name, eval.Alone{Method: eval.Learned{Executor: executor, Logic: p.Logic(how.Logic)}, Model: p}, err
}

// Estimate says what to expect of the model on this graph: it hides some of the graph's
// facts and asks for them. The engine fills in Graph and Model. A model that was trained on
// these very facts (Seen) finds them all too well. Questions are answered meanwhile.
func (e *Engine) Estimate(ctx context.Context, how eval.FitOptions) (*eval.Fit, error) {
	model, err := e.own("estimate: plain traversal predicts nothing")
	if err != nil {
		return nil, err
	}
	how.Graph, how.Model = e.Graph, model
	return eval.Estimate(ctx, how)
}

// own is the engine's model, to be put on other graphs. Without one the error says what lacks.
func (e *Engine) own(lacks string) (*neural.Model, error) {
	if e.model == nil {
		return nil, kg.Errorf(kg.Invalid, "", "%s, expected a model", lacks)
	}
	return e.model.Model, nil
}
