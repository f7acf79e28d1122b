package fit

import (
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
	if opts.Rows == 0 {
		opts.Rows = DefaultQuickRows
	}
	opts, err := opts.withDefaults()
	if err != nil {
		return nil, nil, err
	}
	w, err := opts.newWorld(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer w.close()
	if len(w.held) < fewest { // rows may show a few facts often enough
		return nil, nil, kg.Errorf(kg.Invalid, "calibrate", "%d facts to hold out, expected %d or more: the graph is too small to fit probabilities to", len(w.held), fewest)
	}
	all, err := w.observeWithin(ctx, within)
	if err == nil {
		err = all.enough()
	}
	if err != nil {
		return nil, nil, err
	}
	return all.fit(), &Report{Held: len(w.held), Hidden: len(opts.Held) == 0, Rows: all.rows, Seed: opts.Seed}, nil
}

// observeWithin looks at rows until the time is over: what was seen by then is all there is.
func (w *world) observeWithin(ctx context.Context, within time.Duration) (observations, error) {
	bounded, cancel := ctx, context.CancelFunc(func() {})
	if within > 0 {
		bounded, cancel = context.WithTimeout(ctx, within)
	}
	defer cancel()
	some, others, err := w.observe(bounded)
	if bounded.Err() != nil && ctx.Err() == nil {
		err = nil
	}
	return observations{some.rows + others.rows, append(some.links, others.links...)}, err
}

// enough refuses to fit to next to nothing.
func (o observations) enough() error {
	if found := o.found(); found < fewest {
		return kg.Errorf(kg.Invalid, "calibrate", "only %d of the links held out are in the rows looked at, expected %d or more: the graph is too small to fit probabilities to", found, fewest)
	}
	return nil
}
