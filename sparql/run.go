package sparql

import (
	"context"
	"iter"

	"github.com/lacuna-kg/lacuna/kg"
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
	Predictor Predictor
}

// Options says how a query is run. The zero value gives exact answers.
type Options struct {
	Mode      Mode
	Threshold float64 // of Predict: the least probability of an answer; 0 means fuzzy.Threshold
	Limits    Limits
}

// Results are the outcome of a query: a truth value or a stream of solutions.
type Results struct {
	Ask   bool
	Truth bool
	Vars  []string
	// Rows runs over the solutions, once: a term for every variable, the zero Term
	// where it has none. The slice is valid until the next one. An error ends it.
	Rows iter.Seq2[[]Term, error]
}

// Run answers a query. Errors of reading come from Run itself; those of a long
// evaluation may come while the rows are read.
func Run(ctx context.Context, text string, data Dataset, opts Options) (*Results, error) {
	q, err := Parse(text)
	if err != nil {
		return nil, err
	}
	return q.Run(ctx, data, opts)
}

// Run answers a parsed query.
func (q *Query) Run(ctx context.Context, data Dataset, opts Options) (*Results, error) {
	opts.Limits = opts.Limits.withDefaults()
	if opts.Mode == Predict {
		return predict(ctx, q, data, opts)
	}
	c := newCompiler(data.Graph)
	pattern := c.query(q)
	if c.err != nil {
		return nil, c.err
	}
	s := &solver{query: q, compiler: c, pattern: pattern}
	if err := kg.Stopped(ctx); err != nil {
		return nil, err
	}
	e := &evaluator{dictionary: c.dictionary, ctx: ctx, limits: opts.Limits}
	if q.Ask {
		return s.ask(e)
	}
	return &Results{Vars: q.Columns(), Rows: s.rows(e)}, nil
}
