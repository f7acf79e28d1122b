package lacuna

import (
	"cmp"
	"context"
	"slices"

	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/plan"
	"github.com/lacuna-kg/lacuna/query"
	"github.com/lacuna-kg/lacuna/sparql"
	"github.com/lacuna-kg/lacuna/sparql/predict"
	"github.com/lacuna-kg/lacuna/sparql/results"
)

// SPARQL answers a query of the subset of SPARQL that package sparql describes. Of
// ask only what changes the run counts: the logic, Plain, Exact and DoubtKnown.
func (e *Engine) SPARQL(ctx context.Context, text string, opts sparql.Options, ask AskOptions) (*results.Results, error) {
	return sparql.Run(ctx, text, e.Dataset(ask), opts)
}

// Dataset is the engine as package sparql sees it.
func (e *Engine) Dataset(ask AskOptions) sparql.Dataset {
	return sparql.Dataset{Graph: e.Graph, Predictor: predictor{e, ask}}
}

// predictor runs the expressions that queries in SPARQL are turned into.
type predictor struct {
	engine *Engine
	opts   AskOptions
}

// Predict implements predict.Predictor.
func (p predictor) Predict(ctx context.Context, exprs []query.Expr, floor float32) ([]predict.Prediction, error) {
	programs := make([]*plan.Program, len(exprs))
	for i, expr := range exprs {
		programs[i] = plan.Compile(expr, p.engine.compiling(p.opts))
	}
	runs, err := p.engine.run(ctx, programs, p.opts.Execution())
	if err != nil {
		return nil, err
	}
	defer runs.release()
	predictions := make([]predict.Prediction, len(exprs))
	for i, program := range programs {
		s := trace{runs, i}.sets(program.Result())
		predictions[i] = prediction(s.set, s.known, floor)
	}
	return predictions, nil
}

// prediction lists the members of a set from floor on, best first.
func prediction(degrees, known fuzzy.Set, floor float32) predict.Prediction {
	p := predict.Prediction{Cardinality: degrees.Cardinality()}
	for e, x := range degrees {
		if x >= floor && x > 0 {
			p.Members = append(p.Members, fuzzy.Member{Entity: kg.Entity(e), Degree: x})
		}
	}
	slices.SortStableFunc(p.Members, func(a, b fuzzy.Member) int { return cmp.Compare(b.Degree, a.Degree) })
	p.Known = make([]bool, len(p.Members))
	for i, m := range p.Members {
		p.Known[i] = known[m.Entity] > 0
	}
	return p
}
