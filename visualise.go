package lacuna

import (
	"context"
	"fmt"

	"github.com/lacuna-kg/lacuna/exec"
	"github.com/lacuna-kg/lacuna/explain"
	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/plan"
	"github.com/lacuna-kg/lacuna/query"
)

// Visualise shows the variables of a benchmark query as the paper does: the top easy and
// hard entities of each, judged by the engine's truth, and a random true grounding, drawn
// by the seed, that ends in one of the hard answers. The query runs as it stands, and
// without KeepKnown facts are doubted like everything else, as they are in evaluation.
func (e *Engine) Visualise(ctx context.Context, expr query.Expr, hard []kg.Entity, seed uint64, options ...AskOption) (*explain.Visualisation, error) {
	if e.Truth == nil {
		return nil, fmt.Errorf("the engine has no truth to judge by")
	}
	chosen, err := e.choose(options)
	if err != nil {
		return nil, err
	}
	how := chosen.asking(Sets, false)
	how.Plain = true
	question := plan.QuestionOf(expr, plan.Options{NoSharing: true})
	runs, err := e.run(ctx, []*plan.Program{question.Program}, how.Execution)
	if err != nil {
		return nil, err
	}
	defer runs.release()
	t := trace{runs, 0}
	machine := exec.Machine{Executor: traversal(e.Truth), Logic: how.Logic}
	judged, err := machine.Run(ctx, []*plan.Program{question.Program})
	if err != nil {
		return nil, err
	}
	defer judged.Release()
	b := explain.Benchmark{
		Run:  explain.Run{Question: question, Graph: e.Graph},
		Sets: func(i int) (set, known fuzzy.View) { s := t.sets(i); return s.set, s.known },
		Full: e.Truth, Truth: func(i int) fuzzy.Set { return judged.View(0, i).Dense() }, Hard: hard, Seed: seed,
	}
	return b.Visualise(ctx)
}
