package lacuna

import (
	"context"

	"github.com/lacuna-kg/lacuna/calibrate"
	"github.com/lacuna-kg/lacuna/checkpoint"
	"github.com/lacuna-kg/lacuna/eval"
	"github.com/lacuna-kg/lacuna/exec"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/neural"
)

// Evaluate ranks the hard answers of a query set among all entities that are no answers,
// the paper's measure. The set must be of the engine's graph; the engine fills in Model and,
// where it is nil, Method. Of the options Logic and By count then and, by Sets, KeepKnown, which is
// off by default: facts are doubted like everything else, as in the paper.
func (e *Engine) Evaluate(ctx context.Context, what eval.Options, options ...AskOption) (*eval.Report, error) {
	chosen, err := e.choose(options)
	if err != nil {
		return nil, err
	}
	if g := what.Set.Graph.Train; g != e.Graph && g.Hash() != e.Graph.Hash() {
		return nil, kg.Errorf(kg.Invalid, what.Set.Dir, "the queries are of another graph than %s", e.graph)
	}
	how := chosen.asking(Links, false).Execution
	if err := how.check(); err != nil {
		return nil, err
	}
	what.Model = Exact
	if p := e.predictor(how); p != nil {
		what.Model = p.Model.Name
	}
	if what.Method == nil {
		if what.Method, err = e.method(ctx, how); err != nil {
			return nil, err
		}
	}
	return eval.Run(ctx, what)
}

func (e *Engine) method(ctx context.Context, how Execution) (eval.Method, error) {
	p := e.predictor(how)
	if p == nil {
		return eval.NewTraversal(e.Graph), nil
	}
	if how.By == Links {
		executor, err := e.links.ranking(ctx)
		return eval.ByLinks{Executor: executor, Logic: how.Logic, Device: p.Model.Network.Device().Name()}, err
	}
	var executor exec.OnDevice
	var err error
	p.Locked(func() { executor, err = p.Executor(ctx, !how.DoubtKnown) })
	return eval.Alone{Method: eval.Learned{Executor: executor, Logic: p.Logic(how.Logic)}, Model: p}, err
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

// Calibrate makes the probabilities of the engine's model mean what they say on this graph, and
// writes the model so adjusted to a file, which is a Model for Open. The engine goes on
// with the model as it was; questions wait until it is done. The engine fills in Graph and Model.
func (e *Engine) Calibrate(ctx context.Context, file string, how calibrate.Options) (*calibrate.Report, error) {
	model, done, err := e.borrow("calibrate: plain traversal has no probabilities to calibrate")
	if err != nil {
		return nil, err
	}
	defer done()
	how.Graph, how.Model = e.Graph, model
	report, err := calibrate.Run(ctx, how)
	if err != nil {
		return nil, err
	}
	if err := report.Sign(&model.Card, model.Name, e.graph); err != nil {
		return nil, err
	}
	return report, model.Save(file, checkpoint.Single)
}

// own is the engine's model, to be put on other graphs. Without one the error says what lacks.
func (e *Engine) own(lacks string) (*neural.Model, error) {
	if e.model == nil {
		return nil, kg.Errorf(kg.Invalid, "", "%s, expected a model", lacks)
	}
	return e.model.Model, nil
}

// borrow opens the engine's model once more on its device, for those who change it. The device is the borrower's until done.
func (e *Engine) borrow(lacks string) (model *neural.Model, done func(), err error) {
	own, err := e.own(lacks)
	if err != nil {
		return nil, nil, err
	}
	own.Lock()
	if model, err = neural.OpenModel(own.Name, own.Network.Device()); err != nil {
		own.Unlock()
		return nil, nil, err
	}
	return model, func() { model.Close(); own.Unlock() }, nil
}
