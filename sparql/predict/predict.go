// Package predict answers queries of SPARQL with probabilities: a pattern becomes a formula
// of package query over the same variables, and a predictor gives its answers, by the fuzzy
// machine where the variables form a tree and by a join where they do not.
package predict

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"

	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
	"github.com/lacuna-kg/lacuna/sparql/limit"
	"github.com/lacuna-kg/lacuna/sparql/results"
	"github.com/lacuna-kg/lacuna/sparql/syntax"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// The variables that the predict mode adds to its results.
const (
	ProbabilityVar = "probability"
	KnownVar       = "known"
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
	cut       *results.Cut  // what joins left out so far; its parts share it
}

// Options says how a query is run. The zero value means the defaults.
type Options struct {
	Threshold float64 // the least probability of an answer; 0 means ListThreshold in lists and else fuzzy.Threshold
	Limits    Limits
}

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

// Run answers a query by the fuzzy machine. Its solutions are sets.
func Run(ctx context.Context, q *syntax.Query, g *kg.Graph, predictor Predictor, opts Options) (*results.Results, error) {
	if predictor == nil {
		return nil, kg.Errorf(kg.Invalid, "", "mode=predict needs a predictor, and there is none")
	}
	if err := checkForm(q); err != nil {
		return nil, err
	}
	if err := checkReserved(q); err != nil {
		return nil, err
	}
	linked, labels, err := takeLabels(q, g.Vocabulary)
	if err != nil {
		return nil, err
	}
	meter := limit.New(ctx, 0, opts.Limits.Memory, opts.Limits.Pool)
	m := &mapper{graph: g, vocabulary: g.Vocabulary, asked: q, meter: meter}
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
		query: q, graph: g, predictor: predictor, mapper: m, linked: linked, pattern: mapped, optionals: optionals, labels: labels,
		limits: opts.Limits.withDefaults(), threshold: float32(cmp.Or(opts.Threshold, fuzzy.Threshold)), open: opts.Threshold == 0, cut: &results.Cut{},
	}
	found, err := p.answer(ctx)
	if err != nil {
		meter.Close()
		return nil, err
	}
	if *p.cut != (results.Cut{}) {
		found.Cut = p.cut
	}
	return found, nil
}

// answer gives what the form of the query asks for.
func (p *prediction) answer(ctx context.Context) (*results.Results, error) {
	switch q := p.query; {
	case q.Form == syntax.AskForm:
		return p.ask(ctx)
	case counts(q) && len(q.GroupBy) == 0:
		return p.count(ctx)
	case aggregates(q):
		return p.aggregate(ctx)
	}
	return p.solutions(ctx)
}

// checkForm refuses the parts of a query around its pattern that predictions lack.
func checkForm(q *syntax.Query) error {
	switch {
	case q.Form == syntax.ConstructForm || q.Form == syntax.DescribeForm:
		return kg.Errorf(kg.Invalid, "sparql", "mode=predict answers SELECT and ASK; mode=exact has no such limit")
	case len(q.From) > 0:
		return unmapped(q.From[0].Pos, "FROM")
	}
	if err := checkAggregates(q); err != nil {
		return err
	}
	for _, k := range q.OrderBy {
		if ref, ok := k.Of.(syntax.Ref); !ok || ref.Var == "" {
			return unmapped(placeOf(k.Of), "ORDER BY anything but a variable")
		}
	}
	return nil
}

// counts tells whether a query asks for the number of answers.
func counts(q *syntax.Query) bool {
	if len(q.Select) == 0 {
		return false
	}
	_, is := countOf(q.Select[0])
	return is
}

// aggregates tells whether a query asks for sums, or for numbers by groups.
func aggregates(q *syntax.Query) bool {
	_, _, is := aggregateOf(q)
	return is
}

// countOf is the variable that a projection counts, "" for all of them.
func countOf(s syntax.Projection) (name string, ok bool) {
	a, isAggregate := s.Of.(syntax.Aggregate)
	if !isAggregate || a.Name != "COUNT" {
		return "", false
	}
	ref, isRef := a.Of.(syntax.Ref)
	return ref.Var, a.Of == nil || isRef && ref.Var != ""
}

