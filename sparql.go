package lacuna

import (
	"cmp"
	"context"
	"slices"

	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/plan"
	"github.com/lacuna-kg/lacuna/query"
	"github.com/lacuna-kg/lacuna/sparql"
	"github.com/lacuna-kg/lacuna/sparql/predict"
	"github.com/lacuna-kg/lacuna/sparql/results"
	"github.com/lacuna-kg/lacuna/sparql/syntax"
)

// SPARQL answers a query in SPARQL, as package sparql describes: exactly, as
// the recommendation defines it or, By(Links) or By(Sets), with predictions and their probabilities.
// Threshold, Logic, Plain and KeepKnown count for these; lists are as long as the query says.
func (e *Engine) SPARQL(ctx context.Context, text string, options ...AskOption) (*results.Results, error) {
	q, err := syntax.Parse(text, sparql.Prefixes(e.Graph)...)
	if err != nil {
		return nil, err
	}
	return e.SPARQLQuery(ctx, q, options...)
}

// SPARQLQuery is SPARQL of a query that is parsed already.
func (e *Engine) SPARQLQuery(ctx context.Context, q *syntax.Query, options ...AskOption) (*results.Results, error) {
	chosen, err := e.choose(options)
	if err != nil {
		return nil, err
	}
	how := chosen.asking(Exact, true)
	var run sparql.Options
	if chosen.threshold {
		run.Threshold = float64(how.least())
	}
	if how.By != Exact {
		run.Mode = sparql.Predict
	}
	return sparql.RunQuery(ctx, q, sparql.Dataset{Graph: e.Graph, Name: e.graph, Predictor: predictor{e, how.Execution}}, run)
}

// Dataset is the engine as package sparql sees it, for those who choose between exact and
// predicted answers with every query.
func (e *Engine) Dataset() sparql.Dataset {
	return sparql.Dataset{Graph: e.Graph, Name: e.graph, Predictor: predictor{e, e.usual.asking(Links, true).Execution}}
}

// predictor runs the expressions that queries in SPARQL are turned into.
type predictor struct {
	engine *Engine
	how    Execution
}

// Predict implements predict.Predictor.
func (p predictor) Predict(ctx context.Context, exprs []query.Expr, floor float32) ([]predict.Prediction, error) {
	programs := make([]*plan.Program, len(exprs))
	for i, expr := range exprs {
		programs[i] = plan.Compile(expr, p.engine.compiling(p.how))
	}
	runs, err := p.engine.run(ctx, programs, p.how)
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

// Join implements predict.Predictor.
func (p predictor) Join(ctx context.Context, q *query.Normal, floor float32, most int) ([]predict.Tuple, *results.Cut, error) {
	j, err := p.engine.newJoining(ctx, &Question{Question: &plan.Question{Normal: q}, Asking: Asking{Execution: p.how}})
	if err != nil {
		return nil, nil, err
	}
	search := j.search(j.answers, float64(floor), false)
	found, err := search.All(ctx, most)
	if err != nil {
		return nil, nil, err
	}
	tuples := make([]predict.Tuple, 0, len(found))
	for _, a := range found {
		known, err := j.isKnown(j.answers, a)
		if err != nil {
			return nil, nil, err
		}
		if p := j.probability(a.Degree, known); p >= float64(floor) {
			tuples = append(tuples, predict.Tuple{Entities: a.Entities, Degree: float32(p), Known: known})
		}
	}
	return tuples, (*results.Cut)(cutOf(search)), nil
}

// prediction lists the members of a set from floor on, best first.
func prediction(degrees, known fuzzy.View, floor float32) predict.Prediction {
	p := predict.Prediction{Cardinality: degrees.Cardinality()}
	for e, x := range degrees.All() {
		if x >= floor {
			p.Members = append(p.Members, fuzzy.Member{Entity: e, Degree: x})
		}
	}
	slices.SortStableFunc(p.Members, func(a, b fuzzy.Member) int { return cmp.Compare(b.Degree, a.Degree) })
	p.Known = make([]bool, len(p.Members))
	for i, m := range p.Members {
		p.Known[i] = known.At(m.Entity) > 0
	}
	return p
}
