// Package predict answers queries of SPARQL with probabilities: a pattern becomes a formula
// of package query over the same variables, and a predictor gives its answers.
package predict

import (
	"cmp"
	"context"
	"math"
	"strconv"

	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/reason"
	"github.com/lacuna-kg/lacuna/sparql/limit"
	"github.com/lacuna-kg/lacuna/sparql/results"
	"github.com/lacuna-kg/lacuna/sparql/syntax"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// The variables that the predict mode adds to its results.
const (
	ProbabilityVar = "probability"
	KnownVar       = "known"
	ImpliedVar     = "implied"  // of a graph that implies something: by which rules an answer is known, where the graph does not state it
	ExpectedVar    = "expected" // beside COUNT: how many answers the probabilities add up to
)

// prediction is a query on its way through the predict mode.
type prediction struct {
	query     *syntax.Query
	graph     *kg.Graph
	predictor Predictor
	limits    Limits
	threshold float32
	open      bool // the threshold was left open
	mapper    *mapper
	linked    *syntax.Query // without labels and the OPTIONALs of the outermost group
	pattern   pattern       // of it
	optionals []optional    // in their order
	labels    labelColumns  // of the query; not of the pattern
	after     *after        // what looks at answers; not of the pattern
	exact     Exact
	cut       *results.Cut // what joins left out so far; its parts share it
}

// Options says how a query is run. The zero value means the defaults.
type Options struct {
	Threshold float64 // the least probability of an answer; 0 means ListThreshold in lists and else fuzzy.Threshold
	Predicted bool    // leave out what the graph states
	Limits    Limits
	Exact     Exact
}

// Exact answers a query exactly, which is how a prediction goes on with the table of its answers.
type Exact func(ctx context.Context, q *syntax.Query) (*results.Results, error)

// ListThreshold is the least probability in a list of solutions where none is given: each has its own beside
// it. Numbers of answers, ASK, and combinations of several variables without LIMIT, of which there would
// be too many, have fuzzy.Threshold.
const ListThreshold = 0.05

// Limits of a run. A zero means the default.
type Limits struct {
	Solutions   int         // the most solutions to give; beyond, the query is refused
	Memory      int         // bytes of answers and of computed terms; less than 0 for no limit
	Pool        *limit.Pool // that they are drawn from until the context ends; nil for that of the context, if any
	Assignments int         // solutions that an OPTIONAL extends one by one; of more, all are looked for together
}

func (l Limits) withDefaults() Limits {
	return Limits{
		Solutions:   cmp.Or(l.Solutions, 1_000_000),
		Memory:      l.Memory,
		Pool:        l.Pool,
		Assignments: cmp.Or(l.Assignments, 100),
	}
}

// Run answers a query with probabilities. Its solutions are sets.
func Run(ctx context.Context, q *syntax.Query, g *kg.Graph, predictor Predictor, opts Options) (*results.Results, error) {
	if predictor == nil {
		return nil, kg.Errorf(kg.Invalid, "", "mode=predict needs a predictor, and there is none")
	}
	p, err := newPrediction(ctx, q, g, opts)
	if err != nil {
		return nil, err
	}
	p.predictor = predictor
	found, err := p.answer(ctx)
	if err != nil {
		p.mapper.meter.Close()
		return nil, err
	}
	if *p.cut != (results.Cut{}) {
		found.Cut = p.cut
	}
	return found, nil
}

// newPrediction takes a query apart: labels, OPTIONALs, what looks at answers, and the pattern that is left.
func newPrediction(ctx context.Context, q *syntax.Query, g *kg.Graph, opts Options) (*prediction, error) {
	if err := checkForm(q); err != nil {
		return nil, err
	}
	linked, after, err := takeAfter(q, g.Vocabulary)
	if err != nil {
		return nil, err
	}
	if err := checkReserved(linked); err != nil {
		return nil, err
	}
	linked, labels, err := takeLabels(linked, after.needs(columnsOf(q)), g.Vocabulary)
	if err != nil {
		return nil, err
	}
	m := &mapper{graph: g, vocabulary: g.Vocabulary, asked: q, meter: limit.New(ctx, 0, opts.Limits.Memory, opts.Limits.Pool)}
	linked, optionals, err := m.takeOptionals(linked)
	if err != nil {
		return nil, err
	}
	if err := labels.apart(optionals); err != nil {
		return nil, err
	}
	mapped, err := m.query(linked)
	if err != nil {
		return nil, err
	}
	p := &prediction{
		query: q, graph: g, mapper: m, linked: linked, pattern: mapped, optionals: optionals, labels: labels, after: after, exact: opts.Exact,
		limits: opts.Limits.withDefaults(), threshold: float32(cmp.Or(opts.Threshold, fuzzy.Threshold)), open: opts.Threshold == 0, cut: &results.Cut{},
	}
	p.bounded(opts.Predicted)
	return p, nil
}

// bounded takes over what filters say of the answers that are left.
func (p *prediction) bounded(predicted bool) {
	p.after.predicted = p.after.predicted || predicted
	switch least := float32(p.after.least); {
	case least < 0:
	case p.open:
		p.threshold, p.open = least, false
	default:
		p.threshold = max(p.threshold, least)
	}
}

// answer gives what the form of the query asks for.
func (p *prediction) answer(ctx context.Context) (*results.Results, error) {
	switch q := p.query; {
	case q.Form == syntax.AskForm:
		return p.ask(ctx)
	case q.Form == syntax.ConstructForm:
		return p.construct(ctx)
	case aggregates(q):
		return p.aggregate(ctx)
	}
	return p.solutions(ctx)
}

// checkForm refuses the parts of a query around its pattern that predictions lack.
func checkForm(q *syntax.Query) error {
	switch {
	case q.Form == syntax.DescribeForm:
		return kg.Errorf(kg.Invalid, "sparql", "DESCRIBE gives what the graph states: expected mode=exact, or CONSTRUCT")
	case len(q.From) > 0:
		return ofUnion(q.From[0].Pos, "FROM")
	}
	return checkAggregates(q)
}

// aggregates tells whether a query asks for sums, or for numbers by groups.
func aggregates(q *syntax.Query) bool {
	_, _, is := aggregateOf(q)
	return is
}

// checkReserved keeps the added variables apart from those of the pattern.
func checkReserved(q *syntax.Query) (err error) {
	refuse := func(name string) {
		if reserved(name) {
			err = reservedName(name)
		}
	}
	syntax.EachVar(q.Where, refuse)
	if q.Values != nil {
		eachVarIn(q.Values, refuse)
	}
	for _, s := range q.Select {
		if s.Of != nil {
			refuse(s.Var)
		}
	}
	return err
}

func reserved(name string) bool {
	return isAdded(name) || name == ExpectedVar
}

// isAdded tells the variables that say how likely an answer is, and where it comes from.
func isAdded(name string) bool {
	return name == ProbabilityVar || name == KnownVar || name == ImpliedVar
}

// added are those of a graph's answers.
func (p *prediction) added() []string {
	if reason.Of(p.graph) == nil {
		return []string{ProbabilityVar, KnownVar}
	}
	return []string{ProbabilityVar, KnownVar, ImpliedVar}
}

func reservedName(name string) error {
	return kg.Errorf(kg.Invalid, "sparql", "mode=predict adds ?%s to the results: expected another name in the pattern", name)
}

// ask tells whether the pattern has a solution at or above the threshold, and how likely that is.
func (p *prediction) ask(ctx context.Context) (*results.Results, error) {
	least := p.threshold
	needs := p.labels.bearers(p.after.needs(nil))
	if p.threshold = 0; len(needs) > 0 {
		p.threshold = least // else there would be too many
	}
	all, err := p.assignments(ctx, needs)
	if err != nil {
		return nil, err
	}
	found, err := p.compute(ctx, p.labelled(all), nil)
	if err != nil {
		return nil, err
	}
	r := &results.Results{Ask: true, Probability: new(float32), Known: new(bool)}
	if len(found) > 0 { // of equal rows the likeliest
		*r.Probability, *r.Known = found[0].degree, found[0].known
	}
	r.Truth = *r.Probability >= least && *r.Probability > 0
	return r, nil
}

func double(x float64, bits int) term.Term {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return term.Typed("NaN", term.XSDDouble)
	}
	return term.Typed(strconv.FormatFloat(x, 'g', -1, bits), term.XSDDouble)
}
