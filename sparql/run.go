package sparql

import (
	"context"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/sparql/algebra"
	"github.com/lacuna-kg/lacuna/sparql/eval"
	"github.com/lacuna-kg/lacuna/sparql/limit"
	"github.com/lacuna-kg/lacuna/sparql/predict"
	"github.com/lacuna-kg/lacuna/sparql/results"
	"github.com/lacuna-kg/lacuna/sparql/syntax"
)

// Mode says which answers are wanted.
type Mode uint8

const (
	// Exact answers are what the graph states, as the recommendation defines them.
	Exact Mode = iota
	// Predict gives answers of the fuzzy machine with their probabilities.
	Predict
)

// ParseMode reads the name of a mode.
func ParseMode(name string) (Mode, error) {
	switch name {
	case "exact":
		return Exact, nil
	case "predict":
		return Predict, nil
	}
	return Exact, kg.Errorf(kg.Invalid, "", "mode %q: expected exact or predict", name)
}

// Dataset is what a query is asked of. The predictor may be nil where only exact answers are wanted.
type Dataset struct {
	Graph     *kg.Graph
	Name      string // what the graph is called, as the file that it came from, which FROM may name; "" for none
	Predictor predict.Predictor
	// Strict has the default graph be the one without a name, where there are others: else it is what all state together, of which
	// facts are predicted, too.
	Strict bool
	From   []syntax.From // that a request says, in place of those of the query; nil where it says nothing
	Remote Remote        // other servers, for SERVICE and LOAD; nil for none
	// Search finds names of entities by an index, at most so many (see Matches), if it has one; nil to look at all names.
	Search func(text string, most int) (names []string, ok bool)
	within string // the IRI of the graph that is the default one for now; "" for none
}

// Options says how a query is run. The zero value gives exact answers.
type Options struct {
	Mode      Mode
	Threshold float64 // of Predict: the least probability of an answer; 0 means the default of package predict
	Predicted bool    // of Predict: leave out what the graph states
	Limits    Limits
	Without   []string // of Exact: passes of package algebra that are left out, by their names
}

// Limits of an evaluation. A zero means the default, which suits a request to a server.
type Limits struct {
	Solutions   int // the most solutions to give; beyond, the query is refused
	Work        int // of Exact: triples looked at and solutions combined
	Memory      int // bytes of what is kept for sorting, distinct solutions, joins, computed terms and facts to change; less than 0 for no limit
	Assignments int // of Predict: solutions that an OPTIONAL extends one by one
	// Pool is memory that all queries share which have it: each draws what it keeps from it. Nil for that of the context, if any.
	Pool *limit.Pool

	meter *limit.Meter // of an update, which takes memory beside its query
}

// Run answers a query. Errors of reading come from Run itself; those of a long
// evaluation may come while the rows are read.
func Run(ctx context.Context, text string, data Dataset, opts Options) (*results.Results, error) {
	q, err := syntax.Parse(text, Prefixes(data.Graph)...)
	if err != nil {
		return nil, err
	}
	return RunQuery(ctx, q, data, opts)
}

// RunQuery answers a parsed query.
func RunQuery(ctx context.Context, q *syntax.Query, data Dataset, opts Options) (*results.Results, error) {
	l := opts.Limits
	q, err := data.searched(ctx, q)
	if err != nil {
		return nil, err
	}
	if opts.Mode == Predict {
		q, err := data.predicted(q)
		if err != nil {
			return nil, err
		}
		return predict.Run(ctx, q, data.Graph, data.Predictor, predict.Options{
			Threshold: opts.Threshold, Predicted: opts.Predicted, Exact: func(ctx context.Context, q *syntax.Query) (*results.Results, error) {
				return exactly(ctx, q, data, Options{Limits: l})
			},
			Limits: predict.Limits{Solutions: l.Solutions, Memory: l.Memory, Pool: l.Pool, Assignments: l.Assignments},
		})
	}
	return exactly(ctx, q, data, opts)
}

// exactly answers a query by what the graph states.
func exactly(ctx context.Context, q *syntax.Query, data Dataset, opts Options) (*results.Results, error) {
	asked, missing := data.asked(q)
	best, err := optimised(ctx, q, opts.Without)
	if err != nil {
		return nil, err
	}
	found, err := eval.Run(ctx, best, asked, opts.Limits.exact())
	if err != nil {
		return nil, err
	}
	return data.warned(found, q, missing), nil
}

// Explain runs a query exactly and gives its plan: what was expected of every part, and what came.
func Explain(ctx context.Context, text string, data Dataset, opts Options) (*eval.Plan, error) {
	q, err := syntax.Parse(text, Prefixes(data.Graph)...)
	if err != nil {
		return nil, err
	}
	if q, err = data.searched(ctx, q); err != nil {
		return nil, err
	}
	asked, _ := data.asked(q)
	best, err := optimised(ctx, q, opts.Without)
	if err != nil {
		return nil, err
	}
	return eval.Explain(ctx, best, asked, opts.Limits.exact())
}

func (l Limits) exact() eval.Limits {
	return eval.Limits{Solutions: l.Solutions, Work: l.Work, Memory: l.Memory, Pool: l.Pool, Meter: l.meter}
}

// optimised is a query as operators, after all passes but some. A query of thousands of parts takes its time in each.
func optimised(ctx context.Context, q *syntax.Query, without []string) (*algebra.Query, error) {
	passes, err := algebra.PassesWithout(without)
	if err != nil {
		return nil, err
	}
	best, err := algebra.Translate(q)
	for i := range passes {
		if err == nil {
			err = kg.Stopped(ctx)
		}
		if err != nil {
			return nil, err
		}
		best = algebra.Optimise(best, passes[i:i+1])
	}
	return best, err
}
