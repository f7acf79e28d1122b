// Package calibrate makes the probabilities of a model mean what they say on a graph.
// It hides some of the graph's own facts, looks how likely the model holds them and
// other unknown links, and fits the two numbers a and b of logit → a·logit + b that make
// the truth likeliest (Platt scaling; 1/a is the temperature). As the last step of every
// model of package gnn is a Linear before the sigmoid, the map is folded into its
// weights: a calibrated model is a model like any other, and because a > 0 the order of
// the answers to a single link stays what it was.
//
// Which links count decides what comes out. Nearly all of a query's candidates are false
// and held unlikely; two numbers that put these right by and large leave the few likely
// ones, which a user looks at, further off than before. So the fit is by default on the
// ten likeliest candidates of each query (docs/lab/calibration.md compares).
//
// In the flow it stands beside eval: a model and a graph in, the same model with other
// weights and a report on other hidden facts out. The files are in the order of work:
// draw.go hides facts and draws queries, fit.go finds a and b, scale.go applies them,
// measure.go says what it came to.
package calibrate

import (
	"context"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/neural"
	"github.com/lacuna-kg/lacuna/query"
)

// The values of Options that are left zero.
const (
	DefaultShare   = 0.1
	DefaultFit     = 400
	DefaultQueries = 100
	// DefaultCandidates are as many as a user looks at.
	DefaultCandidates = 10
)

// Options say what is calibrated on what.
type Options struct {
	Graph *kg.Graph
	Model *neural.Model // whose parameters change
	// Share of the facts is hidden to fit on, and another to measure on: probabilities
	// then hold for a graph that lacks about so much.
	Share float64
	// Fit is the number of single links to fit on.
	Fit int
	// Candidates is how many of the likeliest unknown links of a head and relation are fitted on; below 0 all.
	Candidates int
	// Queries is the number of queries of each shape to measure on; Shapes are those, all 14 for none.
	Queries int
	Shapes  []string
	Seed    uint64
	// Progress, if given, is called now and then by the goroutine of the caller.
	Progress func(stage string, done, total int)
}

// Report is what calibration came to. Fit and measurement are on different hidden facts.
type Report struct {
	Fit        Fit           `json:"fit"`
	Candidates int           `json:"candidates"` // of each that count there; below 0 all
	Share      float64       `json:"share"`
	Hidden     int           `json:"hidden"` // facts hidden for either of both
	Seed       uint64        `json:"seed"`
	Shapes     []ShapeReport `json:"shapes"`
	Mean       ShapeReport   `json:"mean"` // over shapes of equal weight
	Rules      Rules         `json:"rules"`
}

// ShapeReport compares a shape before and after.
type ShapeReport struct {
	Shape  string  `json:"shape"`
	Before Measure `json:"before"`
	After  Measure `json:"after"`
}

// Rules are the definitions behind the figures, in words.
type Rules struct {
	Queries    string `json:"queries"`
	Candidates string `json:"candidates"`
	ECE        string `json:"ece"`
	MAPE       string `json:"mape"`
}

var rules = Rules{
	Queries:    "drawn as the benchmarks' are: each has at least one answer that needs a hidden fact",
	Candidates: "all entities but the answers that traversal finds without the hidden facts",
	ECE:        "expected calibration error in ten bins of equal width: the mean distance between probability and share of true answers, weighted by the candidates of a bin; ece over the ten likeliest candidates of each query, ece_all over all of them",
	MAPE:       "of the predicted number of answers, the sum of the probabilities above 0.5, against the true one; what the graph states counts with probability 1",
}

func (o Options) withDefaults() (Options, error) {
	if o.Share == 0 {
		o.Share = DefaultShare
	}
	if o.Fit == 0 {
		o.Fit = DefaultFit
	}
	if o.Candidates == 0 {
		o.Candidates = DefaultCandidates
	}
	if o.Queries == 0 {
		o.Queries = DefaultQueries
	}
	if len(o.Shapes) == 0 {
		o.Shapes = query.Shapes
	}
	if o.Progress == nil {
		o.Progress = func(string, int, int) {}
	}
	if !(o.Share > 0 && o.Share <= 0.4) || o.Fit < 0 || o.Queries < 0 {
		return o, kg.Errorf(kg.Invalid, "calibrate", "a share of %v, %d links and %d queries; expected a share above 0 and at most 0.4, and numbers of 1 or more", o.Share, o.Fit, o.Queries)
	}
	return o, nil
}

// Run calibrates a model. After an error the model is as it was.
func Run(ctx context.Context, opts Options) (*Report, error) {
	o, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	toFit, toMeasure, err := hide(o)
	if err != nil {
		return nil, err
	}
	fit, err := o.fit(ctx, toFit)
	if err != nil {
		return nil, err
	}
	report := &Report{Fit: fit, Candidates: o.Candidates, Share: o.Share, Hidden: len(toFit), Seed: o.Seed, Rules: rules}
	if err := o.compare(ctx, toMeasure, report); err != nil {
		return nil, err
	}
	return report, nil
}

// fit finds the map on one part of the hidden facts.
func (o Options) fit(ctx context.Context, hidden []kg.Triple) (Fit, error) {
	w, err := o.newWorld(ctx, hidden, []string{"1p"}, o.Fit)
	if err != nil {
		return Fit{}, err
	}
	defer w.close()
	links, err := w.links(ctx, o)
	if err != nil {
		return Fit{}, err
	}
	return links.fit(ctx)
}

// compare measures on another part, before and after the map is applied.
func (o Options) compare(ctx context.Context, hidden []kg.Triple, r *Report) error {
	w, err := o.newWorld(ctx, hidden, o.Shapes, o.Queries)
	if err != nil {
		return err
	}
	defer w.close()
	before, err := w.measure(ctx, o, "measuring before")
	if err != nil {
		return err
	}
	undo, err := apply(o.Model.Network, r.Fit)
	if err != nil {
		return err
	}
	after, err := w.measure(ctx, o, "measuring after")
	if err != nil {
		undo()
		return err
	}
	for i, shape := range w.shapes {
		r.Shapes = append(r.Shapes, ShapeReport{shape.name, before[i], after[i]})
	}
	r.Mean = ShapeReport{"mean", meanOf(before), meanOf(after)}
	return nil
}
