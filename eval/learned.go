package eval

import (
	"context"
	"sync"

	"github.com/lacuna-kg/lacuna/exec"
	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/plan"
	"github.com/lacuna-kg/lacuna/query"
)

// Learned answers with fuzzy sets on a device: a model's projections and a logic.
// Ranks and numbers of answers are counted there; no score comes back.
type Learned struct {
	Executor exec.OnDevice
	Logic    fuzzy.Logic
}

// Answer implements Method. Programs run as one batch and as they stand: a rewritten
// one could differ from the paper's execution in the last bits, and so in ties.
func (l Learned) Answer(ctx context.Context, batch []Question) ([]Outcome, error) {
	programs := make([]*plan.Program, len(batch))
	for i, q := range batch {
		programs[i] = plan.Compile(q.Expr, plan.Options{})
	}
	schedule := exec.NewSchedule(programs, true)
	pool := l.Executor.NewDevicePool(schedule.Slots, l.Logic)
	defer pool.Release()
	if _, err := schedule.Follow(ctx, pool, nil); err != nil {
		return nil, err
	}
	return ranked(schedule, pool, batch)
}

// ranked ranks the targets in the answers of a run, and counts the answers.
func ranked(schedule *exec.Schedule, pool *exec.DevicePool, batch []Question) ([]Outcome, error) {
	slots := make([]int, len(batch))
	targets, answers := make([][]int32, len(batch)), make([][]int32, len(batch))
	for i, q := range batch {
		slots[i] = schedule.Answer(i)
		targets[i], answers[i] = ids(q.Targets), ids(q.Answers)
	}
	device := pool.Device
	sets := pool.Rows(slots)
	defer device.Free(sets)
	ranks := device.Ranks(sets, kernel.NewLists(targets), kernel.NewLists(answers))
	predicted := make([]float64, len(batch))
	device.Cardinality(predicted, sets, fuzzy.Threshold)
	if err := device.Sync(); err != nil { // after a failure both are no-ops, and what they gave is nothing
		return nil, err
	}
	outcomes := make([]Outcome, len(batch))
	for i, q := range batch {
		outcomes[i] = Outcome{ranks[:len(q.Targets):len(q.Targets)], predicted[i]}
		ranks = ranks[len(q.Targets):]
	}
	return outcomes, nil
}

func ids(entities []kg.Entity) []int32 {
	list := make([]int32, len(entities))
	for i, e := range entities {
		list[i] = int32(e)
	}
	return list
}

// Bytes implements Method: a set after each operation, three that a projection
// works with and a copy of the answer. The states inside a model are bounded by its own limits.
func (l Learned) Bytes(e query.Expr) int64 {
	return 4 * int64(l.Executor.Projector.Nodes()) * int64(operations(e)+4)
}

func operations(e query.Expr) int {
	count := 1
	for _, operand := range query.Operands(e) {
		count += 1 + operations(operand) // folding k operands takes k−1 operations
	}
	return count
}

// Entities implements Method.
func (l Learned) Entities() int { return l.Executor.Projector.Nodes() }

// Describe implements Method.
func (l Learned) Describe() Description {
	return Description{Kind: "learned", By: "sets", Device: l.Executor.Projector.Device().Name(), Logic: l.Logic.Norm.String(), Negation: l.Logic.Negation, KeepKnown: l.Executor.KeepKnown}
}

// Alone is a method that holds its model while a batch runs: others use it between two of them.
type Alone struct {
	Method
	Model sync.Locker
}

// Answer implements Method.
func (a Alone) Answer(ctx context.Context, batch []Question) ([]Outcome, error) {
	a.Model.Lock()
	defer a.Model.Unlock()
	return a.Method.Answer(ctx, batch)
}
