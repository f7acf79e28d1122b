package sparql

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
)

// The variables that the predict mode adds to its results.
const (
	ProbabilityVar = "probability"
	KnownVar       = "known"
	ExpectedVar    = "expected" // beside COUNT: how many answers the probabilities add up to
)

// prediction is a query on its way through the predict mode.
type prediction struct {
	query     *Query
	data      Dataset
	limits    Limits
	threshold float32
	pattern   pattern
	labels    labelColumns // of the query; not of the pattern
}

// predict answers a query by the fuzzy machine. Its solutions are sets.
func predict(ctx context.Context, q *Query, data Dataset, opts Options) (*Results, error) {
	if data.Predictor == nil {
		return nil, kg.Errorf(kg.Invalid, "", "mode=predict needs a predictor, and there is none")
	}
	if err := checkReserved(q); err != nil {
		return nil, err
	}
	linked, labels, err := takeLabels(q, data.Graph.Vocabulary)
	if err != nil {
		return nil, err
	}
	m := &mapper{vocabulary: data.Graph.Vocabulary}
	mapped, err := m.query(linked)
	if err != nil {
		return nil, err
	}
	p := &prediction{query: q, data: data, labels: labels, limits: opts.Limits, pattern: mapped, threshold: float32(cmp.Or(opts.Threshold, fuzzy.Threshold))}
	switch {
	case q.Ask:
		return p.ask(ctx)
	case q.counts():
		return p.count(ctx)
	}
	return p.solutions(ctx)
}

// checkReserved keeps the added variables apart from those of the pattern.
func checkReserved(q *Query) (err error) {
	refuse := func(name string) {
		if name == ProbabilityVar || name == KnownVar || name == ExpectedVar {
			err = kg.Errorf(kg.Invalid, "sparql", "mode=predict adds ?%s to the results: expected another name in the pattern", name)
		}
	}
	walk(q.Where, refuse)
	if q.Values != nil {
		walk(&Group{Of: []Pattern{q.Values}}, refuse)
	}
	for _, s := range q.Select {
		if s.Count != nil {
			refuse(s.Var)
		}
	}
	return err
}

// expression gives the values of one variable, others having the values of an assignment.
func (p *prediction) expression(root string, assigned map[string]kg.Entity) (query.Expr, error) {
	if !p.pattern.certain[root] {
		return nil, kg.Errorf(kg.Invalid, "sparql", "?%s is not bound by every solution, which mode=predict needs; mode=exact answers it", root)
	}
	of := []query.Formula{p.pattern.formula}
	for _, name := range slices.Sorted(maps.Keys(assigned)) {
		of = append(of, query.Equals{Variable: query.Variable{Name: name}, Constant: constant(assigned[name], Term{Kind: IRI, Value: name}, Pos{})})
	}
	whole := p.pattern
	whole.formula = query.And{Of: of}
	return decompose(root, quantified(whole, names{root: true}))
}

// decompose puts the errors of package query into terms of SPARQL.
func decompose(root string, body query.Formula) (query.Expr, error) {
	expr, err := query.Decompose(&query.Query{Answer: query.Variable{Name: root}, Body: body})
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
		some, err := p.data.Predictor.Predict(ctx, chunk, p.threshold)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

// count gives the number of answers, and how many are to be expected.
func (p *prediction) count(ctx context.Context) (*Results, error) {
	q := p.query
	if len(q.Select) > 1 {
		return nil, fail(q.Select[1].Pos, "mode=predict counts one variable at a time")
	}
	of := q.Select[0].Count.Of
	if visible := (&Query{Star: true, Where: q.Where, Values: q.Values}).Columns(); of == "" && len(visible) == 1 {
		of = visible[0]
	}
	if of == "" {
		return nil, fail(q.Select[0].Pos, "COUNT(*) counts combinations of several variables, which mode=predict does not: expected COUNT(DISTINCT ?x)")
	}
	expr, err := p.expression(of, nil)
	if err != nil {
		return nil, err
	}
	sets, err := p.run(ctx, []query.Expr{expr})
	if err != nil {
		return nil, err
	}
	row := []Term{typed(strconv.Itoa(len(sets[0].Members)), xsdInteger), double(sets[0].Cardinality, 64)}
	rows := sliceRows([][]Term{row}, q)
	return &Results{Vars: []string{q.Select[0].Var, ExpectedVar}, Rows: rowsOf(rows)}, nil
}

// ask looks for an answer at or above the threshold. The tree of a pattern may hang
// on any of its variables; one without any hangs on one of its constants.
func (p *prediction) ask(ctx context.Context) (*Results, error) {
	expr, err := p.anyRoot()
	if err != nil {
		return nil, err
	}
	sets, err := p.run(ctx, []query.Expr{expr})
	if err != nil {
		return nil, err
	}
	return &Results{Ask: true, Truth: len(sets[0].Members) > 0}, nil
}

func (p *prediction) anyRoot() (query.Expr, error) {
	var first error
	for _, name := range p.query.Vars() {
		expr, err := p.expression(name, nil)
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
			query.Equals{Variable: variable, Constant: c},
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

func double(x float64, bits int) Term {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return typed("NaN", xsdDouble)
	}
	return typed(strconv.FormatFloat(x, 'g', -1, bits), xsdDouble)
}
