package eval

import (
	"context"
	"fmt"

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

// rows is a pool that gives its sets as they lie on the device.
type rows interface {
	// Rows copies the sets of the slots, one after the other, into a buffer that the caller frees.
	Rows(slots []int) kernel.Buffer
}

// Judge implements Method. Programs run as one batch and as they stand: a rewritten
// one could differ from the paper's execution in the last bits, and so in ties.
func (l Learned) Judge(ctx context.Context, batch []Question) ([]Outcome, error) {
	programs := make([]*plan.Program, len(batch))
	for i, q := range batch {
		programs[i] = plan.Compile(q.Expr, plan.Options{})
	}
	machine := exec.Machine{Executor: l.Executor, Logic: l.Logic, AnswersOnly: true}
	run, err := machine.Run(ctx, programs)
	if err != nil {
		return nil, err
	}
	defer run.Release()
	return l.count(run, batch)
}

// count ranks the targets in the answers of a run, and counts the answers.
func (l Learned) count(run *exec.Run, batch []Question) ([]Outcome, error) {
	pool, ok := run.Pool.(rows)
	if !ok {
		return nil, fmt.Errorf("eval: a pool of type %T has no sets on a device", run.Pool)
	}
	slots := make([]int, len(batch))
	targets, answers := make([][]int32, len(batch)), make([][]int32, len(batch))
	for i, q := range batch {
		slots[i] = run.Answer(i)
		targets[i], answers[i] = ids(q.Targets), ids(q.Answers)
	}
	device := l.Executor.Device
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
	return 4 * int64(l.Executor.Graph.Nodes()) * int64(operations(e)+4)
}

func operations(e query.Expr) int {
	count := 1
	for _, operand := range query.Operands(e) {
		count += 1 + operations(operand) // folding k operands takes k−1 operations
	}
	return count
}

// Entities implements Method.
func (l Learned) Entities() int { return l.Executor.Graph.Nodes() }

// Describe implements Method.
func (l Learned) Describe() Description {
	return Description{Kind: "learned", Device: l.Executor.Device.Name(), Logic: l.Logic.String(), Negation: l.Executor.Negation(), KeepKnown: l.Executor.KeepKnown}
}
