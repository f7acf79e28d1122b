// Package fit makes the probabilities of links mean what they say on a graph.
//
// What a probability means: were the graph to lack a tenth of its facts, or as many as it holds out for
// validation, this is how often such a link is one of those it lacks. So facts are held out, the rows
// around them are looked at, and the map from logits to probabilities (links.Map) is fitted to
// what turns out to be there: its weights by logistic regression, its curve by isotonic regression
// on top. Half of the rows are fitted on, the other half measured on.
//
// In the flow it stands between neural, whose model it asks, and links, whose map it gives. The
// files are in the order of work: draw.go holds facts out and draws rows, observe.go collects
// their links, regression.go and isotonic.go fit, report.go says what it came to. quick.go fits while somebody waits.
package fit

import (
	"context"
	"time"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
	"github.com/lacuna-kg/lacuna/neural"
)

// Defaults of Options.
const (
	DefaultRows  = 1000
	DefaultShare = 0.1
)

// Options say what a map is fitted to.
type Options struct {
	Graph *kg.Graph
	Model *neural.Model
	// Held are true facts that the graph does not state, such as validation facts. Without them a share of
	// the graph's own is hidden.
	Held []kg.Triple
	// Elsewhere is how many more it does not state, though they are true, as they are held out for something else: test facts. Nobody looks at these.
	Elsewhere int
	Share     float64 // 0 is DefaultShare
	Rows      int     // to look at, half of them to fit on; 0 is DefaultRows
	// Time is after how long no more rows are looked at, 0 or less for no bound.
	Time time.Duration
	Seed uint64
	// Progress, if given, is called now and then by the goroutine of the caller.
	Progress func(done, total int)
}

func (o Options) withDefaults() (Options, error) {
	if o.Share == 0 {
		o.Share = DefaultShare
	}
	if o.Rows == 0 {
		o.Rows = DefaultRows
	}
	if o.Progress == nil {
		o.Progress = func(int, int) {}
	}
	if !(o.Share > 0 && o.Share <= 0.4) || o.Rows < 0 {
		return o, kg.Errorf(kg.Invalid, "calibrate", "a share of %v and %d rows; expected a share above 0 and at most 0.4, and 1 row or more", o.Share, o.Rows)
	}
	return o, nil
}

// Run fits a map to every other row and reports on those that were not fitted on.
func Run(ctx context.Context, opts Options) (links.Map, *Report, error) {
	seen, err := opts.look(ctx)
	if err != nil {
		return links.Map{}, nil, err
	}
	toFit, toMeasure := seen.halves[0], seen.halves[1]
	if err := toFit.enough(); err != nil {
		return links.Map{}, nil, err
	}
	m := toFit.fit(seen.missing)
	report := &Report{Held: seen.held, Hidden: len(opts.Held) == 0, Rows: toMeasure.rows, Seed: opts.Seed, Around: opts.Model.CutOf(opts.Graph)}
	report.Before, report.After = toMeasure.measure(links.Uncalibrated()), toMeasure.measure(m)
	return m, report, nil
}

// Measure compares a map with facts that are held out, on all of the rows.
func Measure(ctx context.Context, opts Options, m links.Map) (Reliability, error) {
	seen, err := opts.look(ctx)
	if err != nil {
		return Reliability{}, err
	}
	return seen.halves[0].and(seen.halves[1]).measure(m), nil
}

// seen are links of rows of a graph that lacks facts, in two halves.
type seen struct {
	halves  [2]observations
	held    int // facts held out
	missing missing
}

// look holds facts out, and collects the links of rows.
func (o Options) look(ctx context.Context) (s seen, err error) {
	if o, err = o.withDefaults(); err != nil {
		return s, err
	}
	w, err := o.newWorld(ctx)
	if err != nil {
		return s, err
	}
	defer w.close()
	s.held, s.missing = len(w.held), w.missing()
	s.halves[0], s.halves[1], err = w.observeInTime(ctx)
	return s, err
}

// fewest facts, and links of a part of the map, that are worth a fit of six numbers and a curve.
const fewest = 20
