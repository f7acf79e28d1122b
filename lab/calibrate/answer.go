package calibrate

import (
	"context"
	"slices"

	"github.com/lacuna-kg/lacuna/dataset"
	"github.com/lacuna-kg/lacuna/exec"
	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/plan"
)

const (
	batchSize  = 32
	batchBytes = 256 << 20 // of the answers of a batch
)

// answers runs queries in batches and gives each with the set that answers it, which is
// the caller's only until it returns.
func (w *world) answers(ctx context.Context, queries []dataset.Query, each func(q dataset.Query, set fuzzy.Set)) error {
	executor, err := w.rest.Executor(ctx, true)
	if err != nil {
		return err
	}
	size := min(batchSize, max(1, batchBytes/(16*w.rest.Graph.NumEntities()+1)))
	for batch := range slices.Chunk(queries, size) {
		programs := make([]*plan.Program, len(batch))
		for i, q := range batch {
			programs[i] = plan.Compile(q.Expr, plan.Options{})
		}
		machine := exec.Machine{Executor: executor, Logic: w.rest.Logic(fuzzy.Product), AnswersOnly: true}
		run, err := machine.Run(ctx, programs)
		if err != nil {
			return err
		}
		for i, q := range batch {
			each(q, run.Answers(i))
		}
		err = w.options.Model.Network.Device().Sync()
		run.Release()
		if err != nil {
			return err
		}
	}
	return nil
}
