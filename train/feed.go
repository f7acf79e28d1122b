package train

import (
	"context"
	"time"

	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/plan"
)

// batch is everything that one step needs besides the model.
type batch struct {
	step     int // counted from 1
	programs []*plan.Program
	answers  kernel.Lists
	masks    masks
	took     time.Duration // to prepare
}

// feed prepares the batches of coming steps while the device works on the present
// one. Nothing in a batch depends on the parameters, so the order of events changes no result.
type feed struct {
	source  Source
	dropout *dropout
	size    int // queries in a batch

	batches chan prepared
	stop    context.CancelFunc
}

type prepared struct {
	*batch
	err error
}

// ahead is how many batches may wait for the device.
const ahead = 2

// start prepares the batches of the steps from first on, until close.
func (f *feed) start(ctx context.Context, first int) {
	ctx, f.stop = context.WithCancel(ctx)
	f.batches = make(chan prepared, ahead)
	go func() {
		defer close(f.batches)
		for step := first; ctx.Err() == nil; step++ {
			b, err := f.prepare(ctx, step)
			select {
			case f.batches <- prepared{b, err}:
			case <-ctx.Done():
				return
			}
			if err != nil {
				return
			}
		}
	}()
}

// next gives the batch of the coming step.
func (f *feed) next(ctx context.Context) (*batch, error) {
	select {
	case p, ok := <-f.batches:
		if !ok { // it ended with the context
			return nil, ctx.Err()
		}
		return p.batch, p.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// close ends the preparation and waits for it: the source may be used by others again.
func (f *feed) close() {
	f.stop()
	for range f.batches {
	}
}

// prepare makes the batch of a step: its queries are the next of the source, in order.
func (f *feed) prepare(ctx context.Context, step int) (*batch, error) {
	began := time.Now()
	b := &batch{step: step}
	var rows [][]int32
	for i := range f.size {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		_, q, err := f.source.Draw(uint64(step-1)*uint64(f.size) + uint64(i))
		if err != nil {
			return nil, err
		}
		b.programs = append(b.programs, plan.Compile(q.Expr, plan.Options{}))
		row := make([]int32, len(q.Easy))
		for k, e := range q.Easy {
			row[k] = int32(e)
		}
		rows = append(rows, row)
	}
	b.answers = kernel.NewLists(rows)
	var err error
	b.masks, err = f.dropout.Record(ctx, step, b.programs)
	b.took = time.Since(began)
	return b, err
}
