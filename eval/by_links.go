package eval

import (
	"context"

	"github.com/lacuna-kg/lacuna/exec"
	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/internal/parallel"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kernel/plain"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
	"github.com/lacuna-kg/lacuna/plan"
	"github.com/lacuna-kg/lacuna/query"
)

// ByLinks answers entity by entity, over the single links of a model.
type ByLinks struct {
	Executor links.Executor
	Logic    fuzzy.Logic
	Device   string // where rows are computed, for the report
}

// Answer implements Method.
func (b ByLinks) Answer(ctx context.Context, batch []Question) ([]Outcome, error) {
	programs := make([]*plan.Program, len(batch))
	for i, q := range batch {
		programs[i] = plan.Compile(q.Expr, plan.Options{})
	}
	machine := exec.Machine{Executor: b.Executor, Logic: b.Logic, AnswersOnly: true}
	run, err := machine.Run(ctx, programs)
	if err != nil {
		return nil, err
	}
	defer run.Release()
	outcomes := make([]Outcome, len(batch))
	parallel.Each(ctx, len(batch), func(i int) { outcomes[i] = rankedIn(run.Answers(i), batch[i]) })
	return outcomes, kg.Stopped(ctx)
}

// rankedIn ranks the targets of one question in its answers.
func rankedIn(answers fuzzy.Set, q Question) Outcome {
	device := plain.New()
	set := device.NewBuffer(len(answers))
	device.Upload(set, answers)
	ranks := device.Ranks(set, kernel.NewLists([][]int32{ids(q.Targets)}), kernel.NewLists([][]int32{ids(q.Answers)}))
	return Outcome{ranks, answers.Cardinality()}
}

// Bytes implements Method: sets are sparse, and the answer is read as a whole one. Rows are bounded by themselves.
func (b ByLinks) Bytes(e query.Expr) int64 {
	return 4 * int64(b.Entities()) * int64(operations(e)+1)
}

// Entities implements Method.
func (b ByLinks) Entities() int { return b.Executor.Rows().Graph().NumEntities() }

// Describe implements Method.
func (b ByLinks) Describe() Description {
	follow := b.Executor.Follow()
	return Description{
		Kind: "learned", By: "links", Followed: follow.Most, FollowedFrom: follow.Weight,
		Device: b.Device, Logic: b.Logic.Norm.String(), Negation: b.Logic.Negation, KeepKnown: true,
	}
}