// checkReserved keeps the added variables apart from those of the pattern.
func checkReserved(q *syntax.Query) (err error) {
	refuse := func(name string) {
		if name == ProbabilityVar || name == KnownVar || name == ExpectedVar {
			err = kg.Errorf(kg.Invalid, "sparql", "mode=predict adds ?%s to the results: expected another name in the pattern", name)
		}
	}
	syntax.EachVar(q.Where, refuse)
	if q.Values != nil {
		syntax.EachVar(&syntax.Group{Of: []syntax.Pattern{q.Values}}, refuse)
	}
	for _, s := range q.Select {
		if s.Of != nil {
			refuse(s.Var)
		}
	}
	return err
}

// expression gives the values of one variable.
func (p *prediction) expression(root string) (query.Expr, error) {
	if err := p.bound(root); err != nil {
		return nil, err
	}
	return decompose(root, quantified(p.pattern, names{root: true}))
}

// decompose puts the errors of package query into terms of SPARQL.
func decompose(root string, body query.Formula) (query.Expr, error) {
	expr, err := query.Decompose(&query.Query{Answers: []query.Variable{{Name: root}}, Body: body})
	if err != nil {
		return nil, translated(err)
	}
	return expr, nil
}

// run asks the predictor for as many expressions at a time as keeps memory bounded.
func (p *prediction) run(ctx context.Context, exprs []query.Expr) ([]Prediction, error) {
	const together = 32
	var all []Prediction
	for chunk := range slices.Chunk(exprs, together) {
		some, err := p.predictor.Predict(ctx, chunk, p.threshold)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

// count gives the number of answers, and how many are to be expected.
func (p *prediction) count(ctx context.Context) (*results.Results, error) {
	q := p.query
	if len(q.Select) > 1 {
		return nil, syntax.Errorf(q.Select[1].Pos, "mode=predict counts one variable at a time")
	}
	of, _ := countOf(q.Select[0])
	if visible := q.Visible(); of == "" && len(visible) == 1 {
		of = visible[0]
	}
	for _, o := range p.optionals {
		if of == "" || o.adds[of] {
			return nil, unmapped(o.pos, "COUNT of what an OPTIONAL binds")
		}
	}
	if of == "" {
		return p.countJoined(ctx, q.Visible())
	}
	expr, err := p.expression(of)
	if err != nil {
		return p.countJoined(ctx, []string{of})
	}
	sets, err := p.run(ctx, []query.Expr{expr})
	if err != nil {
		return nil, err
	}
	return p.counted(len(sets[0].Members), sets[0].Cardinality), nil
}

// ask looks for an answer at or above the threshold. The tree of a pattern may hang
// on any of its variables; one without any hangs on one of its constants. What is no tree is joined.
func (p *prediction) ask(ctx context.Context) (*results.Results, error) {
	expr, err := p.anyRoot()
	if err != nil {
		found, err := p.joined(ctx, nil, 1)
		return &results.Results{Ask: true, Truth: len(found) > 0}, err
	}
	sets, err := p.run(ctx, []query.Expr{expr})
	if err != nil {
		return nil, err
	}
	return &results.Results{Ask: true, Truth: len(sets[0].Members) > 0}, nil
}

func (p *prediction) anyRoot() (query.Expr, error) {
	var first error
	for _, name := range p.query.Vars() {
		expr, err := p.expression(name)
		if err == nil {
			return expr, nil
		}
		if first == nil {
			first = err
		}
	}
	const root = "(constant)" // a name that no query can have
	for _, c := range constantsOf(p.pattern.formula) {
		variable := query.Variable{Name: root, Pos: c.Pos}
		body := query.And{Of: []query.Formula{
			generalised(p.pattern.formula, c, variable),
			query.Equals{Left: variable, Right: c},
		}}
		expr, err := decompose(root, quantified(pattern{formula: body, possible: p.pattern.possible}, names{}))
		if err == nil {
			return expr, nil
		}
		if first == nil {
			first = err
		}
	}
	if first == nil {
		first = kg.Errorf(kg.Invalid, "sparql", "the pattern says nothing that could be predicted")
	}
	return nil, first
}

func double(x float64, bits int) term.Term {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return term.Typed("NaN", term.XSDDouble)
	}
	return term.Typed(strconv.FormatFloat(x, 'g', -1, bits), term.XSDDouble)
}
