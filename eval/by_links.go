package eval

import (
	"context"

	"github.com/lacuna-kg/lacuna/exec"
	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/internal/parallel"
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
	parallel.Each(ctx, len(batch), func(i int) { outcomes[i] = rankedIn(run.AnswersView(i), batch[i]) })
	return outcomes, kg.Stopped(ctx)
}

// rankedIn ranks the targets of one question in its answers.
func rankedIn(answers fuzzy.View, q Question) Outcome {
	return Outcome{answers.Ranks(q.Targets, q.Answers), answers.Cardinality()}
}

// usualMembers is how many members a set of a large graph has at most, but for the tails of its greatest hubs.
const usualMembers = 1 << 16

// Bytes implements Method: sets are written down by their members. Rows are bounded by themselves.
func (b ByLinks) Bytes(e query.Expr) int64 {
	return 8 * int64(min(b.Entities(), usualMembers)) * int64(operations(e)+1)
}

// Entities implements Method.
func (b ByLinks) Entities() int { return b.Executor.Rows().Graph().NumEntities() }

// Describe implements Method.
func (b ByLinks) Describe() Description {
	follow := b.Executor.Follow()
	return Description{
		Kind: "learned", By: "links", Followed: follow.Most, FollowedFrom: follow.Weight, BothEnds: b.Executor.Ends(), Least: b.Executor.Rows().Least(),
		Device: b.Device, Logic: b.Logic.Norm.String(), Negation: b.Logic.Negation, KeepKnown: true,
	}
}
