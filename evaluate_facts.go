package lacuna

import (
	"context"

	"github.com/lacuna-kg/lacuna/eval"
	"github.com/lacuna-kg/lacuna/kg"
)

// EvaluateFacts ranks the held-out facts of the engine's graph from both ends, the measure of link prediction. The engine fills in
// Model and Method; of the options By and Logic count.
func (e *Engine) EvaluateFacts(ctx context.Context, what eval.FactsOptions, options ...AskOption) (*eval.FactsReport, error) {
	chosen, err := e.choose(options)
	if err != nil {
		return nil, err
	}
	if g := what.Graph.Train; g != e.Graph && g.Hash() != e.Graph.Hash() {
		return nil, kg.Errorf(kg.Invalid, what.Name, "the facts are of another graph than %s", e.graph)
	}
	how := chosen.asking(Links, false).Execution
	if err := how.check(); err != nil {
		return nil, err
	}
	what.Model = Exact
	if p := e.predictor(how); p != nil {
		what.Model = p.Model.Name
	}
	if what.Method, err = e.method(ctx, how); err != nil {
		return nil, err
	}
	return eval.Facts(ctx, what)
}
