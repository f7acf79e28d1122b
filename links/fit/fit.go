// Package fit makes the probabilities of links mean what they say on a graph.
//
// What a probability means: were the graph to lack a tenth of its facts, or as many as it holds out for
// validation, this is how often such a link is one of those it lacks. So facts are held out, the rows
// around them are looked at, and the map from logits to probabilities (links.Map) is fitted to
// what turns out to be there: its weights by logistic regression, its curve by isotonic regression
// on top. Rows are measured by a map that was fitted to others.
//
// In the flow it stands between neural, whose model it asks, and links, whose map it gives. The
// files are in the order of work: turns.go holds facts out, draw.go draws rows, observe.go collects
// their links, regression.go, relations.go and isotonic.go fit, report.go and verdict.go say what it came to. quick.go fits while somebody waits.
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
	Rows      int     // to look at; 0 is DefaultRows
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

// Run fits a map to all of the rows, and reports on each part of them by a map that was fitted to the others.
func Run(ctx context.Context, opts Options) (links.Map, *Report, error) {
	s, err := opts.look(ctx)
	if err == nil {
		err = s.enough()
	}
	if err != nil {
		return nil, nil, err
	}
	report := s.report(opts)
	before, after, of := NewTally(), NewTally(), newRelations(opts.Graph)
	for i, part := range s.parts {
		others := s.without(i)
		if others.found() < fewest {
			others = s.all()
		}
		m := others.fit(s.missing)
		before.observe(part, links.Uncalibrated())
		after.observe(part, m)
		of.observe(part, m)
	}
	report.Before, report.After, report.Relations = before.Result(), after.Result(), of.reports()
	return s.all().fit(s.missing), report, nil
}

// report is what is known before anything is measured.
func (s seen) report(o Options) *Report {
	rows := s.all().rows
	return &Report{Held: s.held, Hidden: len(o.Held) == 0, Rows: rows, Seed: o.Seed, Cut: rows < s.rows, Around: o.Model.CutOf(o.Graph)}
}

// Measure compares a map with facts that are held out, on all of the rows.
func Measure(ctx context.Context, opts Options, m links.Map) (Reliability, error) {
	s, err := opts.look(ctx)
	if err != nil {
		return Reliability{}, err
	}
	return s.all().measure(m), nil
}

// fewest facts, and links of a part of the map, that are worth a fit of six numbers and a curve.
const fewest = 20
