package fit

import (
	"cmp"
	"context"
	"time"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
)

// DefaultQuickRows are the rows that Quick looks at by default: what a graph of some thousand entities takes about
// a second for.
const DefaultQuickRows = 400

// Quick fits a map while somebody waits for the first answer: to all of the rows that it comes to look at within a
// time, so that none are left to measure on and the report has no reliability. A time of 0 or less is
// no bound. The rows that it looks at are the first of those of Run, in the same order.
func Quick(ctx context.Context, opts Options, within time.Duration) (links.Map, *Report, error) {
	opts.Rows, opts.Time = cmp.Or(opts.Rows, DefaultQuickRows), within
	opts, err := opts.withDefaults()
	if err != nil {
		return nil, nil, err
	}
	w, err := opts.newWorld(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer w.close()
	if len(w.held) < fewest { // no row need be looked at
		return nil, nil, kg.Errorf(kg.Invalid, "calibrate", "%d facts to hold out, expected %d or more: the graph is too small to fit probabilities to", len(w.held), fewest)
	}
	some, others, err := w.observeInTime(ctx)
	if err != nil {
		return nil, nil, err
	}
	all := some.and(others)
	if err := all.enough(); err != nil {
		return nil, nil, err
	}
	return all.fit(), &Report{Held: len(w.held), Hidden: len(opts.Held) == 0, Rows: all.rows, Seed: opts.Seed}, nil
}

// observeInTime looks at rows until the time is over: what was seen by then is all there is.
func (w *world) observeInTime(ctx context.Context) (toFit, toMeasure observations, err error) {
	bounded, cancel := ctx, context.CancelFunc(func() {})
	if w.options.Time > 0 {
		bounded, cancel = context.WithTimeout(ctx, w.options.Time)
	}
	defer cancel()
	toFit, toMeasure, err = w.observe(bounded)
	if bounded.Err() != nil && ctx.Err() == nil {
		err = nil
	}
	return toFit, toMeasure, err
}

// and are the links of both.
func (o observations) and(others observations) observations {
	return observations{o.rows + others.rows, append(o.links, others.links...)}
}

// enough refuses to fit to next to nothing.
func (o observations) enough() error {
	if facts := o.facts(); facts < fewest {
		return kg.Errorf(kg.Invalid, "calibrate", "only %d of the facts held out are in the rows looked at, expected %d or more: the graph is too small, or the time too short, to fit probabilities to", facts, fewest)
	}
	return nil
}
